import { describe, expect, it } from 'vitest';
import type { Refusal } from '../base/refusal.ts';
import { refusalText } from './refusal-texts.ts';

describe('refusalText', () => {
  it('names the true kind and the way out', () => {
    const heic: Refusal = { code: 'UNSUPPORTED_FORMAT', name: 'in.heic', trueType: 'image/heic' };
    expect(refusalText(heic, 'en')).toBe(
      'Error: HEIC is not supported: in.heic. Supported are PNG, JPEG, GIF and WebP. Export it as PNG or JPEG, or: magick "in.heic" "in.png"',
    );
    expect(refusalText({ code: 'NOT_AN_IMAGE', name: 'a.png', trueType: 'text/html' }, 'en')).toBe(
      'Error: this is not a picture but HTML: a.png',
    );
  });

  it('names the figure and the limit', () => {
    const large: Refusal = { code: 'TOO_MANY_BYTES', name: 'large.png', actual: 6_501_171, limit: 5_242_880 };
    expect(refusalText(large, 'zh-CN')).toBe('错误:文件过大(6.2 MB),图片读取上限为 5 MB:large.png');
    expect(refusalText(large, 'en')).toContain('(6.2 MB); the limit is 5 MB: large.png');
  });

  it('keeps the words of the first origin document', () => {
    const bmp: Refusal = { code: 'UNSUPPORTED_FORMAT', name: 'photo.bmp', trueType: 'image/bmp' };
    expect(refusalText(bmp, 'zh-CN')).toBe('错误:不支持的图片格式:photo.bmp');
  });

  it('tells a truncated picture from a damaged one', () => {
    const truncated: Refusal = { code: 'CORRUPT', name: 'a.jpg', trueType: 'image/jpeg', truncated: true };
    expect(refusalText(truncated, 'en')).toContain('JPEG picture is incomplete');
    expect(refusalText({ ...truncated, truncated: false }, 'en')).toContain('JPEG picture is damaged');
  });

  it('tells a model of a hidden file what it tells of a missing one', () => {
    const missing = refusalText({ code: 'NOT_FOUND', name: '.env' }, 'en', 'model');
    for (const code of ['FORBIDDEN', 'OUTSIDE_WORKSPACE'] as const) {
      expect(refusalText({ code, name: '.env' }, 'en', 'model')).toBe(missing);
      expect(refusalText({ code, name: '.env' }, 'en', 'user')).not.toBe(missing);
    }
  });
});
