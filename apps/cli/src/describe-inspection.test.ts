import type { Refusal, VariantChange } from '@fovea/core/base';
import { describe, expect, it } from 'vitest';
import { describeInspection, describeVariant } from './describe-inspection.ts';

const picture = {
  verdict: 'accepted',
  path: 'shot.png',
  mediaType: 'image/png',
  widthPx: 2000,
  heightPx: 1000,
  sizeBytes: 127,
  frames: 1,
  digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
} as const;

const variant = {
  name: 'shot.png',
  digest: `sha256:${'f'.repeat(64)}`,
  mediaType: 'image/png',
  sizeBytes: 99,
  widthPx: 2000,
  heightPx: 1000,
} as const;

function refused(refusal: Refusal, locale: 'en' | 'zh-CN' = 'en'): string {
  return describeInspection({ verdict: 'refused', path: refusal.name, refusal }, locale);
}

describe('describeInspection', () => {
  it('names a picture by the beginning of its digest', () => {
    expect(describeInspection(picture, 'en')).toBe(
      'shot.png: accepted, image/png, 2000×1000, 127 B, 1 frame, sha256:0123456789ab…',
    );
  });

  it('says each thing of a refusal once', () => {
    expect(refused({ code: 'NOT_FOUND', name: 'shot.png' })).toBe('shot.png: refused: not found (NOT_FOUND)');
    expect(refused({ code: 'NOT_FOUND', name: 'shot.png' }, 'zh-CN')).toBe('shot.png:拒绝:文件不存在(NOT_FOUND)');
    expect(refused({ code: 'TOO_MANY_BYTES', name: 'a.png', actual: 4 * 1024 ** 2, limit: 3 * 1024 ** 2 })).toBe(
      'a.png: refused: the file is too large (4 MB); the limit is 3 MB (TOO_MANY_BYTES). Make the picture smaller and try again.',
    );
    expect(refused({ code: 'AMBIGUOUS_NAME', name: 'a.png', candidates: ['b'] })).toMatch(
      /^a\.png: refused: several .* "b" \(AMBIGUOUS_NAME\)$/,
    );
  });
});

describe('describeVariant', () => {
  function changesOf(changes: readonly VariantChange[], changed: object = {}, locale: 'en' | 'zh-CN' = 'en'): string {
    const made = { bytes: new Uint8Array(), reference: { ...variant, ...changed }, changes };
    return describeVariant(picture, made, locale).replace(/^.*…[,,]\s?/, '');
  }

  it('says what was done to a picture before it is sent, as the variant says it', () => {
    expect(changesOf(['none'])).toBe('sent unchanged');
    expect(changesOf(['metadata'])).toBe('metadata removed');
    expect(
      changesOf(['resized', 'reencoded', 'metadata'], { widthPx: 1568, heightPx: 784, mediaType: 'image/jpeg' }),
    ).toBe('scaled from 2000×1000 to 1568×784, saved as JPEG, metadata removed');
    expect(changesOf(['first-frame', 'reencoded'])).toBe('first frame only, encoded anew');
  });

  it('calls padding padding, also where the picture was scaled before', () => {
    expect(changesOf(['reencoded', 'padded'], { heightPx: 1100 })).toBe(
      'padded from 2000×1000 to 2000×1100, encoded anew',
    );
    const scaled = changesOf(['resized', 'reencoded', 'padded'], { widthPx: 1568, heightPx: 1100 });
    expect(scaled).toBe('scaled and padded from 2000×1000 to 1568×1100, encoded anew');
    expect(changesOf(['resized', 'reencoded', 'padded'], { widthPx: 1568, heightPx: 1100 }, 'zh-CN')).toBe(
      '从 2000×1000 缩放并补边到 1568×1100,重新编码',
    );
  });
});
