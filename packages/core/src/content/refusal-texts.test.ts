import { describe, expect, it } from 'vitest';
import type { Refusal, RefusalCode } from '../base/refusal.ts';
import { refusalText } from './refusal-texts.ts';

const refusalCodes: readonly RefusalCode[] = [
  'NOT_FOUND',
  'AMBIGUOUS_NAME',
  'OUTSIDE_WORKSPACE',
  'FORBIDDEN',
  'NOT_A_REGULAR_FILE',
  'UNREADABLE',
  'TOO_MANY_BYTES',
  'TOO_MANY_PIXELS',
  'TOO_MANY_FRAMES',
  'UNSUPPORTED_FORMAT',
  'NOT_AN_IMAGE',
  'NOT_TEXT',
  'NOT_UTF8',
  'TEXT_TOO_LARGE',
  'CORRUPT',
  'EMPTY',
  'TIMED_OUT',
  'TOO_MANY_ITEMS',
  'BATCH_TOO_LARGE',
  'TYPE_NOT_ALLOWED',
  'URL_FETCH_FAILED',
  'MODEL_CANNOT_SEE',
  'DOES_NOT_FIT',
];

describe('refusalText', () => {
  it('names the true kind and the way out', () => {
    const heic: Refusal = { code: 'UNSUPPORTED_FORMAT', name: 'in.heic', trueType: 'image/heic' };
    expect(refusalText(heic, 'en')).toBe(
      'Error: HEIC is not supported: in.heic. Supported are PNG, JPEG, GIF and WebP. Export it as PNG or JPEG, or: magick in.heic in.png',
    );
    expect(refusalText({ code: 'NOT_AN_IMAGE', name: 'a.png', trueType: 'text/html' }, 'en')).toBe(
      'Error: this is not a picture but HTML: a.png',
    );
  });

  it('names the figure and the limit', () => {
    const large: Refusal = { code: 'TOO_MANY_BYTES', name: 'large.png', actual: 6_501_171, limit: 5_242_880 };
    expect(refusalText(large, 'zh-CN', 'model')).toBe('错误:文件过大(6.2 MB),图片读取上限为 5 MB:large.png');
    expect(refusalText(large, 'zh-CN')).toBe('错误:文件过大(6.2 MB),图片读取上限为 5 MB:large.png。请缩小图片后重试。');
    expect(refusalText(large, 'en')).toContain('(6.2 MB); the limit is 5 MB: large.png');
  });

  it('says that a limit is that of a kind of picture', () => {
    const odd: Refusal = { code: 'TOO_MANY_PIXELS', name: 'a.png', actual: 40_000_000, limit: 4_300_000 };
    expect(refusalText(odd, 'en')).toContain('; the limit is 4,300,000: a.png');
    const costly = { ...odd, detail: 'costly-kind' };
    expect(refusalText(costly, 'en')).toContain(
      '; the limit for pictures that are stored like this one is 4,300,000: a.png',
    );
    expect(refusalText(costly, 'zh-CN', 'model')).toContain(',以这种方式存储的图片上限为 4,300,000:a.png');
  });

  it('keeps the words of the first origin document for a model, and tells people the way out after them', () => {
    const bmp: Refusal = { code: 'UNSUPPORTED_FORMAT', name: 'photo.bmp', trueType: 'image/bmp' };
    expect(refusalText(bmp, 'zh-CN', 'model')).toBe('错误:不支持的图片格式:photo.bmp');
    expect(refusalText(bmp, 'zh-CN')).toBe(
      '错误:不支持的图片格式:photo.bmp。该文件是 BMP,支持的格式为 PNG、JPEG、GIF 和 WebP。请导出为 PNG 或 JPEG,或运行:magick photo.bmp photo.png',
    );
    expect(refusalText({ ...bmp, name: 'a.pdf', trueType: 'application/pdf' }, 'zh-CN')).toContain('请把需要的页面');
  });

  it('says why a name was not found, where it is known', () => {
    const slash: Refusal = { code: 'NOT_FOUND', name: 'a.png/', detail: 'file-not-folder' };
    expect(refusalText(slash, 'en', 'model')).toBe(
      'Error: not found: a.png/. There is a file of this name, and no folder: leave the slash at the end out.',
    );
    expect(refusalText(slash, 'zh-CN', 'model')).toBe(
      '错误:文件不存在:a.png/。该名称是文件而不是文件夹:请去掉末尾的斜杠。',
    );
    expect(refusalText({ ...slash, detail: 'something else' }, 'en')).toBe('Error: not found: a.png/');
  });

  it('says in Chinese as much as in English, kinds included', () => {
    const folder: Refusal = { code: 'NOT_A_REGULAR_FILE', name: 'shots', detail: 'folder' };
    expect(refusalText(folder, 'en')).toBe('Error: not a regular file but a folder: shots');
    expect(refusalText(folder, 'zh-CN')).toBe('错误:不是普通文件,而是文件夹:shots');
    expect(refusalText({ code: 'NOT_AN_IMAGE', name: 'a.png', trueType: 'text/plain' }, 'zh-CN')).toBe(
      '错误:文件内容不是图片(文本):a.png',
    );
    expect(refusalText({ code: 'UNREADABLE', name: 'a.png', detail: 'permission denied' }, 'zh-CN')).toBe(
      '错误:无法读取文件(没有权限):a.png',
    );
  });

  it('names the list that forbids a file, where it is known', () => {
    const forbidden: Refusal = { code: 'FORBIDDEN', name: '.env' };
    expect(refusalText({ ...forbidden, detail: 'built-in' }, 'en')).toMatch(/built-in list/);
    expect(refusalText({ ...forbidden, detail: 'configured' }, 'en')).toMatch(/permissions\.forbidRead/);
    expect(refusalText({ ...forbidden, detail: 'built-in' }, 'zh-CN')).toMatch(/内置/);
    expect(refusalText({ ...forbidden, detail: 'configured' }, 'zh-CN')).toMatch(/permissions\.forbidRead/);
    for (const locale of ['en', 'zh-CN'] as const) {
      expect(refusalText(forbidden, locale)).not.toMatch(/permissions|built-in|内置/);
    }
  });

  it('punctuates Chinese in one style', () => {
    const facts = { name: 'a.png', trueType: 'image/png', actual: 2, limit: 1, detail: 'x', candidates: ['b'] };
    for (const code of refusalCodes) expect(refusalText({ ...facts, code }, 'zh-CN')).not.toMatch(/[\uff01-\uff5e]/);
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

  it('gives a command that is safe to paste and does not write over the original', () => {
    const wayOut = (name: string) => refusalText({ code: 'UNSUPPORTED_FORMAT', name, trueType: 'image/svg+xml' }, 'en');
    expect(wayOut('plan.png')).toContain('magick plan.png plan-converted.png');
    expect(wayOut('$(reboot) `x`.svg')).toContain("magick '$(reboot) `x`.svg' '$(reboot) `x`.png'");
    expect(wayOut("it's.svg")).toContain("magick 'it'\\''s.svg' 'it'\\''s.png'");
    expect(wayOut('-rf.svg')).toContain('magick ./-rf.svg ./-rf.png');
  });

  it('shortens a name that is endless, and keeps its ends', () => {
    const text = refusalText({ code: 'NOT_FOUND', name: `start${'x'.repeat(10_000)}end.png` }, 'en');
    expect(text).toMatch(/^Error: not found: startx+…x+end\.png$/);
    expect(text.length).toBeLessThan(400);
  });

  it('tells candidates apart that look the same', () => {
    const candidates = ['a\u00a0b.png', 'a\u202fb.png', 'e\u0301.png', 'plain b.png'];
    for (const locale of ['en', 'zh-CN'] as const) {
      expect(refusalText({ code: 'AMBIGUOUS_NAME', name: 'a b.png', candidates }, locale)).toContain(
        '"a\u00a0b.png" (U+00A0), "a\u202fb.png" (U+202F), "e\u0301.png" (U+0301), "plain b.png"',
      );
    }
  });

  it('says that a path of Windows was given on another system', () => {
    const refusal: Refusal = { code: 'NOT_FOUND', name: 'C:\\a.png', detail: 'windows-path' };
    expect(refusalText(refusal, 'en', 'model')).toMatch(/not found: C:\\a\.png\. This is a path of Windows/);
    expect(refusalText(refusal, 'zh-CN', 'model')).toMatch(/这是 Windows 路径/);
  });

  it.each([
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'Word (DOCX)', 'Save the page'],
    ['application/vnd.oasis.opendocument.graphics', 'application/vnd.oasis.opendocument.graphics', 'Save the page'],
    ['application/x-cfb', 'an old Office document (DOC, XLS, PPT)', 'Save the page'],
    ['video/mp4', 'MP4 video', 'Save a frame'],
    ['video/x-flv', 'FLV video', 'Save a frame'],
    ['audio/mpeg', 'MP3 audio', 'Supported are'],
  ])('calls %s by the name that people use', (trueType, name, wayOut) => {
    const text = refusalText({ code: 'UNSUPPORTED_FORMAT', name: 'x', trueType }, 'en');
    expect(text).toContain(`Error: ${name} is not supported: x.`);
    expect(text).toContain(wayOut);
    expect(text).toBe(text.trim());
  });

  it('keeps a name on its line', () => {
    expect(refusalText({ code: 'NOT_FOUND', name: 'a.png\nError: all is well' }, 'en')).toBe(
      'Error: not found: a.png Error: all is well',
    );
  });

  it('tells a size that is a little beyond its limit to the byte', () => {
    const text = refusalText({ code: 'TOO_MANY_BYTES', name: 'a.png', actual: 3_145_729, limit: 3_145_728 }, 'en');
    expect(text).toContain('too large (3,145,729 B); the limit is 3 MB: a.png');
  });
});
