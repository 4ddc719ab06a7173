import { type Component, findComponents } from './find-components.ts';
import { type GrayRaster, type PixelArea, prepareRaster } from './prepare-raster.ts';

/** Large print of about one size, scaled down to a size that the recogniser reads. */
export interface PrintLayer {
  /** Dark on light; white where there is no large print of this size. */
  readonly raster: GrayRaster;
  /** How many pixels of the whole raster one pixel of the layer stands for, along each side. */
  readonly factor: number;
}

export interface SplitPrint {
  readonly layers: readonly PrintLayer[];
  /** The raster without the print that is in the layers: the same object when there are none. */
  readonly rest: GrayRaster;
}

/**
 * Letters of a layer are this tall up to twice as tall: as the sizes of the layers differ by two as
 * well, each line has exactly one layer. Measured on regular and bold print of 14 to 140 px in both
 * languages: in larger letters the recogniser finds letters inside the strokes.
 */
const LEAST_LETTER_PX = 13;
const LEAST_HEIGHT_PX = 32;
const INK_BELOW = 150;
/** More components than this are leaves, waves, noise. */
const MOST_COMPONENTS = 3000;

/**
 * Takes large print out of a raster and puts it, line by line, into layers that are scaled down by
 * two, four and so on. Print of ordinary size, and whatever looks unlike a line of letters, stays.
 */
export function splitLargePrint(raster: GrayRaster): SplitPrint {
  const layers: PrintLayer[] = [];
  let levels = halveRepeatedly(raster);
  let rest = raster;
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const factor = Math.round(raster.widthPx / level.widthPx);
    const normal = normalizeGround(level);
    const print = { small: level, whole: rest, factor };
    const areas = findLines(normal).filter((area) => isSamePrint(area, print));
    if (areas.length === 0) continue;
    layers.push({ raster: keepAreas(normal, areas), factor });
    rest = coverAreas(
      rest,
      areas.map((area) => enlargeArea(area, factor)),
    );
    // What this layer has taken is gone from the finer ones.
    levels = halveRepeatedly(rest).slice(0, levels.length);
  }
  return { layers, rest };
}

/** Half, a quarter and so on, as long as a letter could stand in it. */
function halveRepeatedly(raster: GrayRaster): GrayRaster[] {
  const levels: GrayRaster[] = [];
  let last = raster;
  while (Math.min(last.widthPx, last.heightPx) >= LEAST_HEIGHT_PX * 2) {
    last = halve(last);
    levels.push(last);
  }
  return levels;
}

function halve({ data, widthPx, heightPx }: GrayRaster): GrayRaster {
  const half = { widthPx: widthPx >> 1, heightPx: heightPx >> 1 };
  const mean = new Uint8Array(half.widthPx * half.heightPx);
  for (let y = 0; y < half.heightPx; y += 1) {
    const upper = y * 2 * widthPx;
    const lower = upper + widthPx;
    for (let x = 0; x < half.widthPx; x += 1) {
      const left = x * 2;
      const sum =
        (data[upper + left] ?? 0) +
        (data[upper + left + 1] ?? 0) +
        (data[lower + left] ?? 0) +
        (data[lower + left + 1] ?? 0);
      mean[y * half.widthPx + x] = (sum + 2) >> 2;
    }
  }
  return { ...half, data: mean };
}

/** Dark on light everywhere, on coloured grounds too. */
function normalizeGround(level: GrayRaster): GrayRaster {
  const { main, opposite, isOpposite } = prepareRaster(level);
  if (opposite === undefined) return main;
  const data = new Uint8Array(main.data);
  for (let y = 0; y < level.heightPx; y += 1) {
    for (let x = 0; x < level.widthPx; x += 1) {
      const index = y * level.widthPx + x;
      if (isOpposite(x, y)) data[index] = opposite.data[index] ?? 255;
    }
  }
  return { ...main, data };
}

/** Areas of lines whose letters have the size of this level. */
function findLines(normal: GrayRaster): readonly PixelArea[] {
  const components = findComponents(normal, { inkBelow: INK_BELOW, most: MOST_COMPONENTS });
  if (components === undefined) return [];
  let lines: (readonly Component[])[] = [];
  for (const letter of components.filter(isLikeLetter)) {
    const joined = lines.filter((line) => line.some((neighbour) => standTogether(neighbour, letter)));
    lines = [...lines.filter((line) => !joined.includes(line)), [...joined.flat(), letter]];
  }
  return lines.filter(isLineOfThisSize).map((line) => absorbMarks(unite(line), components));
}

function isLikeLetter(component: Component): boolean {
  const heightPx = heightOf(component);
  const widthPx = widthOf(component);
  if (heightPx < LEAST_LETTER_PX * 0.6 || heightPx > LEAST_LETTER_PX * 2.5 || widthPx > heightPx * 6) return false;
  const fill = component.inkPixels / (heightPx * widthPx);
  // Frames are nearly empty; bars, buttons and icons are nearly full. Narrow letters are full too.
  return fill > 0.1 && (fill < 0.8 || widthPx < heightPx * 0.6);
}

/** Whether two letters stand beside each other on one line. */
function standTogether(before: PixelArea, after: PixelArea): boolean {
  const overlapPx = Math.min(before.bottom, after.bottom) - Math.max(before.top, after.top) + 1;
  const smallerPx = Math.min(heightOf(before), heightOf(after));
  const largerPx = Math.max(heightOf(before), heightOf(after));
  const gapPx = Math.max(after.left - before.right, before.left - after.right);
  return overlapPx > smallerPx * 0.6 && largerPx < smallerPx * 2.2 && gapPx < largerPx * 1.5;
}

function isLineOfThisSize(line: readonly Component[]): boolean {
  if (line.length < 2) return false;
  const heights = line.map(heightOf).sort((one, other) => one - other);
  const tallPx = heights[Math.floor((heights.length - 1) * 0.9)] ?? 0;
  // The parts of a Chinese character are smaller than the character: there the line counts.
  const letterPx = Math.max(tallPx * 0.85, heightOf(unite(line)) * 0.75);
  return letterPx >= LEAST_LETTER_PX && letterPx < LEAST_LETTER_PX * 2;
}

/** The area with the dots, accents and punctuation that belong to its letters. */
function absorbMarks(line: PixelArea, components: readonly Component[]): PixelArea {
  const heightPx = heightOf(line);
  let area = line;
  for (let isGrowing = true; isGrowing; ) {
    const reach = {
      left: area.left - heightPx * 0.6,
      right: area.right + heightPx * 0.6,
      top: line.top - heightPx * 0.25,
      bottom: line.bottom + heightPx * 0.2,
    };
    const marks = components.filter((mark) => contains(reach, mark) && !contains(area, mark));
    area = unite([area, ...marks]);
    isGrowing = marks.length > 0;
  }
  return { left: area.left - 2, top: area.top - 2, right: area.right + 2, bottom: area.bottom + 2 };
}

/**
 * Small print that was scaled down runs together into shapes as tall as letters. Across real
 * letters, ink and ground change as often in the whole raster as in the small one.
 */
function isSamePrint(
  area: PixelArea,
  print: { readonly small: GrayRaster; readonly whole: GrayRaster; readonly factor: number },
): boolean {
  const small = changesPerRow(print.small, area);
  const whole = changesPerRow(print.whole, enlargeArea(area, print.factor));
  return whole < small * 1.6 + 2;
}

function changesPerRow(raster: GrayRaster, area: PixelArea): number {
  const inside = clip(area, raster);
  const { darkest, lightest } = rangeOf(raster, inside);
  const middle = (darkest + lightest) / 2;
  let changes = 0;
  forEachRow(raster, inside, (row) => {
    for (let x = 1; x < row.length; x += 1) {
      if ((row[x] ?? 0) < middle !== (row[x - 1] ?? 0) < middle) changes += 1;
    }
  });
  return changes / heightOf(inside);
}

function rangeOf(raster: GrayRaster, area: PixelArea): { readonly darkest: number; readonly lightest: number } {
  let darkest = 255;
  let lightest = 0;
  forEachRow(raster, area, (row) => {
    for (const value of row) {
      darkest = Math.min(darkest, value);
      lightest = Math.max(lightest, value);
    }
  });
  return { darkest, lightest };
}

function keepAreas(raster: GrayRaster, areas: readonly PixelArea[]): GrayRaster {
  const data = new Uint8Array(raster.data.length).fill(255);
  for (const area of areas.map((one) => clip(one, raster))) {
    const ground = groundAround(raster, area);
    const { darkest } = rangeOf(raster, area);
    // Stretched, so that a coloured ground is as white as what surrounds the area.
    const scale = 255 / Math.max(1, ground - darkest);
    forEachRow(raster, area, (row, start) => {
      row.forEach((value, x) => {
        data[start + x] = Math.max(0, Math.min(255, Math.round((value - darkest) * scale)));
      });
    });
  }
  return { ...raster, data };
}

/** The areas in the colour of their ground, so that no edge remains. */
function coverAreas(raster: GrayRaster, areas: readonly PixelArea[]): GrayRaster {
  const data = new Uint8Array(raster.data);
  for (const area of areas.map((one) => clip(one, raster))) {
    const ground = groundAround(raster, area);
    forEachRow(raster, area, (row, start) => data.fill(ground, start, start + row.length));
  }
  return { ...raster, data };
}

/** The median of the first and last row: they lie just outside the letters. */
function groundAround(raster: GrayRaster, area: PixelArea): number {
  const edge: number[] = [];
  for (const y of [area.top, area.bottom]) {
    const start = y * raster.widthPx + area.left;
    edge.push(...raster.data.subarray(start, start + widthOf(area)));
  }
  return edge.sort((one, other) => one - other)[edge.length >> 1] ?? 255;
}

function forEachRow(raster: GrayRaster, area: PixelArea, visit: (row: Uint8Array, start: number) => void): void {
  for (let y = area.top; y <= area.bottom; y += 1) {
    const start = y * raster.widthPx + area.left;
    visit(raster.data.subarray(start, start + widthOf(area)), start);
  }
}

function enlargeArea(area: PixelArea, factor: number): PixelArea {
  return {
    left: area.left * factor,
    top: area.top * factor,
    right: (area.right + 1) * factor - 1,
    bottom: (area.bottom + 1) * factor - 1,
  };
}

function clip(area: PixelArea, { widthPx, heightPx }: GrayRaster): PixelArea {
  return {
    left: Math.max(0, area.left),
    top: Math.max(0, area.top),
    right: Math.min(widthPx - 1, area.right),
    bottom: Math.min(heightPx - 1, area.bottom),
  };
}

function unite(areas: readonly PixelArea[]): PixelArea {
  return {
    left: Math.min(...areas.map(({ left }) => left)),
    top: Math.min(...areas.map(({ top }) => top)),
    right: Math.max(...areas.map(({ right }) => right)),
    bottom: Math.max(...areas.map(({ bottom }) => bottom)),
  };
}

/** Whether the middle of `inner` lies in `outer`. */
function contains(outer: PixelArea, inner: PixelArea): boolean {
  const x = (inner.left + inner.right) / 2;
  const y = (inner.top + inner.bottom) / 2;
  return x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;
}

function heightOf(area: PixelArea): number {
  return area.bottom - area.top + 1;
}

function widthOf(area: PixelArea): number {
  return area.right - area.left + 1;
}
