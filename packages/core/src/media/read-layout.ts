import { AppError } from '../base/app-error.ts';
import { findImageFormat } from './formats.ts';
import type { ImageLayout } from './image-layout.ts';

/**
 * The layout of a picture that was admitted before. Throws `CORRUPT` when it is none after all,
 * which then is a fault of whoever stored or handed over the bytes.
 */
export function readLayout(bytes: Uint8Array): ImageLayout {
  const row = findImageFormat(bytes);
  if (row === undefined) throw new AppError('CORRUPT', 'no picture of a known format');
  const layout = row.readLayout(bytes);
  if (!layout.ok) throw new AppError('CORRUPT', layout.error.detail, { data: { truncated: layout.error.truncated } });
  return layout.value;
}
