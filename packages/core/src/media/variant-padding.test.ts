import { describe, expect, it } from 'vitest';
import type { LimitRow } from '../catalog/limit-row.ts';
import { unknownLimitRow } from '../catalog/limits.ts';
import { decodePicture } from '../testing/strict-server/pictures/decode-picture.ts';
import { loadSharp } from './load-sharp.ts';
import { makeVariant, type Variant } from './variant.ts';

const row: LimitRow = { ...unknownLimitRow, minSide: 14 };
/** Strong colours against the white ground. */
const BLUE = [20, 40, 230] as const;

async function sliver(format: 'jpeg' | 'png' | 'webp', widthPx: number, heightPx: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const [r, g, b] = BLUE;
  return sharp({ create: { width: widthPx, height: heightPx, channels: 3, background: { r, g, b } } })
    .toFormat(format, { quality: 100 })
    .toBuffer();
}

/** The largest distance of a pixel from what belongs there: the sliver in the middle, white around it. */
async function worstPixel(variant: Variant, sliverHeightPx: number): Promise<number> {
  const decoded = await decodePicture(variant.bytes);
  if (!decoded.ok) throw new Error(decoded.error);
  const { widthPx, heightPx, pixels } = decoded.value;
  const top = Math.floor((heightPx - sliverHeightPx) / 2);
  let worst = 0;
  for (let y = 0; y < heightPx; y += 1) {
    const isInside = y >= top && y < top + sliverHeightPx;
    const expected = isInside ? BLUE : [255, 255, 255];
    for (let x = 0; x < widthPx; x += 1) {
      for (const [channel, value] of expected.entries()) {
        worst = Math.max(worst, Math.abs((pixels[(y * widthPx + x) * 4 + channel] ?? 0) - value));
      }
    }
  }
  return worst;
}

describe('a sliver that is padded', () => {
  it.each(['jpeg', 'png', 'webp'] as const)(
    'keeps its colours up to the edge where the endpoint takes PNG: %s',
    async (format) => {
      const variant = await makeVariant(await sliver(format, 600, 3), row);
      expect(variant).toMatchObject({ mediaType: 'image/png', widthPx: 600, heightPx: 14 });
      expect(variant.changes).toContain('padded');
      expect(await worstPixel(variant, 3)).toBeLessThanOrEqual(4);
    },
  );

  it.each(['jpeg', 'webp'] as const)('does not bleed where the endpoint takes JPEG alone: %s', async (format) => {
    const variant = await makeVariant(await sliver(format, 600, 3), { ...row, formats: ['jpeg'] });
    expect(variant).toMatchObject({ mediaType: 'image/jpeg', widthPx: 600, heightPx: 14 });
    expect(await worstPixel(variant, 3)).toBeLessThanOrEqual(40);
  });

  it('is a photograph in JPEG as before when it needs no padding', async () => {
    expect(await makeVariant(await sliver('jpeg', 2000, 300), row)).toMatchObject({ mediaType: 'image/jpeg' });
  });
});
