import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { GrayRaster, PixelArea } from './prepare-raster.ts';
import type { FoundCode } from './text-reader.ts';

/** A code with its place in the raster, so that its pattern is not read as text. */
export interface LocatedCode extends FoundCode {
  readonly area: PixelArea;
}

/** Finds QR and bar codes in rasters; loads its program once. */
export interface CodeReader {
  read(raster: GrayRaster): Promise<readonly LocatedCode[]>;
}

const require = createRequire(import.meta.url);

const MOST_CODES = 20;

/**
 * Starts the code reader with the WebAssembly of the installed package; by itself it would fetch
 * it from a CDN.
 */
export async function createCodeReader(): Promise<CodeReader> {
  const { prepareZXingModule, readBarcodes } = await import('zxing-wasm/reader');
  const wasm = await readFile(require.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  return {
    async read(raster) {
      const results = await readBarcodes(toImageData(raster), { maxNumberOfSymbols: MOST_CODES });
      return results
        .filter((result) => result.isValid && result.text !== '')
        .map((result) => ({ kind: nameFormat(result.format), text: result.text, area: toArea(result.position) }));
    },
  };
}

/** `QRCode` as people write it: `QR Code`. The other formats of the reader are already names: `EAN13`, `Code128`. */
function nameFormat(format: string): string {
  return format === 'QRCode' ? 'QR Code' : format;
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

function toArea(position: {
  readonly topLeft: Corner;
  readonly topRight: Corner;
  readonly bottomLeft: Corner;
  readonly bottomRight: Corner;
}): PixelArea {
  const corners = [position.topLeft, position.topRight, position.bottomLeft, position.bottomRight];
  return {
    left: Math.min(...corners.map(({ x }) => x)),
    top: Math.min(...corners.map(({ y }) => y)),
    right: Math.max(...corners.map(({ x }) => x)),
    bottom: Math.max(...corners.map(({ y }) => y)),
  };
}

/** The browser's shape of pixels, which the code reader takes. */
interface RgbaPixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: 'srgb';
}

function toImageData(raster: GrayRaster): RgbaPixels {
  const data = new Uint8ClampedArray(raster.data.length * 4);
  for (let index = 0; index < raster.data.length; index += 1) {
    const value = raster.data[index] ?? 0;
    data[index * 4] = value;
    data[index * 4 + 1] = value;
    data[index * 4 + 2] = value;
    data[index * 4 + 3] = 255;
  }
  return { data, width: raster.widthPx, height: raster.heightPx, colorSpace: 'srgb' };
}
