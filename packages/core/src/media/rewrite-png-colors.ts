import { crc32, deflateSync } from 'node:zlib';
import { apply, type ColorSpace, matrixToSrgb, toSrgbSample, type Vector } from './color-space.ts';
import { colorChunks } from './png-colors.ts';
import { readTag, readUint16Big, readUint32Big } from './read-integer.ts';

const SIGNATURE = 8;
const CHUNK_FRAME = 12;
/** Signature and IHDR. */
const HEADER_END = 33;
const COLOR_TYPE = 25;
const PALETTE_TYPE = 3;

/** A PNG that says nothing of its colours, its pixels as they are. */
export function withoutColors(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, HEADER_END), ...chunksBehindHeader(bytes)]);
}

/** A PNG whose only word about its colours is this profile. */
export function withProfile(bytes: Uint8Array, profile: Uint8Array): Uint8Array {
  const data = Buffer.concat([Buffer.from('Fovea\0\0', 'latin1'), deflateSync(profile)]);
  return Buffer.concat([bytes.subarray(0, HEADER_END), makeChunk('iCCP', data), ...chunksBehindHeader(bytes)]);
}

/**
 * A PNG of palette colours or of grey samples up to 8 bits with a palette of sRGB colours. Grey
 * samples become the indices of their own greys: the pixels stay as they are compressed.
 */
export function withConvertedPalette(bytes: Uint8Array, space: ColorSpace): Uint8Array {
  const convert = makeConverter(space);
  if (bytes[COLOR_TYPE] === PALETTE_TYPE) {
    const chunks = chunksBehindHeader(bytes).map((chunk) =>
      typeOf(chunk) === 'PLTE' ? makeChunk('PLTE', convertPalette(chunk.subarray(8, -4), convert)) : chunk,
    );
    return Buffer.concat([bytes.subarray(0, HEADER_END), ...chunks]);
  }
  const largest = 2 ** (bytes[24] ?? 8) - 1;
  const grays = Uint8Array.from({ length: (largest + 1) * 3 }, (_, index) =>
    toSrgbSample(space.toLinear(Math.floor(index / 3) / largest)),
  );
  const chunks = chunksBehindHeader(bytes).flatMap((chunk) => asPaletteChunk(chunk, largest));
  return Buffer.concat([headerOfPalette(bytes), makeChunk('PLTE', grays), ...chunks]);
}

/** Every chunk behind IHDR that says nothing of colours, whole, up to IEND. */
function chunksBehindHeader(bytes: Uint8Array): Uint8Array[] {
  const names: readonly string[] = colorChunks;
  const chunks: Uint8Array[] = [];
  let at = HEADER_END;
  while (at + CHUNK_FRAME <= bytes.length) {
    const end = at + readUint32Big(bytes, at) + CHUNK_FRAME;
    const chunk = bytes.subarray(at, end);
    if (!names.includes(typeOf(chunk))) chunks.push(chunk);
    if (typeOf(chunk) === 'IEND') break;
    at = end;
  }
  return chunks;
}

function typeOf(chunk: Uint8Array): string {
  return readTag(chunk, 4, 4);
}

function makeChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(data.length + CHUNK_FRAME);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.length + 8);
  return chunk;
}

function headerOfPalette(bytes: Uint8Array): Uint8Array {
  const data = Uint8Array.from(bytes.subarray(SIGNATURE + 8, HEADER_END - 4));
  data[COLOR_TYPE - SIGNATURE - 8] = PALETTE_TYPE;
  return Buffer.concat([bytes.subarray(0, SIGNATURE), makeChunk('IHDR', data)]);
}

/** Chunks whose form depends on the kind of samples; nobody needs those that are left out. */
const formsOfGray: readonly string[] = ['PLTE', 'bKGD', 'sBIT', 'hIST'];

function asPaletteChunk(chunk: Uint8Array, largest: number): Uint8Array[] {
  const type = typeOf(chunk);
  if (formsOfGray.includes(type)) return [];
  return type === 'tRNS' ? grayKeyToAlpha(chunk, largest) : [chunk];
}

/** One transparent grey becomes the alpha of its index; a damaged one is passed over, as decoders do. */
function grayKeyToAlpha(chunk: Uint8Array, largest: number): Uint8Array[] {
  const isDamaged = crc32(chunk.subarray(4, -4)) !== readUint32Big(chunk, chunk.length - 4);
  if (isDamaged || chunk.length !== CHUNK_FRAME + 2) return [];
  const alpha = new Uint8Array(largest + 1).fill(255);
  alpha[readUint16Big(chunk, 8) & largest] = 0;
  return [makeChunk('tRNS', alpha)];
}

function makeConverter(space: ColorSpace): (color: Vector) => Vector {
  const matrix = matrixToSrgb(space.primaries);
  return ([red, green, blue]) => {
    const light: Vector = [space.toLinear(red), space.toLinear(green), space.toLinear(blue)];
    const [r, g, b] = matrix === undefined ? light : apply(matrix, light);
    return [toSrgbSample(r), toSrgbSample(g), toSrgbSample(b)];
  };
}

function convertPalette(palette: Uint8Array, convert: (color: Vector) => Vector): Uint8Array {
  const converted = new Uint8Array(palette.length);
  for (let at = 0; at + 2 < palette.length; at += 3) {
    converted.set(convert([(palette[at] ?? 0) / 255, (palette[at + 1] ?? 0) / 255, (palette[at + 2] ?? 0) / 255]), at);
  }
  return converted;
}
