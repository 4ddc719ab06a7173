import { describe, expect, it } from 'vitest';
import type { RequestImage } from '../content/request.ts';
import { fakeDigest } from '../testing/make-transcript.ts';
import { describeTransform } from './describe-transform.ts';

function sent(overrides: Partial<RequestImage>): RequestImage {
  const digest = fakeDigest('a');
  return {
    ...{ type: 'image', digest, originalDigest: digest, name: 'a.png', mediaType: 'image/png', sizeBytes: 10 },
    ...{ widthPx: 3840, heightPx: 2160, originalWidthPx: 3840, originalHeightPx: 2160, changes: ['none'] },
    ...overrides,
  };
}

describe('describeTransform', () => {
  it('tells both sizes and the factor of a picture that was scaled', () => {
    const image = sent({ widthPx: 1568, heightPx: 882, changes: ['resized', 'reencoded'] });
    expect(describeTransform(image, 'en')).toBe('Original 3840×2160, sent as 1568×882 (factor 0.4083).');
    expect(describeTransform(image, 'zh-CN')).toBe('原图 3840×2160,发送尺寸 1568×882(缩放系数 0.4083)。');
  });

  it('tells the region, and whether it is shown at full resolution', () => {
    const region = { x: 100, y: 200, width: 800, height: 600 };
    const image = sent({ region, widthPx: 800, heightPx: 600, changes: ['region', 'reencoded'] });
    expect(describeTransform(image, 'en')).toBe(
      'Region 800×600 at (100, 200) of the original 3840×2160, sent as 800×600 (not scaled).',
    );
    expect(describeTransform(image, 'zh-CN')).toBe(
      '原图 3840×2160 中 (100, 200) 处的 800×600 区域,发送尺寸 800×600(未缩放)。',
    );
    const large = { x: 0, y: 0, width: 3136, height: 2000 };
    const scaled = sent({ region: large, widthPx: 1568, heightPx: 1000, changes: ['region', 'resized'] });
    expect(describeTransform(scaled, 'en')).toContain('sent as 1568×1000 (factor 0.5).');
  });

  it('tells the first frame and the margin', () => {
    const size = { originalWidthPx: 20, originalHeightPx: 10, widthPx: 28, heightPx: 28 };
    const image = sent({ ...size, changes: ['first-frame', 'reencoded', 'padded'] });
    expect(describeTransform(image, 'en')).toBe(
      'Original 20×10, sent as 28×28 (not scaled). Only the first frame of the animation is shown. It was padded with a plain margin.',
    );
    expect(describeTransform(image, 'zh-CN')).toBe(
      '原图 20×10,发送尺寸 28×28(未缩放)。仅显示动画的第一帧。已填充边缘。',
    );
  });

  it('says nothing of a picture that looks as it is', () => {
    for (const changes of [['none'], ['metadata'], ['reencoded', 'metadata']] as const) {
      expect(describeTransform(sent({ changes }), 'en')).toBeUndefined();
    }
    const { originalWidthPx: _, originalHeightPx: __, ...original } = sent({ changes: ['resized'] });
    expect(describeTransform(original, 'en')).toBeUndefined();
  });
});
