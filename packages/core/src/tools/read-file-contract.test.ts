import { truncate } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Locale } from '../base/locale.ts';
import { digestOf } from '../media/digest.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { makeSolidPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { toRawResult } from './raw-result.ts';
import { createReadFileTool } from './read-file.ts';

// The literal results of `read_file`, byte for byte. The Chinese ones are those of the first origin
// document, section 5.1, wherever it gives any; fields that it does not know stand behind its own.

const tool = createReadFileTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

async function read(
  toolArguments: unknown,
  locale: Locale,
  options: Partial<ToolContextOptions> = {},
): Promise<string> {
  const context = createToolContext({ workspace: folder.path, locale, ...options });
  return (await tool.run(toolArguments, context)).content;
}

async function expectBoth(toolArguments: unknown, golden: Readonly<Record<Locale, string>>): Promise<void> {
  for (const locale of ['en', 'zh-CN'] as const) expect(await read(toolArguments, locale)).toBe(golden[locale]);
}

/** A picture of exactly so many bytes: a chunk that every reader skips fills it up. */
function makePngOfSize(sizeBytes: number, size: { widthPx: number; heightPx: number }): Uint8Array {
  const png = Buffer.from(makeSolidPng('blue', size));
  const end = png.length - 12;
  const data = Buffer.alloc(sizeBytes - png.length - 12);
  const body = Buffer.concat([Buffer.from('fiLl'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([png.subarray(0, end), frame.subarray(0, 4), body, frame.subarray(4), png.subarray(end)]);
}

describe('the contract of read_file on text', () => {
  it('gives lines and their number', async () => {
    await folder.write('doc.txt', 'line1\nline2');
    const golden = '{"content":"line1\\nline2","total_lines":2}';
    await expectBoth({ path: 'doc.txt' }, { en: golden, 'zh-CN': golden });
    const part = '{"content":"line2","total_lines":2}';
    await expectBoth({ path: 'doc.txt', offset: 2, limit: 5 }, { en: part, 'zh-CN': part });
    const behind = '{"content":"","total_lines":2}';
    await expectBoth({ path: 'doc.txt', offset: 3 }, { en: behind, 'zh-CN': behind });
  });

  it('marks a cut line', async () => {
    await folder.write('wide.txt', `${'a'.repeat(2001)}\nb`);
    const start = 'a'.repeat(2000);
    await expectBoth(
      { path: 'wide.txt' },
      {
        en: `{"content":"${start} [line cut after 2000 characters]\\nb","total_lines":2}`,
        'zh-CN': `{"content":"${start} [该行超过 2000 个字符,已截断]\\nb","total_lines":2}`,
      },
    );
  });
});

describe('the contract of read_file on pictures', () => {
  const size = { widthPx: 1920, heightPx: 1080 };
  const picture = makePngOfSize(250_880, size);
  const reference = `attachment:${digestOf(picture).slice(7, 19)}`;

  it('gives the fields of the origin document and its line', async () => {
    await folder.write('docs/screenshot.png', picture);
    const fields = `"total_lines":0,"media_type":"image","mime":"image/png","path":"docs/screenshot.png","width":1920,"height":1080,"size_bytes":250880,"reference":"${reference}"`;
    await expectBoth(
      { path: 'docs/screenshot.png', offset: 7, limit: 1 },
      {
        en: `{"content":"Image read: docs/screenshot.png (image/png, 245 KB, 1920×1080)",${fields}}`,
        'zh-CN': `{"content":"图片读取成功:docs/screenshot.png (image/png, 245 KB, 1920×1080)",${fields}}`,
      },
    );
  });

  it('has the data URI in the raw result alone, at its place in the origin document', async () => {
    await folder.write('docs/screenshot.png', picture);
    const context = createToolContext({ workspace: folder.path, locale: 'zh-CN' });
    const outcome = await tool.run({ path: 'docs/screenshot.png' }, context);
    expect(outcome.content).not.toContain('data_uri');
    expect(await toRawResult(outcome, (digest) => context.blobs.get(digest))).toBe(
      `{"content":"图片读取成功:docs/screenshot.png (image/png, 245 KB, 1920×1080)","total_lines":0,"media_type":"image","mime":"image/png","path":"docs/screenshot.png","width":1920,"height":1080,"size_bytes":250880,"data_uri":"data:image/png;base64,${Buffer.from(picture).toString('base64')}","reference":"${reference}"}`,
    );
  });

  it('tells the first frame of an animation beside the line', async () => {
    const cases = new URL('../../../../fixtures/cases/files/', import.meta.url).pathname;
    const options = { workspace: cases };
    expect(await read({ path: 'gif-animated-3.gif' }, 'en', options)).toMatch(
      /,"note":"Animation: this is frame 1 of 3\."\}$/,
    );
    expect(await read({ path: 'gif-animated-3.gif' }, 'zh-CN', options)).toMatch(
      /,"note":"动画:这是第 1 帧,共 3 帧。"\}$/,
    );
  });

  it('keeps its line one line, whatever the file is called', async () => {
    await folder.write('a\nb.png', makeSolidPng('red'));
    const result = await read({ path: 'a\nb.png' }, 'en');
    expect(result).toMatch(/^\{"content":"Image read: a b\.png \(image\/png, \d+ B, 64×32\)",.*"path":"a\\nb\.png"/);
  });
});

describe('the contract of read_file on errors', () => {
  it('refuses a picture that is too large', async () => {
    await folder.write('large.png', '');
    await truncate(folder.resolve('large.png'), 6_501_171);
    await expectBoth(
      { path: 'large.png' },
      {
        en: '{"content":"Error: the file is too large (6.2 MB); the limit is 5 MB: large.png. Make the picture smaller and try again.","total_lines":0}',
        'zh-CN': '{"content":"错误:文件过大(6.2 MB),图片读取上限为 5 MB:large.png","total_lines":0}',
      },
    );
  });

  it('refuses a format that is not taken', async () => {
    await folder.write('photo.bmp', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]));
    await expectBoth(
      { path: 'photo.bmp' },
      {
        en: '{"content":"Error: BMP is not supported: photo.bmp. Supported are PNG, JPEG, GIF and WebP. Export it as PNG or JPEG, or: magick photo.bmp photo.png","total_lines":0}',
        'zh-CN': '{"content":"错误:不支持的图片格式:photo.bmp","total_lines":0}',
      },
    );
  });

  it('refuses a picture’s name with other content', async () => {
    await folder.write('page.png', '<!doctype html><title>404</title>');
    await expectBoth(
      { path: 'page.png' },
      {
        en: '{"content":"Error: this is not a picture but HTML: page.png","total_lines":0}',
        'zh-CN': '{"content":"错误:文件内容不是图片(HTML):page.png","total_lines":0}',
      },
    );
  });

  it('refuses a picture whose end is missing', async () => {
    await folder.write('cut.png', makeSolidPng('red').subarray(0, 60));
    await expectBoth(
      { path: 'cut.png' },
      {
        en: '{"content":"Error: the PNG picture is incomplete, its end is missing: cut.png. Save or download it again.","total_lines":0}',
        'zh-CN': '{"content":"错误:PNG 图片不完整,末尾缺失:cut.png。请重新保存或下载。","total_lines":0}',
      },
    );
  });

  it('says what is not there, and of what may not be read the same', async () => {
    await folder.write('.env', 'KEY=1');
    for (const path of ['gone.txt', '.env', '../gone.txt']) {
      for (const [locale, golden] of [
        ['en', `{"content":"Error: not found: ${path}","total_lines":0}`],
        ['zh-CN', `{"content":"错误:文件不存在:${path}","total_lines":0}`],
      ] as const) {
        expect(await read({ path }, locale, { forbidden: ['.env'] })).toBe(golden);
      }
    }
  });

  it('refuses what is no file', async () => {
    await folder.write('src/a.txt', '');
    await expectBoth(
      { path: 'src' },
      {
        en: '{"content":"Error: not a regular file but a folder: src","total_lines":0}',
        'zh-CN': '{"content":"错误:不是普通文件,而是文件夹:src","total_lines":0}',
      },
    );
  });

  it('refuses another encoding by its name', async () => {
    await folder.write('wide.txt', Buffer.from('\ufeffhello', 'utf16le'));
    await expectBoth(
      { path: 'wide.txt' },
      {
        en: '{"content":"Error: the file is encoded as UTF-16LE; only UTF-8 text can be read: wide.txt. Convert it to UTF-8 first.","total_lines":0}',
        'zh-CN':
          '{"content":"错误:文件编码为 UTF-16LE,只能读取 UTF-8 文本:wide.txt。请先转换为 UTF-8。","total_lines":0}',
      },
    );
  });

  it('refuses a binary by its true type', async () => {
    await folder.write('a.txt', Buffer.from('504b03041400000000000000000000000000', 'hex'));
    await expectBoth(
      { path: 'a.txt' },
      {
        en: '{"content":"Error: this is not a text file but application/zip: a.txt","total_lines":0}',
        'zh-CN': '{"content":"错误:不是文本文件(application/zip):a.txt","total_lines":0}',
      },
    );
  });

  it('refuses a text that is too large', async () => {
    await folder.write('huge.log', '');
    await truncate(folder.resolve('huge.log'), 12 * 1024 * 1024);
    await expectBoth(
      { path: 'huge.log' },
      {
        en: '{"content":"Error: the file is too large (12 MB); files are read up to 10 MB: huge.log","total_lines":0}',
        'zh-CN': '{"content":"错误:文件过大(12 MB),读取上限为 10 MB:huge.log","total_lines":0}',
      },
    );
  });

  it('says what is wrong with arguments', async () => {
    await expectBoth(
      { path: 'a.txt', line: 3 },
      {
        en: '{"content":"Error: the arguments of read_file are not valid (INVALID_ARGUMENTS): unknown argument line. Expected: path (string), offset (integer >= 1, optional), limit (integer >= 1, optional). Correct the arguments and call the tool again.","total_lines":0}',
        'zh-CN':
          '{"content":"错误:read_file 的参数无效(INVALID_ARGUMENTS):unknown argument line。应为:path (string), offset (integer >= 1, optional), limit (integer >= 1, optional)。请更正参数后重新调用。","total_lines":0}',
      },
    );
  });

  it('gives a result without a picture as its raw result', async () => {
    const context = createToolContext({ workspace: folder.path });
    const outcome = await tool.run({ path: 'gone.png' }, context);
    expect(await toRawResult(outcome, (digest) => context.blobs.get(digest))).toBe(
      '{"content":"Error: not found: gone.png","total_lines":0}',
    );
  });
});
