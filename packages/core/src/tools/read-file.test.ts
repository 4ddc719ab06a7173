import { cp, mkdir, symlink, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import { MIB } from '../base/units.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createReadFileTool } from './read-file.ts';
import type { ToolOutcome } from './tool.ts';

const cases = new URL('../../../../fixtures/cases/files/', import.meta.url);
const tool = createReadFileTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

function run(toolArguments: unknown, options: Partial<ToolContextOptions> = {}): Promise<ToolOutcome> {
  return tool.run(toolArguments, createToolContext({ workspace: folder.path, ...options }));
}

function resultOf(outcome: ToolOutcome): Readonly<Record<string, unknown>> {
  const parsed = parseJson(outcome.content);
  if (!parsed.ok || !isRecord(parsed.value)) throw new Error(`no JSON object: ${outcome.content}`);
  return parsed.value;
}

async function copyCase(name: string, as = name): Promise<void> {
  await cp(new URL(name, cases), folder.resolve(as));
}

function expectRefused(outcome: ToolOutcome, words: string | RegExp): void {
  expect(outcome).toMatchObject({ isError: true, attachments: [] });
  const result = resultOf(outcome);
  expect(Object.keys(result)).toEqual(['content', 'total_lines']);
  expect(result['total_lines']).toBe(0);
  expect(result['content']).toMatch(words);
}

describe('read_file on text', () => {
  it('gives lines and the number of all lines', async () => {
    await folder.write('notes.md', '\ufeffone\r\ntwo\nthree\n');
    expect(resultOf(await run({ path: 'notes.md' }))).toEqual({ content: 'one\ntwo\nthree', total_lines: 3 });
    const part = await run({ path: 'notes.md', offset: 2, limit: 1 });
    expect(part).toEqual({ isError: false, content: '{"content":"two","total_lines":3}', attachments: [] });
  });

  it('gives 2,000 lines unless asked for more', async () => {
    await folder.write('long.txt', 'x\n'.repeat(2500));
    const content = resultOf(await run({ path: 'long.txt' }))['content'];
    expect(String(content).split('\n')).toHaveLength(2000);
    const more = resultOf(await run({ path: 'long.txt', limit: 2400 }))['content'];
    expect(String(more).split('\n')).toHaveLength(2400);
  });

  it('marks a line that was cut', async () => {
    await folder.write('wide.txt', 'x'.repeat(2001));
    expect(resultOf(await run({ path: 'wide.txt' }))['content']).toBe(
      `${'x'.repeat(2000)} [line cut after 2000 characters]`,
    );
    const chinese = await run({ path: 'wide.txt' }, { locale: 'zh-CN' });
    expect(resultOf(chinese)['content']).toMatch(/\[该行超过 2000 个字符,已截断\]$/);
  });

  it('reads an empty file as no lines', async () => {
    await folder.write('empty.txt', '');
    expect(resultOf(await run({ path: 'empty.txt' }))).toEqual({ content: '', total_lines: 0 });
  });

  it('reads SVG and HTML as the text that they are', async () => {
    await folder.write('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
    expect(resultOf(await run({ path: 'logo.svg' }))['content']).toContain('<svg');
    await folder.write('page.html', '<!doctype html><p>x</p>');
    expect(resultOf(await run({ path: 'page.html' }))['content']).toContain('<!doctype html>');
  });

  it('refuses other encodings by name and bytes that are no text', async () => {
    await folder.write('wide.txt', Buffer.from('\ufeffhello', 'utf16le'));
    expectRefused(await run({ path: 'wide.txt' }), /UTF-16LE/);
    await folder.write('latin.txt', Buffer.from('caf\xe9', 'latin1'));
    expectRefused(await run({ path: 'latin.txt' }), /not a text file.*latin\.txt/);
    await folder.write('late.txt', Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.from([0xff])]));
    expectRefused(await run({ path: 'late.txt' }), /not a text file/);
  });

  it('refuses a binary by its true type', async () => {
    await folder.write('archive.txt', Buffer.from('504b03041400000000000000000000000000', 'hex'));
    expectRefused(await run({ path: 'archive.txt' }), /not a text file but application\/zip: archive\.txt/);
  });

  it('refuses a large text without reading it', async () => {
    await folder.write('huge.log', 'x');
    await truncate(folder.resolve('huge.log'), 5 * 1024 * MIB);
    expectRefused(await run({ path: 'huge.log' }), /too large \(5 GB\); files are read up to 10 MB: huge\.log/);
  });
});

describe('read_file on pictures', () => {
  const png = makeTwoColorPng({ left: 'red', right: 'blue' }, { widthPx: 40, heightPx: 30 });

  it('gives a structured result and the admitted picture, no bytes', async () => {
    await folder.write('docs/shot.png', png);
    const context = createToolContext({ workspace: folder.path });
    const outcome = await tool.run({ path: 'docs/shot.png' }, context);
    const digest = context.blobs.digests()[0] as Digest;
    expect(outcome.isError).toBe(false);
    expect(resultOf(outcome)).toEqual({
      content: `Image read: docs/shot.png (image/png, ${png.length} B, 40×30)`,
      total_lines: 0,
      media_type: 'image',
      mime: 'image/png',
      path: 'docs/shot.png',
      width: 40,
      height: 30,
      size_bytes: png.length,
      reference: `attachment:${digest.slice(7, 19)}`,
    });
    expect(outcome.attachments).toEqual([
      { mime: 'image/png', path: 'docs/shot.png', digest, width: 40, height: 30, size_bytes: png.length },
    ]);
    expect(Buffer.from(await context.blobs.get(digest)).equals(png)).toBe(true);
    expect(outcome.content).not.toMatch(/base64|data:/);
  });

  it('writes the Chinese line of the origin contract', async () => {
    await folder.write('shot.png', png);
    const outcome = await run({ path: './shot.png' }, { locale: 'zh-CN' });
    expect(resultOf(outcome)['content']).toBe(`图片读取成功:shot.png (image/png, ${png.length} B, 40×30)`);
  });

  it('ignores offset and limit', async () => {
    await folder.write('shot.png', png);
    expect(await run({ path: 'shot.png', offset: 3, limit: 1 })).toEqual(await run({ path: 'shot.png' }));
  });

  it('decides by content: a picture under any name is a picture', async () => {
    await folder.write('shot.txt', png);
    await folder.write('shot', png);
    await folder.write('shot.jpg', png);
    for (const path of ['shot.txt', 'shot', 'shot.jpg']) {
      expect(resultOf(await run({ path }))).toMatchObject({ media_type: 'image', mime: 'image/png', path });
    }
  });

  it('takes all four formats', async () => {
    const names = {
      'exif-orient-6.jpg': 'image/jpeg',
      'gif-animated-3.gif': 'image/gif',
      'ext-webp-named.png': 'image/webp',
    };
    for (const [name, mime] of Object.entries(names)) {
      await copyCase(name);
      expect(resultOf(await run({ path: name }))).toMatchObject({ mime });
    }
    expect(resultOf(await run({ path: 'gif-animated-3.gif' }))['note']).toBe('Animation: this is frame 1 of 3.');
  });

  it('refuses a name that claims a picture with other content, by its true kind', async () => {
    await folder.write('page.png', '<!doctype html><title>404</title>');
    expectRefused(await run({ path: 'page.png' }), /not a picture but HTML: page\.png/);
    await folder.write('plain.jpeg', 'just words');
    expectRefused(await run({ path: 'plain.jpeg' }), /not a picture but text: plain\.jpeg/);
  });

  it('refuses formats that are not taken with their true name', async () => {
    await copyCase('heic.heic', 'photo.dat');
    expectRefused(await run({ path: 'photo.dat' }), /HEIC is not supported: photo\.dat/);
    await copyCase('ext-bmp-named.png', 'photo.bmp');
    expectRefused(await run({ path: 'photo.bmp' }, { locale: 'zh-CN' }), /^错误:不支持的图片格式:photo\.bmp$/);
  });

  it('refuses a picture over the limit with figure, limit and name', async () => {
    await folder.write('large.png', png);
    expectRefused(
      await run({ path: 'large.png' }, { limits: { readFileImageBytes: 50 }, locale: 'zh-CN' }),
      new RegExp(`^错误:文件过大\\(${png.length} B\\),图片读取上限为 50 B:large\\.png`),
    );
    const outcome = await run({ path: 'large.png' }, { limits: { imagePixels: 1199 } });
    expectRefused(outcome, /1,200.*1,199.*large\.png/);
    expect((await run({ path: 'large.png' }, { limits: { imagePixels: 1200 } })).isError).toBe(false);
  });

  it('stores nothing of what it refuses', async () => {
    await folder.write('cut.png', png.subarray(0, png.length - 20));
    const context = createToolContext({ workspace: folder.path });
    expectRefused(await tool.run({ path: 'cut.png' }, context), /incomplete|damaged/);
    expect(context.blobs.digests()).toEqual([]);
  });
});

describe('read_file and places', () => {
  it('starts relative paths at the workspace and follows aliases of external folders', async () => {
    await folder.write('work/a.txt', 'inside');
    await folder.write('photos/b.txt', 'outside');
    const options = { workspace: folder.resolve('work'), externalFolders: { photos: folder.resolve('photos') } };
    expect(resultOf(await run({ path: 'a.txt' }, options))['content']).toBe('inside');
    expect(resultOf(await run({ path: 'photos/b.txt' }, options))['content']).toBe('outside');
  });

  it('says of what may not be read that it was not found, links included', async () => {
    await folder.write('secret/key.txt', 'k');
    await folder.write('work/ok.txt', 'fine');
    await symlink(folder.resolve('secret/key.txt'), folder.resolve('work/link.txt'));
    await folder.write('work/.env', 'TOKEN=1');
    const options = { workspace: folder.resolve('work'), forbidden: ['.env'] };
    for (const path of ['../secret/key.txt', folder.resolve('secret/key.txt'), 'link.txt', '.env', 'missing.txt']) {
      expectRefused(await run({ path }, options), `Error: not found: ${path}`);
    }
  });

  it('refuses a folder', async () => {
    await mkdir(folder.resolve('src'));
    expectRefused(await run({ path: 'src' }), /not a regular file but a folder/);
  });
});

describe('read_file as a tool', () => {
  it('has the description of the origin document in Chinese, and its like in English', () => {
    expect(tool.definition('zh-CN').description).toBe(
      '读取文件内容。支持文本文件(可按行 offset/limit)和图片文件(png/jpg/gif/webp)。\n参数:path(必填)、offset(可选,文本专用)、limit(可选,文本专用)。',
    );
    expect(tool.definition('en').description).toMatch(/text files.*offset\/limit.*image files \(png\/jpg\/gif\/webp\)/);
  });

  it('shows its schema with the meaning of each parameter', () => {
    expect(tool.definition('en').parameters).toEqual({
      type: 'object',
      required: ['path'],
      additionalProperties: false,
      properties: {
        path: { type: 'string', minLength: 1, description: expect.stringMatching(/workspace/) },
        offset: { type: 'integer', minimum: 1, description: expect.stringMatching(/from 1/) },
        limit: { type: 'integer', minimum: 1, description: expect.stringMatching(/2000/) },
      },
    });
    expect(tool.definition('en')).toEqual(tool.definition('en'));
  });

  it('says what is wrong with its arguments and what it expects', async () => {
    expectRefused(
      await run({}),
      /INVALID_ARGUMENTS.*path.*Expected: path \(string\), offset \(integer >= 1, optional\)/,
    );
    expectRefused(await run({ path: 'a', offset: 0 }), /offset must be >= 1/);
    expectRefused(await run({ path: 'a', encoding: 'utf8' }), /unknown argument encoding/);
    expectRefused(await run('a.txt', { locale: 'zh-CN' }), /^错误:read_file 的参数无效\(INVALID_ARGUMENTS\)/);
  });

  it('takes null for an optional argument', async () => {
    await folder.write('a.txt', 'a');
    expect(resultOf(await run({ path: 'a.txt', offset: null, limit: null }))['content']).toBe('a');
  });

  it('names its target in the activity line', () => {
    expect(tool.activity?.({ path: 'a.txt' })).toEqual({ kind: 'READ', target: 'a.txt' });
    expect(tool.activity?.({})).toBeUndefined();
  });
});
