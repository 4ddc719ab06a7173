// 200 pictures of what people and tools show a model, generated and the same on every machine.
import sharp from 'sharp';
import { drawText, fill, seededRandom } from './inputs.mjs';

const eachKind = 20;

/** @returns {AsyncGenerator<{kind: string, number: number, bytes: Buffer, widthPx: number, heightPx: number}>} losslessly stored pictures, 20 of each of ten kinds */
export async function* drawCorpus() {
  for (const [kind, draw] of Object.entries(kinds)) {
    for (let number = 0; number < eachKind; number += 1) {
      const random = seededRandom(number * 7919 + kind.length * 104_729);
      const { pixels, widthPx, heightPx } = await draw(random, number);
      const bytes = await sharp(pixels, { raw: { width: widthPx, height: heightPx, channels: 3 } })
        .png({ compressionLevel: 1 })
        .toBuffer();
      yield { kind, number, bytes, widthPx, heightPx };
    }
  }
}

const kinds = {
  'screenshot with text': (random) => screenshot(random, false),
  'dark screenshot': (random) => screenshot(random, true),
  chart,
  photo,
  gradient,
  'interface with photos': interfaceWithPhotos,
  scan,
  'pixel art': pixelArt,
  icon,
  map,
};

function between(random, least, most) {
  return Math.round(least + random() * (most - least));
}

function canvasOf(random, { least = 700, most = 2600, color = [255, 255, 255] } = {}) {
  const widthPx = between(random, least, most);
  const heightPx = between(random, least * 0.6, most * 0.7);
  const canvas = { pixels: Buffer.alloc(widthPx * heightPx * 3), widthPx, heightPx };
  fill(canvas, { x: 0, y: 0, width: widthPx, height: heightPx, color });
  return canvas;
}

function randomColor(random) {
  return [0, 1, 2].map(() => between(random, 0, 255));
}

/** Windows with lines of text, lists or code, more or less of it. */
function screenshot(random, isDark) {
  const paper = isDark ? [24, 26, 32] : [between(random, 235, 255), 250, 252];
  const ink = isDark ? [210, 214, 220] : [30, 34, 40];
  const canvas = canvasOf(random, { color: paper });
  const bar = between(random, 20, 60);
  fill(canvas, { x: 0, y: 0, width: canvas.widthPx, height: bar, color: isDark ? [44, 48, 58] : [222, 226, 232] });
  const side = between(random, 0, canvas.widthPx / 4);
  fill(canvas, { x: 0, y: bar, width: side, height: canvas.heightPx, color: isDark ? [32, 34, 42] : [240, 242, 245] });
  const density = 0.2 + random() * 0.8;
  for (let y = bar + 20; y < canvas.heightPx - 20; y += between(random, 20, 34)) {
    if (random() > density) continue;
    drawText(canvas, {
      x: side + 24,
      y,
      end: side + (canvas.widthPx - side) * (0.3 + random() * 0.6),
      color: ink,
      random,
    });
    if (side > 80) drawText(canvas, { x: 12, y, end: side - 20, color: ink, random });
  }
  return canvas;
}

/** Bars, lines and a grid with numbers. */
function chart(random) {
  const canvas = canvasOf(random);
  for (let y = 60; y < canvas.heightPx; y += 60) {
    fill(canvas, { x: 40, y, width: canvas.widthPx - 80, height: 1, color: [225, 225, 225] });
    drawText(canvas, { x: 4, y, end: 36, color: [90, 90, 90], random });
  }
  const color = randomColor(random);
  const step = between(random, 12, 80);
  for (let x = 60; x < canvas.widthPx - 60; x += step) {
    const height = random() * canvas.heightPx * 0.8;
    fill(canvas, { x, y: canvas.heightPx - height, width: step * 0.7, height, color });
  }
  let level = canvas.heightPx / 2;
  for (let x = 50; x < canvas.widthPx - 50; x += 1) {
    level = Math.max(20, Math.min(canvas.heightPx - 20, level + (random() - 0.5) * 8));
    fill(canvas, { x, y: level, width: 2, height: 3, color: [200, 40, 40] });
  }
  return canvas;
}

async function photo(random) {
  const canvas = canvasOf(random, { least: 800, most: 2400 });
  await drawPhotoInto(canvas, { x: 0, y: 0, width: canvas.widthPx, height: canvas.heightPx }, random);
  return canvas;
}

/** Smooth forms of two scales, shifted by a gradient, with grain. */
async function drawPhotoInto(canvas, area, random) {
  const width = Math.round(area.width);
  const height = Math.round(area.height);
  const forms = await Promise.all(
    [6, 60].map((cells) => {
      const rows = Math.max(2, Math.round((cells * height) / width));
      const noise = Buffer.from(Array.from({ length: cells * rows * 3 }, () => between(random, 0, 255)));
      return sharp(noise, { raw: { width: cells, height: rows, channels: 3 } })
        .resize(width, height, { fit: 'fill', kernel: 'cubic' })
        .raw()
        .toBuffer();
    }),
  );
  const grain = 2 + random() * 16;
  for (let y = 0, from = 0; y < height; y += 1) {
    const row = Math.round(area.y) + y;
    for (let x = 0; x < width; x += 1, from += 3) {
      const column = Math.round(area.x) + x;
      if (row >= canvas.heightPx || column >= canvas.widthPx) continue;
      const at = (row * canvas.widthPx + column) * 3;
      const speck = (random() - 0.5) * grain;
      for (let channel = 0; channel < 3; channel += 1) {
        const value = 0.6 * forms[0][from + channel] + 0.4 * forms[1][from + channel] + speck;
        canvas.pixels[at + channel] = Math.max(0, Math.min(255, value));
      }
    }
  }
}

/** Soft backgrounds, some with a line of text or a card. */
function gradient(random, number) {
  const canvas = canvasOf(random);
  const from = randomColor(random);
  const to = randomColor(random);
  const isDithered = number % 3 === 0;
  const slope = random();
  for (let y = 0, at = 0; y < canvas.heightPx; y += 1) {
    for (let x = 0; x < canvas.widthPx; x += 1, at += 3) {
      const share = (slope * x) / canvas.widthPx + ((1 - slope) * y) / canvas.heightPx;
      const noise = isDithered ? random() - 0.5 : 0;
      for (let channel = 0; channel < 3; channel += 1) {
        canvas.pixels[at + channel] = Math.round(from[channel] + (to[channel] - from[channel]) * share + noise);
      }
    }
  }
  if (number % 2 === 0) drawText(canvas, { x: 60, y: 80, end: canvas.widthPx / 2, color: [255, 255, 255], random });
  return canvas;
}

/** A page of cards, each with a photo and text; from a few small photos to a page full of them. */
async function interfaceWithPhotos(random, number) {
  const canvas = canvasOf(random, { least: 1000, most: 2200, color: [247, 248, 250] });
  const share = (number % 10) / 10 + 0.05;
  for (let y = 20; y < canvas.heightPx - 120; y += 260) {
    for (let x = 20; x < canvas.widthPx - 200; x += 320) {
      fill(canvas, { x, y, width: 300, height: 240, color: [255, 255, 255] });
      const height = 40 + 120 * share;
      if (random() < share + 0.15) await drawPhotoInto(canvas, { x, y, width: 300, height }, random);
      for (let line = y + height + 20; line < y + 220; line += 22) {
        drawText(canvas, { x: x + 12, y: line, end: x + 120 + random() * 150, color: [50, 54, 60], random });
      }
    }
  }
  return canvas;
}

/** Paper that is not quite white, print that is not quite black. */
function scan(random) {
  const canvas = canvasOf(random, { least: 1000, most: 2400, color: [243, 240, 233] });
  for (let y = 100; y < canvas.heightPx - 100; y += 30) {
    drawText(canvas, { x: 90, y, end: canvas.widthPx * (0.6 + random() * 0.3), color: [52, 50, 56], random });
  }
  const grain = 3 + random() * 12;
  for (let at = 0; at < canvas.pixels.length; at += 3) {
    const speck = (random() - 0.5) * grain;
    for (let channel = 0; channel < 3; channel += 1) {
      canvas.pixels[at + channel] = Math.max(0, Math.min(255, canvas.pixels[at + channel] + speck));
    }
  }
  return canvas;
}

/** Few colours in large blocks. */
function pixelArt(random) {
  const block = between(random, 6, 32);
  const columns = between(random, 40, 100);
  const rows = between(random, 30, 70);
  const canvas = {
    pixels: Buffer.alloc(columns * rows * block * block * 3),
    widthPx: columns * block,
    heightPx: rows * block,
  };
  const palette = Array.from({ length: between(random, 4, 24) }, () => randomColor(random));
  let color = palette[0];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (random() < 0.4) color = palette[Math.floor(random() * palette.length)];
      fill(canvas, { x: column * block, y: row * block, width: block, height: block, color });
    }
  }
  return canvas;
}

/** Small: a few flat forms. */
function icon(random) {
  const side = between(random, 24, 256);
  const canvas = { pixels: Buffer.alloc(side * side * 3, 255), widthPx: side, heightPx: side };
  for (let form = 0; form < 5; form += 1) {
    const size = between(random, side / 8, side / 2);
    fill(canvas, { x: random() * side, y: random() * side, width: size, height: size, color: randomColor(random) });
  }
  return canvas;
}

/** Flat areas with soft edges, lines between them, names here and there. */
function map(random) {
  const canvas = canvasOf(random, { color: [238, 234, 222] });
  for (let area = 0; area < 60; area += 1) {
    const radius = between(random, 20, 260);
    disc(canvas, {
      x: random() * canvas.widthPx,
      y: random() * canvas.heightPx,
      radius,
      color: random() < 0.5 ? [200, 222, 190] : [178, 208, 230],
    });
  }
  for (let road = 0; road < 14; road += 1) {
    let y = random() * canvas.heightPx;
    const slope = (random() - 0.5) * 2;
    for (let x = 0; x < canvas.widthPx; x += 1, y += slope)
      fill(canvas, { x, y, width: 2, height: 4, color: [250, 214, 120] });
  }
  for (let name = 0; name < 40; name += 1) {
    const x = random() * canvas.widthPx;
    drawText(canvas, {
      x,
      y: random() * (canvas.heightPx - 20),
      end: Math.min(canvas.widthPx - 12, x + 130),
      color: [70, 70, 70],
      random,
    });
  }
  return canvas;
}

function disc(canvas, { x, y, radius, color }) {
  for (let row = Math.max(0, Math.floor(y - radius)); row < Math.min(canvas.heightPx, y + radius); row += 1) {
    const half = Math.sqrt(Math.max(0, radius ** 2 - (row - y) ** 2));
    fill(canvas, { x: x - half, y: row, width: half * 2, height: 1, color });
  }
}
