import { ok, type Result } from '../../../base/result.ts';
import { type DecodedPicture, decodePicture } from './decode-picture.ts';
import { type ColorName, nameColor } from './name-color.ts';
import type { PictureFormat } from './sniff-picture.ts';

/** The most frequent colour of each part of a picture. */
export interface PartColors {
  readonly left: ColorName;
  readonly right: ColorName;
  readonly topLeft: ColorName;
  readonly topRight: ColorName;
  readonly bottomLeft: ColorName;
  readonly bottomRight: ColorName;
}

/** What the server remembers of a picture instead of its pixels. */
export interface PictureFacts {
  readonly format: PictureFormat;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly frames: number;
  readonly colors: PartColors;
}

/** Decodes a picture whole and looks at it. The error says what the decoder said. */
export async function inspectPicture(bytes: Uint8Array): Promise<Result<PictureFacts, string>> {
  const decoded = await decodePicture(bytes);
  if (!decoded.ok) return decoded;
  const { format, widthPx, heightPx, frames } = decoded.value;
  return ok({ format, widthPx, heightPx, frames, colors: findPartColors(decoded.value) });
}

function findPartColors(picture: DecodedPicture): PartColors {
  const all = { from: 0, to: 1 };
  const first = { from: 0, to: 0.5 };
  const second = { from: 0.5, to: 1 };
  return {
    left: dominantColor(picture, first, all),
    right: dominantColor(picture, second, all),
    topLeft: dominantColor(picture, first, first),
    topRight: dominantColor(picture, second, first),
    bottomLeft: dominantColor(picture, first, second),
    bottomRight: dominantColor(picture, second, second),
  };
}

/** A stretch of one side, as shares of it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

function dominantColor(picture: DecodedPicture, columns: Stretch, rows: Stretch): ColorName {
  const { widthPx, heightPx, pixels } = picture;
  // At most about a million pixels of a picture are looked at; in small pictures it is every one.
  const step = Math.max(1, Math.floor(Math.sqrt((widthPx * heightPx) / 1_000_000)));
  const counts = new Map<ColorName, number>();
  // Rounded outwards, so that no part of a picture of one pixel is empty.
  for (let y = Math.floor(rows.from * heightPx); y < Math.ceil(rows.to * heightPx); y += step) {
    for (let x = Math.floor(columns.from * widthPx); x < Math.ceil(columns.to * widthPx); x += step) {
      const at = (y * widthPx + x) * 4;
      const color = nameColor(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, pixels[at + 3] ?? 0);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort((one, other) => other[1] - one[1]);
  return most?.[0] ?? 'transparent';
}
