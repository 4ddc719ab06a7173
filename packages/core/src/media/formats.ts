import { readGifLayout, readGifSize } from './gif-layout.ts';
import type { ImageFormat, LayoutResult, SizeResult } from './image-layout.ts';
import { readJpegLayout, readJpegSize } from './jpeg-layout.ts';
import { readPngLayout, readPngSize } from './png-layout.ts';
import { readTag } from './read-integer.ts';
import { readWebpLayout, readWebpSize } from './webp-layout.ts';

/** One picture format that Fovea takes. */
export interface ImageFormatRow {
  readonly format: ImageFormat;
  readonly mediaType: string;
  /** Names of files that claim this format, in lower case. A hint only: the content decides. */
  readonly extensions: readonly string[];
  /** Whether the first bytes are this format's signature. */
  readonly matches: (bytes: Uint8Array) => boolean;
  /** The canvas, from as few bytes as the format allows. */
  readonly readSize: (bytes: Uint8Array) => SizeResult;
  /** The whole structure of the file. */
  readonly readLayout: (bytes: Uint8Array) => LayoutResult;
  /** The libvips operation that decodes it from memory; every other loader is blocked. */
  readonly loader: string;
}

/** Every picture format that Fovea takes. A new one is a row here and a file for its layout. */
export const imageFormats: readonly ImageFormatRow[] = [
  {
    format: 'png',
    mediaType: 'image/png',
    extensions: ['.png', '.apng'],
    matches: (bytes) => readTag(bytes, 0, 8) === '\u0089PNG\r\n\u001a\n',
    readSize: readPngSize,
    readLayout: readPngLayout,
    loader: 'VipsForeignLoadPngBuffer',
  },
  {
    format: 'jpeg',
    mediaType: 'image/jpeg',
    extensions: ['.jpg', '.jpeg'],
    matches: (bytes) => readTag(bytes, 0, 3) === '\u00ff\u00d8\u00ff',
    readSize: readJpegSize,
    readLayout: readJpegLayout,
    loader: 'VipsForeignLoadJpegBuffer',
  },
  {
    format: 'webp',
    mediaType: 'image/webp',
    extensions: ['.webp'],
    matches: (bytes) => readTag(bytes, 0, 4) === 'RIFF' && readTag(bytes, 8, 4) === 'WEBP',
    readSize: readWebpSize,
    readLayout: readWebpLayout,
    loader: 'VipsForeignLoadWebpBuffer',
  },
  {
    format: 'gif',
    mediaType: 'image/gif',
    extensions: ['.gif'],
    matches: (bytes) => readTag(bytes, 0, 6) === 'GIF87a' || readTag(bytes, 0, 6) === 'GIF89a',
    readSize: readGifSize,
    readLayout: readGifLayout,
    loader: 'VipsForeignLoadNsgifBuffer',
  },
];

/** The row of the format whose signature `bytes` begin with, if it is one that Fovea takes. */
export function findImageFormat(bytes: Uint8Array): ImageFormatRow | undefined {
  return imageFormats.find((row) => row.matches(bytes));
}

/** Whether the name of a file claims a picture of a format that Fovea takes (decision X2). */
export function claimsImage(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return imageFormats.some((row) => row.extensions.some((extension) => lowerCase.endsWith(extension)));
}
