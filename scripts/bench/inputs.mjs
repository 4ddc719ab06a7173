// Pictures for benchmarks, generated and the same on every machine: no camera, no fonts, no clock. Kept in .cache/bench.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = fileURLToPath(new URL('../../.cache/bench/', import.meta.url));
/** Part of every file name: raise it when a generator changes. */
const revision = 1;

/**
 * @typedef {object} Input
 * @property {string} path absolute
 * @property {Buffer} bytes
 * @property {number} widthPx
 * @property {number} heightPx
 */

/** 12 megapixels, smooth areas, edges and sensor-like grain. @returns {Promise<Input>} */
export function photoJpeg() {
  return input({ name: 'photo.jpg', widthPx: 4000, heightPx: 3000 }, async (size) =>
    encodable(await drawPhoto(size), size)
      .jpeg({ quality: 90 })
      .toBuffer(),
  );
}

/** A desktop with windows full of lines of small text. @returns {Promise<Input>} */
export function screenshotPng() {
  return input({ name: 'screenshot.png', widthPx: 3840, heightPx: 2160 }, (size) =>
    encodable(drawScreenshot(size), size).png({ compressionLevel: 6 }).toBuffer(),
  );
}

/** A photo as web pages have it. @returns {Promise<Input>} */
export function photoWebp() {
  return input({ name: 'photo.webp', widthPx: 1200, heightPx: 800 }, async (size) =>
    encodable(await drawPhoto(size), size)
      .webp({ quality: 80 })
      .toBuffer(),
  );
}

/** @returns {Promise<Input>} */
export function iconPng() {
  return input({ name: 'icon.png', widthPx: 64, heightPx: 64 }, (size) =>
    encodable(drawIcon(size), size).png().toBuffer(),
  );
}

async function input(size, make) {
  const path = join(folder, `${revision}-${size.name}`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.part`, await make(size));
    renameSync(`${path}.part`, path);
  }
  return { path, bytes: readFileSync(path), widthPx: size.widthPx, heightPx: size.heightPx };
}

function encodable(pixels, { widthPx, heightPx }) {
  return sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: 3 } });
}

/** Noise of three scales, the coarse ones smoothed, over a sky-to-ground gradient; grain on top. */
async function drawPhoto({ widthPx, heightPx }) {
  const random = seededRandom(20_240_229);
  const coarse = await smoothNoise({ widthPx, heightPx, cells: 12, random });
  const middle = await smoothNoise({ widthPx, heightPx, cells: 90, random });
  const pixels = Buffer.alloc(widthPx * heightPx * 3);
  for (let y = 0, at = 0; y < heightPx; y++) {
    const ground = y / heightPx > 0.6 ? 1 : 0;
    const sky = 200 - Math.round((120 * y) / heightPx);
    for (let x = 0; x < widthPx; x++, at += 3) {
      const grain = (random() - 0.5) * 14;
      const form = (coarse[at] - 128) * 0.7 + (middle[at + 1] - 128) * 0.35 + grain;
      pixels[at] = clampByte(sky - 40 + form + ground * 60);
      pixels[at + 1] = clampByte(sky - 10 + form + ground * 25);
      pixels[at + 2] = clampByte(sky + 40 + form - ground * 70);
    }
  }
  return pixels;
}

async function smoothNoise({ widthPx, heightPx, cells, random }) {
  const rows = Math.max(2, Math.round((cells * heightPx) / widthPx));
  const noise = Buffer.from(Array.from({ length: cells * rows * 3 }, () => Math.floor(random() * 256)));
  return sharp(noise, { raw: { width: cells, height: rows, channels: 3 } })
    .resize(widthPx, heightPx, { fit: 'fill', kernel: 'cubic' })
    .raw()
    .toBuffer();
}

function drawScreenshot({ widthPx, heightPx }) {
  const random = seededRandom(7_777);
  const canvas = { pixels: Buffer.alloc(widthPx * heightPx * 3), widthPx, heightPx };
  fill(canvas, { x: 0, y: 0, width: widthPx, height: heightPx, color: [38, 70, 110] });
  const windows = [
    { x: 60, y: 60, width: 1900, height: 1980, paper: [255, 255, 255], ink: [30, 30, 30] },
    { x: 2020, y: 60, width: 1760, height: 960, paper: [30, 30, 36], ink: [210, 210, 215] },
    { x: 2020, y: 1080, width: 1760, height: 960, paper: [246, 247, 249], ink: [45, 55, 72] },
  ];
  for (const window of windows) {
    fill(canvas, { ...window, color: window.paper });
    fill(canvas, { x: window.x, y: window.y, width: window.width, height: 44, color: [222, 225, 230] });
    for (let y = window.y + 70; y < window.y + window.height - 30; y += 24) drawLine(canvas, { window, y, random });
  }
  return canvas.pixels;
}

function drawLine(canvas, { window, y, random }) {
  const end = window.x + window.width * (0.45 + random() * 0.5);
  const color = random() < 0.12 ? [180, 60, 40] : window.ink;
  drawText(canvas, { x: window.x + 30, y, end, color, random });
}

/** Words of glyphs of 5 x 7 dots, two pixels a dot; a glyph is a seeded pattern, so that no font is needed. */
export function drawText(canvas, { x: start, y, end, color, random }) {
  for (let x = start; x < end; x += 12) {
    if (random() < 0.16) continue;
    const glyph = glyphs[Math.floor(random() * glyphs.length)];
    for (let dot = 0; dot < 35; dot++) {
      if (!glyph[dot]) continue;
      fill(canvas, { x: x + (dot % 5) * 2, y: y + Math.floor(dot / 5) * 2, width: 2, height: 2, color });
    }
  }
}

const glyphs = makeGlyphs(64);

function makeGlyphs(count) {
  const random = seededRandom(42);
  return Array.from({ length: count }, () =>
    Array.from({ length: 35 }, (_, dot) => random() < (dot % 5 === 0 ? 0.7 : 0.35)),
  );
}

function drawIcon({ widthPx, heightPx }) {
  const canvas = { pixels: Buffer.alloc(widthPx * heightPx * 3, 255), widthPx, heightPx };
  fill(canvas, { x: 8, y: 8, width: 48, height: 48, color: [20, 120, 200] });
  fill(canvas, { x: 20, y: 20, width: 24, height: 24, color: [250, 200, 40] });
  return canvas.pixels;
}

export function fill({ pixels, widthPx, heightPx }, { x, y, width, height, color }) {
  const left = Math.max(0, Math.round(x));
  const right = Math.min(widthPx, Math.round(x + width));
  for (let row = Math.max(0, Math.round(y)); row < Math.min(heightPx, Math.round(y + height)); row++) {
    for (let at = (row * widthPx + left) * 3; at < (row * widthPx + right) * 3; at += 3) {
      pixels[at] = color[0];
      pixels[at + 1] = color[1];
      pixels[at + 2] = color[2];
    }
  }
}

function clampByte(value) {
  return Math.max(0, Math.min(255, value));
}

/** A small generator with a seed (mulberry32): `Math.random` would give other pictures each time. */
export function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
