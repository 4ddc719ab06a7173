// The wire variant for an endpoint that nobody described, against sharp alone doing what was decided: the same size, format
// and settings, without finding out what the picture is and what it should become.
import { findLimitRow } from '@fovea/core/catalog';
import { makeVariant } from '@fovea/core/media';
import sharp from 'sharp';
import { iconPng, photoJpeg, photoWebp, screenshotPng } from './inputs.mjs';

export const name = 'variant';
export const bound = 1.15;
export const unit = 'ms';
// Single runs differ by a tenth on a machine with other work; the median of many does not.
export const rounds = 31;

/** The settings of `media/encode-pixels.ts`. Colour detail is halved where the source has lost it already. */
function encode(pipeline, { mediaType, isLossy }) {
  if (mediaType === 'image/png') return pipeline.png({ compressionLevel: 6, adaptiveFiltering: false });
  const chroma = isLossy ? { chromaSubsampling: '4:2:0' } : { chromaSubsampling: '4:4:4', optimiseCoding: false };
  return pipeline.jpeg({ quality: 90, ...chroma });
}

export async function prepare() {
  const row = findLimitRow('unknown');
  const inputs = [
    { ...(await photoJpeg()), isLossy: true },
    { ...(await screenshotPng()), isLossy: false },
    { ...(await photoWebp()), isLossy: true },
    { ...(await iconPng()), isLossy: false },
  ];
  const pictures = [];
  for (const { bytes, isLossy } of inputs) {
    const { widthPx, heightPx, mediaType } = await makeVariant(bytes, row);
    pictures.push({ bytes, isLossy, widthPx, heightPx, mediaType });
  }
  return { row, pictures };
}

export async function ours({ row, pictures }) {
  for (const { bytes } of pictures) await makeVariant(bytes, row);
}

export async function reference({ pictures }) {
  for (const picture of pictures) {
    const pipeline = sharp(picture.bytes, { failOn: 'warning', sequentialRead: true });
    await encode(pipeline.resize(picture.widthPx, picture.heightPx, { fit: 'fill' }), picture).toBuffer();
  }
}
