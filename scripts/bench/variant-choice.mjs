// PNG or JPEG on the wire, chosen by a sample of the content, against the smaller of both encodings of the same picture.
// The figure is the share of 200 generated pictures whose choice is more than a tenth larger.
import { findLimitRow } from '@fovea/core/catalog';
import { makeVariant } from '@fovea/core/media';
import sharp from 'sharp';
import { drawCorpus } from './variant-choice-corpus.mjs';

export const name = 'variant-choice';
export const bound = 0.05;

const tooLarge = 1.1;

export async function judge() {
  const row = findLimitRow('unknown');
  const wrong = [];
  const counts = new Map();
  let pictures = 0;
  let largest = 1;
  for await (const { kind, number, bytes, widthPx, heightPx } of drawCorpus()) {
    pictures += 1;
    // One column is cut off: what fits already would go as it is, and nothing would be chosen.
    const region = { x: 0, y: 0, width: widthPx - 1, height: heightPx };
    const variant = await makeVariant(bytes, row, { region });
    const sizes = await encodeBothWays(bytes, region, variant);
    const smallest = Math.min(...sizes);
    const ratio = variant.sizeBytes / smallest;
    counts.set(variant.mediaType, (counts.get(variant.mediaType) ?? 0) + 1);
    largest = Math.max(largest, ratio);
    if (ratio > tooLarge) {
      wrong.push(`${kind} ${number}: ${variant.mediaType} of ${variant.sizeBytes} bytes; ${sizes.join(', ')} possible`);
    }
  }
  const chosen = [...counts].map(([mediaType, count]) => `${count} ${mediaType}`).join(', ');
  return {
    figure: wrong.length / pictures,
    notes: [
      `${wrong.length} of ${pictures} pictures are wrong (${chosen}; at most ${largest.toFixed(2)} times as large)`,
      'possible: PNG without and with row filters, JPEG',
      ...wrong,
    ],
  };
}

/** The settings of `media/encode-pixels.ts`, the better of both filters for PNG. */
async function encodeBothWays(bytes, { x, y, width, height }, { widthPx, heightPx }) {
  const { data, info } = await sharp(bytes)
    .extract({ left: x, top: y, width, height })
    .resize(widthPx, heightPx, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const resized = () => sharp(data, { raw: info });
  return Promise.all(
    [
      resized().png({ compressionLevel: 6, adaptiveFiltering: false }),
      resized().png({ compressionLevel: 6, adaptiveFiltering: true }),
      resized().jpeg({ quality: 90, chromaSubsampling: '4:4:4', optimiseCoding: false }),
    ].map(async (pipeline) => (await pipeline.toBuffer()).length),
  );
}
