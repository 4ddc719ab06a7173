/** A picture as brightness alone: one byte a pixel, row by row, 0 black to 255 white. */
export interface GrayRaster {
  readonly data: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** A rectangle; `right` and `bottom` lie inside it. */
export interface PixelArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A raster made ready for recognition, and where the ground had the other brightness. */
export interface PreparedRaster {
  /** Dark text on a light ground. */
  readonly main: GrayRaster;
  /**
   * Only the areas whose ground is the opposite of the rest (a blue button in a white dialog),
   * turned into dark on light, everything else white. Absent when there are none.
   */
  readonly opposite: GrayRaster | undefined;
  /** Whether a point lies in such an area. */
  isOpposite(x: number, y: number): boolean;
}

/** Below this, small text gets too few pixels for the recogniser; twice the size reads clearly better. */
const SMALL_PIXELS = 2_500_000;

/** How much a picture is enlarged before recognition. Measured on the screenshots in `fixtures/screenshots`. */
export function chooseReadingScale(widthPx: number, heightPx: number): number {
  return widthPx * heightPx <= SMALL_PIXELS ? 2 : 1;
}

/** The raster with these areas, and a margin around them, painted white: what stands there is no text. */
export function eraseAreas(raster: GrayRaster, areas: readonly PixelArea[]): GrayRaster {
  if (areas.length === 0) return raster;
  const data = new Uint8Array(raster.data);
  for (const area of areas) {
    // Codes are reported by the middle of their corner marks.
    const marginPx = Math.round(Math.max(area.right - area.left, area.bottom - area.top) * 0.05) + 2;
    const left = Math.max(0, area.left - marginPx);
    const right = Math.min(raster.widthPx, area.right + marginPx + 1);
    const bottom = Math.min(raster.heightPx, area.bottom + marginPx + 1);
    for (let y = Math.max(0, area.top - marginPx); y < bottom; y += 1) {
      data.fill(255, y * raster.widthPx + left, y * raster.widthPx + right);
    }
  }
  return { ...raster, data };
}

const BLOCK_PX = 24;
const MIDDLE = 128;
/** Fewer blocks than this are a line or an icon, not a ground that carries text. */
const FEWEST_OPPOSITE_BLOCKS = 3;

/**
 * Makes text dark and its ground light, also in dark-mode screenshots and on coloured buttons.
 *
 * The ground of a block is the median of its pixels: letters cover less than half of it.
 */
export function prepareRaster(raster: GrayRaster): PreparedRaster {
  const grid = measureGrounds(raster);
  const darkBlocks = grid.grounds.reduce((count, ground) => (ground < MIDDLE ? count + 1 : count), 0);
  const isDark = darkBlocks * 2 > grid.grounds.length;
  const oppositeBlocks = isDark ? grid.grounds.length - darkBlocks : darkBlocks;
  const isOppositeBlock = (block: number): boolean => (grid.grounds[block] ?? 0) < MIDDLE !== isDark;
  const blockAt = (x: number, y: number): number => Math.floor(y / BLOCK_PX) * grid.columns + Math.floor(x / BLOCK_PX);
  return {
    main: isDark ? invert(raster) : raster,
    opposite: oppositeBlocks < FEWEST_OPPOSITE_BLOCKS ? undefined : extractOpposite(raster, { grid, isOppositeBlock }),
    isOpposite: (x, y) => isOppositeBlock(blockAt(x, y)),
  };
}

interface GroundGrid {
  readonly columns: number;
  /** Median brightness of each block, row by row. */
  readonly grounds: Uint8Array;
}

function measureGrounds(raster: GrayRaster): GroundGrid {
  const columns = Math.ceil(raster.widthPx / BLOCK_PX);
  const rows = Math.ceil(raster.heightPx / BLOCK_PX);
  const grounds = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      grounds[row * columns + column] = medianOfBlock(raster, column * BLOCK_PX, row * BLOCK_PX);
    }
  }
  return { columns, grounds };
}

function medianOfBlock(raster: GrayRaster, left: number, top: number): number {
  const right = Math.min(left + BLOCK_PX, raster.widthPx);
  const bottom = Math.min(top + BLOCK_PX, raster.heightPx);
  const histogram = new Uint32Array(256);
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const value = raster.data[y * raster.widthPx + x] ?? 0;
      histogram[value] = (histogram[value] ?? 0) + 1;
    }
  }
  let remaining = ((right - left) * (bottom - top)) / 2;
  for (let value = 0; value < 256; value += 1) {
    remaining -= histogram[value] ?? 0;
    if (remaining <= 0) return value;
  }
  return 255;
}

function invert(raster: GrayRaster): GrayRaster {
  const data = new Uint8Array(raster.data.length);
  for (let index = 0; index < data.length; index += 1) data[index] = 255 - (raster.data[index] ?? 0);
  return { ...raster, data };
}

function extractOpposite(
  raster: GrayRaster,
  areas: { readonly grid: GroundGrid; readonly isOppositeBlock: (block: number) => boolean },
): GrayRaster {
  const data = new Uint8Array(raster.data.length).fill(255);
  for (let y = 0; y < raster.heightPx; y += 1) {
    const firstBlock = Math.floor(y / BLOCK_PX) * areas.grid.columns;
    for (let x = 0; x < raster.widthPx; x += 1) {
      const block = firstBlock + Math.floor(x / BLOCK_PX);
      if (!areas.isOppositeBlock(block)) continue;
      const ground = areas.grid.grounds[block] ?? 0;
      const distance = Math.abs((raster.data[y * raster.widthPx + x] ?? 0) - ground);
      // Stretched, so that white on medium blue is as black as black on white.
      data[y * raster.widthPx + x] = 255 - Math.min(255, Math.round((distance * 255) / Math.max(ground, 255 - ground)));
    }
  }
  return { ...raster, data };
}
