import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import decodeWebpBytes, { init as initWebp } from '@jsquash/webp/decode.js';
import jpeg from 'jpeg-js';
import { GifReader } from 'omggif';
import { PNG } from 'pngjs';
import { assertNever } from '../../../base/assert-never.ts';
import { fail, ok, type Result } from '../../../base/result.ts';
import { countGifPixels } from './count-gif-pixels.ts';
import { type PictureFormat, sniffPicture } from './sniff-picture.ts';

/** A whole picture: the first frame's pixels (RGBA, straight alpha, not turned by EXIF). */
export interface DecodedPicture {
  readonly format: PictureFormat;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly frames: number;
  readonly pixels: Uint8Array | Uint8ClampedArray;
}

/** A picture larger than this is not decoded; the figure only protects the test machine. */
const MOST_PIXELS = 100_000_000;

/**
 * Decodes a picture whole, with decoders that the product does not use: what passes here was
 * judged twice. The error says what the decoder said.
 */
export async function decodePicture(bytes: Uint8Array): Promise<Result<DecodedPicture, string>> {
  const format = sniffPicture(bytes);
  if (format === undefined) return fail('not a PNG, JPEG, GIF or WebP');
  try {
    return ok(await decodeFormat(format, bytes));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function decodeFormat(format: PictureFormat, bytes: Uint8Array): DecodedPicture | Promise<DecodedPicture> {
  switch (format) {
    case 'png':
      return decodePng(bytes);
    case 'jpeg':
      return decodeJpeg(bytes);
    case 'gif':
      return decodeGif(bytes);
    case 'webp':
      return decodeWebp(bytes);
    default:
      return assertNever(format);
  }
}

function decodePng(bytes: Uint8Array): DecodedPicture {
  const buffer = Buffer.from(bytes);
  if (buffer.length < 24) throw new Error('ends inside its header');
  refuseTooLarge(buffer.readUInt32BE(16), buffer.readUInt32BE(20));
  const png = PNG.sync.read(buffer);
  // pngjs stops reading when it has all rows and so never sees the checksum behind them.
  inflateSync(Buffer.concat(pngImageData(buffer)));
  return { format: 'png', widthPx: png.width, heightPx: png.height, frames: 1, pixels: png.data };
}

/** The bodies of the IDAT chunks. Source: PNG specification (third edition), section 5.3. */
function pngImageData(buffer: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let offset = 8; offset + 12 <= buffer.length; ) {
    const sizeBytes = buffer.readUInt32BE(offset);
    const body = buffer.subarray(offset + 8, offset + 8 + sizeBytes);
    if (buffer.toString('latin1', offset + 4, offset + 8) === 'IDAT') bodies.push(body);
    offset += 12 + sizeBytes;
  }
  return bodies;
}

function decodeJpeg(bytes: Uint8Array): DecodedPicture {
  const options = { useTArray: true, tolerantDecoding: false, maxResolutionInMP: MOST_PIXELS / 1e6 } as const;
  const picture = jpeg.decode(bytes, { ...options, maxMemoryUsageInMB: 2048 });
  if (jpegPrecision(bytes) !== 8) throw new Error('not 8 bits a sample');
  return { format: 'jpeg', widthPx: picture.width, heightPx: picture.height, frames: 1, pixels: picture.data };
}

/** Bits a sample, from the frame header. jpeg-js takes 12 for 8. Source: ITU-T T.81, section B.2.2. */
function jpegPrecision(bytes: Uint8Array): number | undefined {
  for (let offset = 2; offset + 4 < bytes.length; ) {
    if (bytes[offset] !== 0xff) return undefined;
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    const isFrameHeader = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrameHeader) return bytes[offset + 4];
    offset += 2 + (bytes[offset + 2] ?? 0) * 256 + (bytes[offset + 3] ?? 0);
  }
  return undefined;
}

function decodeGif(bytes: Uint8Array): DecodedPicture {
  const reader = new GifReader(bytes);
  if (reader.width === 0 || reader.height === 0) throw new Error('no pixels');
  if (reader.numFrames() === 0) throw new Error('no frame');
  refuseTooLarge(reader.width, reader.height);
  for (let index = 0; index < reader.numFrames(); index += 1) {
    const frame = reader.frameInfo(index);
    if (countGifPixels(bytes, frame.data_offset) !== frame.width * frame.height) {
      throw new Error(`frame ${index} has too few or too many pixels`);
    }
  }
  const pixels = new Uint8Array(reader.width * reader.height * 4);
  reader.decodeAndBlitFrameRGBA(0, pixels);
  return { format: 'gif', widthPx: reader.width, heightPx: reader.height, frames: reader.numFrames(), pixels };
}

let webpReady: Promise<void> | undefined;

async function decodeWebp(bytes: Uint8Array): Promise<DecodedPicture> {
  webpReady ??= loadWebpDecoder();
  await webpReady;
  const picture = await decodeWebpBytes(Uint8Array.from(bytes).buffer);
  return { format: 'webp', widthPx: picture.width, heightPx: picture.height, frames: 1, pixels: picture.data };
}

/** On Node the package cannot fetch its own code: it is read from its folder and handed over. */
async function loadWebpDecoder(): Promise<void> {
  const path = createRequire(import.meta.url).resolve('@jsquash/webp/codec/dec/webp_dec.wasm');
  const wasmBinary = await readFile(path);
  await initWebp({ wasmBinary });
}

function refuseTooLarge(widthPx: number, heightPx: number): void {
  if (widthPx * heightPx > MOST_PIXELS) throw new Error('more pixels than this server decodes');
}
