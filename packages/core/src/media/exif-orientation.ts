import type { Orientation } from './image-layout.ts';
import { hasBytes, readTag, readUint16Big, readUint16Little, readUint32Big, readUint32Little } from './read-integer.ts';

const ORIENTATION_TAG = 0x01_12;
const TYPE_SHORT = 3;
const TYPE_LONG = 4;
const ENTRY_BYTES = 12;

/**
 * The orientation in a TIFF structure (the contents of a JPEG's `Exif` segment after its name, of
 * PNG's `eXIf`, of WebP's `EXIF`). 1 where it is absent, damaged or out of range: a broken tag is
 * no reason to refuse a whole picture.
 *
 * Source: TIFF 6.0, section 2; Exif 2.32, section 4.6.4.
 */
export function readExifOrientation(tiff: Uint8Array): Orientation {
  const order = readTag(tiff, 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const readUint16 = order === 'II' ? readUint16Little : readUint16Big;
  const readUint32 = order === 'II' ? readUint32Little : readUint32Big;
  if (readUint16(tiff, 2) !== 42) return 1;
  const directory = readUint32(tiff, 4);
  if (!hasBytes(tiff, directory, 2)) return 1;
  const announced = readUint16(tiff, directory);
  for (let index = 0; index < announced; index += 1) {
    const entry = directory + 2 + index * ENTRY_BYTES;
    if (!hasBytes(tiff, entry, ENTRY_BYTES)) return 1;
    if (readUint16(tiff, entry) !== ORIENTATION_TAG) continue;
    const type = readUint16(tiff, entry + 2);
    if (type === TYPE_SHORT) return toOrientation(readUint16(tiff, entry + 8));
    if (type === TYPE_LONG) return toOrientation(readUint32(tiff, entry + 8));
    return 1;
  }
  return 1;
}

function toOrientation(value: number): Orientation {
  switch (value) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return value;
    default:
      return 1;
  }
}

/** Whether width and height change places when the picture is made upright. */
export function isTurned(orientation: Orientation): boolean {
  return orientation >= 5;
}
