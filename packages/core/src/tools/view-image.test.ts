import { cp } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import type { Locale } from '../base/locale.ts';
import { parseJson } from '../base/parse-json.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createReadFileTool } from './read-file.ts';
import type { PictureReferences, ToolLimits, ToolOutcome } from './tool.ts';
import { createViewImageTool } from './view-image.ts';

const cases = new URL('../../../../fixtures/cases/files/', import.meta.url);
const tool = createViewImageTool();
const png = makeTwoColorPng({ left: 'green', right: 'white' });
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

function run(toolArguments: unknown, options: Partial<ToolContextOptions> = {}): Promise<ToolOutcome> {
  return tool.run(toolArguments, createToolContext({ workspace: folder.path, ...options }));
}

function resultOf(outcome: ToolOutcome): unknown {
  const parsed = parseJson(outcome.content);
  return parsed.ok ? parsed.value : outcome.content;
}

describe('view_image', () => {
  it('gives the same structured result as read_file and admits the picture', async () => {
    await folder.write('shot.png', png);
    const context = createToolContext({ workspace: folder.path });
    const outcome = await tool.run({ path: 'shot.png' }, context);
    expect(outcome.isError).toBe(false);
    expect(resultOf(outcome)).toMatchObject({
      content: `Image read: shot.png (image/png, ${png.length} B, 64×32)`,
      total_lines: 0,
      media_type: 'image',
      mime: 'image/png',
      path: 'shot.png',
      width: 64,
      height: 32,
      size_bytes: png.length,
    });
    expect(outcome.attachments.map(({ digest }) => digest)).toEqual(context.blobs.digests());
  });

  it('tells the upright size of a photograph that lies on its side', async () => {
    await cp(new URL('exif-orient-6.jpg', cases), folder.resolve('photo.jpg'));
    const [attachment] = (await run({ path: 'photo.jpg' })).attachments;
    await cp(new URL('exif-orient-1.jpg', cases), folder.resolve('upright.jpg'));
    const [upright] = (await run({ path: 'upright.jpg' })).attachments;
    expect([attachment?.width, attachment?.height]).toEqual([upright?.width, upright?.height]);
  });

  it('refuses SVG and text by their true kind', async () => {
    await folder.write('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const svg = await run({ path: 'logo.svg' });
    expect(svg).toMatchObject({ isError: true, attachments: [] });
    expect(resultOf(svg)).toEqual({
      content: expect.stringMatching(/SVG is not supported: logo\.svg/),
      total_lines: 0,
    });
    await folder.write('notes.md', 'words');
    expect(resultOf(await run({ path: 'notes.md' }))).toEqual({
      content: 'Error: this is not a picture but text: notes.md',
      total_lines: 0,
    });
  });

  it('has a limit of its own, inclusive', async () => {
    await folder.write('shot.png', png);
    const limits = { viewImageBytes: png.length - 1, readFileImageBytes: 1 };
    expect((await run({ path: 'shot.png' }, { limits })).isError).toBe(true);
    expect((await run({ path: 'shot.png' }, { limits: { ...limits, viewImageBytes: png.length } })).isError).toBe(
      false,
    );
  });

  it('says not found of what may not be read', async () => {
    expect(resultOf(await run({ path: '../other.png' }, { locale: 'zh-CN' }))).toEqual({
      content: '错误:文件不存在:../other.png',
      total_lines: 0,
    });
  });

  it('refuses arguments that it does not know, so that nothing is dropped in silence', async () => {
    const outcome = await run({ path: 'shot.png', zoom: 2 });
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(/INVALID_ARGUMENTS.*unknown argument zoom.*Expected: path \(string\)/);
  });
});

describe('view_image with a region', () => {
  const wide = makeTwoColorPng({ left: 'red', right: 'blue' }, { widthPx: 400, heightPx: 200 });

  it('tells the region in pixels of the original, whichever way it is given, and admits the original', async () => {
    await folder.write('wide.png', wide);
    const region = { x: 100, y: 50, width: 200, height: 100 };
    for (const given of [region, { x: 0.25, y: 0.25, width: 0.5, height: 0.5 }]) {
      const context = createToolContext({ workspace: folder.path });
      const outcome = await tool.run({ path: 'wide.png', region: given }, context);
      expect(resultOf(outcome)).toMatchObject({
        content: `Image read: wide.png (image/png, ${wide.length} B, 400×200), region 200×100 at (100, 50), cut out at full resolution`,
        total_lines: 0,
        media_type: 'image',
        width: 400,
        height: 200,
        region,
      });
      expect(outcome.attachments).toMatchObject([{ width: 400, height: 200, region }]);
      expect(context.blobs.digests()).toEqual([outcome.attachments[0]?.digest]);
    }
    const chinese = await run({ path: 'wide.png', region }, { locale: 'zh-CN' });
    expect(resultOf(chinese)).toMatchObject({
      content: `图片读取成功:wide.png (image/png, ${wide.length} B, 400×200),区域 200×100,位于 (100, 50),以原始分辨率截取`,
    });
  });

  it('counts on the upright picture', async () => {
    await cp(new URL('exif-orient-6.jpg', cases), folder.resolve('photo.jpg'));
    const [whole] = (await run({ path: 'photo.jpg' })).attachments;
    const half = { x: 0, y: 0, width: 1, height: 0.5 };
    expect((await run({ path: 'photo.jpg', region: half })).attachments).toMatchObject([
      { region: { x: 0, y: 0, width: whole?.width, height: Math.ceil((whole?.height ?? 0) / 2) } },
    ]);
  });

  it('takes the whole picture for no region', async () => {
    await folder.write('wide.png', wide);
    const whole = await run({ path: 'wide.png' });
    for (const region of [{ x: 0, y: 0, width: 1, height: 1 }, { x: 0, y: 0, width: 400, height: 200 }, null]) {
      expect(await run({ path: 'wide.png', region })).toEqual(whole);
    }
  });

  it('tells what lay outside, and refuses what has no pixels with the size of the picture', async () => {
    await folder.write('wide.png', wide);
    const over = await run({ path: 'wide.png', region: { x: 300, y: 0, width: 200, height: 10 } });
    expect(resultOf(over)).toMatchObject({
      region: { x: 300, y: 0, width: 100, height: 10 },
      note: 'A part of the region lay outside the picture and was left out.',
    });
    const context = createToolContext({ workspace: folder.path });
    const outside = await tool.run({ path: 'wide.png', region: { x: 400, y: 0, width: 10, height: 10 } }, context);
    expect(outside).toMatchObject({ isError: true, attachments: [] });
    expect(resultOf(outside)).toEqual({
      content:
        'Error: the region (x 400, y 0, width 10, height 10) lies outside wide.png, which is 400×200. Give x, y, width and height in pixels of that size, or as fractions from 0 to 1.',
      total_lines: 0,
    });
    expect(context.blobs.digests()).toEqual([]);
    const empty = await run({ path: 'wide.png', region: { x: 0, y: 0, width: 0, height: 10 } }, { locale: 'zh-CN' });
    expect(empty.content).toContain('没有面积:wide.png(400×200)');
  });

  it('takes larger files than without one, because only the region is sent', async () => {
    await folder.write('wide.png', wide);
    const limits = { viewImageBytes: wide.length - 1, imagePixels: 1, attachmentBytes: wide.length };
    expect((await run({ path: 'wide.png' }, { limits })).isError).toBe(true);
    const region = { x: 0, y: 0, width: 10, height: 10 };
    expect((await run({ path: 'wide.png', region }, { limits })).isError).toBe(false);
    const tooSmall = { ...limits, attachmentBytes: wide.length - 1 };
    expect((await run({ path: 'wide.png', region }, { limits: tooSmall })).content).toMatch(/too large/);
    const tooFew = { ...limits, attachmentPixels: 400 * 200 - 1 };
    expect((await run({ path: 'wide.png', region }, { limits: tooFew })).content).toMatch(/80,000.*79,999/);
  });

  it('holds a region that is the whole picture to what a whole picture may be', async () => {
    await folder.write('wide.png', wide);
    const whole = [
      { x: 0, y: 0, width: 400, height: 200 },
      { x: 0, y: 0, width: 1, height: 1 },
      { x: -5, y: -5, width: 900, height: 900 },
    ];
    const large = { viewImageBytes: wide.length - 1 };
    const manyPixels = { imagePixels: 400 * 200 - 1 };
    for (const region of whole) {
      const context = createToolContext({ workspace: folder.path, limits: large });
      const refused = await tool.run({ path: 'wide.png', region }, context);
      expect(refused).toMatchObject({ isError: true, attachments: [] });
      expect(refused.content).toMatch(/too large \(\d+ B\).*or look at a part of it with region/);
      expect(context.blobs.digests()).toEqual([]);
      expect((await run({ path: 'wide.png', region }, { limits: manyPixels })).content).toMatch(
        /80,000.*79,999.*region/,
      );
    }
    const all = { limits: { ...large, ...manyPixels } };
    const part = { x: 0, y: 0, width: 399, height: 200 };
    expect((await run({ path: 'wide.png', region: part }, all)).isError).toBe(false);
  });

  it('is named to whoever asked for a whole that is too large, where a part may be shown', async () => {
    await folder.write('wide.png', wide);
    const content = async (limits: Partial<ToolLimits>, locale: Locale = 'en') =>
      String((await run({ path: 'wide.png' }, { limits, locale })).content);
    const large = { viewImageBytes: wide.length - 1 };
    expect(await content(large)).toContain('Make the picture smaller, or look at a part of it with region.');
    expect(await content(large, 'zh-CN')).toContain('。可以用 region 查看其中一部分。');
    expect(await content({ imagePixels: 1 })).toContain('Scale it down, or look at a part of it with region.');
    const noWayOut = [
      { ...large, attachmentBytes: wide.length - 1 },
      { ...large, imagePixels: 1, attachmentPixels: 400 * 200 - 1 },
      { imagePixels: 1, attachmentPixels: 400 * 200 - 1 },
    ];
    for (const limits of noWayOut) expect(await content(limits)).toMatch(/(smaller|down) and try again\./);
    // Before a pixel is decoded: nothing is said of its damage.
    await folder.write('cut.png', wide.subarray(0, wide.length - 8));
    expect((await run({ path: 'cut.png' }, { limits: { viewImageBytes: 100 } })).content).toMatch(/too large.*region/);
    await folder.write('noise.bin', Buffer.alloc(3000, 0xab));
    const noise = await run({ path: 'noise.bin' }, { limits: large });
    expect(noise.content).not.toContain('region');
  });

  it('says what a region is made of', async () => {
    const outcome = await run({ path: 'wide.png', region: { x: 1, y: 2 } });
    expect(outcome.content).toMatch(
      /INVALID_ARGUMENTS.*region.*Expected: .*region \(\{x, y, width, height\}, optional\)/,
    );
    expect(tool.definition('en').parameters['properties']).toMatchObject({
      region: {
        type: 'object',
        required: ['x', 'y', 'width', 'height'],
        description: expect.stringMatching(/fractions/),
      },
    });
  });
});

describe('view_image with a reference', () => {
  async function store(...pictures: readonly { readonly bytes: Uint8Array; readonly name?: string }[]) {
    const blobs = createMemoryBlobs();
    const names = new Map<Digest, string | undefined>();
    for (const { bytes, name } of pictures) names.set(await blobs.add(bytes), name);
    const references: PictureReferences = {
      async resolve(hexPrefix) {
        const [digest] = [...names.keys()].filter((one) => one.startsWith(`sha256:${hexPrefix}`));
        if (digest === undefined || hexPrefix.length < 12) return { kind: 'none' };
        const name = names.get(digest);
        return { kind: 'found', digest, ...(name !== undefined && { name }) };
      },
      read: (digest) => blobs.get(digest),
    };
    return { blobs, references, digests: [...names.keys()] };
  }

  it('shows the stored picture under its name, as the same stored bytes', async () => {
    const { references, digests } = await store({ bytes: png, name: 'docs/shot.png' });
    const hex = digests[0]?.slice(7) ?? '';
    for (const path of [`attachment:${hex.slice(0, 12)}`, `attachment:${hex}`, ` Attachment:${hex.toUpperCase()} `]) {
      const context = createToolContext({ workspace: folder.path, references });
      const outcome = await tool.run({ path }, context);
      expect(resultOf(outcome)).toMatchObject({
        content: `Image read: docs/shot.png (image/png, ${png.length} B, 64×32)`,
        path: 'docs/shot.png',
        reference: `attachment:${hex.slice(0, 12)}`,
      });
      expect(outcome.attachments).toMatchObject([{ digest: digests[0], path: 'docs/shot.png' }]);
      expect(context.blobs.digests()).toEqual([]);
    }
  });

  it('shows a region of it, and takes what an attachment may be', async () => {
    const { references, digests } = await store({ bytes: png });
    const path = `attachment:${digests[0]?.slice(7, 19)}`;
    const limits = { viewImageBytes: 1, imagePixels: 1 };
    const region = { x: 32, y: 0, width: 32, height: 32 };
    const outcome = await run({ path, region }, { references, limits });
    expect(outcome.attachments).toMatchObject([{ digest: digests[0], path, region }]);
    expect((await run({ path }, { references, limits })).isError).toBe(false);
    const smaller = { ...limits, attachmentBytes: png.length - 1 };
    expect((await run({ path }, { references, limits: smaller })).content).toMatch(/too large/);
  });

  it('does not find what the session does not hold, whatever it is called', async () => {
    const { references, digests } = await store({ bytes: png });
    const hex = digests[0]?.slice(7) ?? '';
    for (const path of ['attachment:', 'attachment:0123456789ab', 'attachment:0123zz', 'attachment:../a.png']) {
      expect(resultOf(await run({ path }, { references }))).toEqual({
        content: `Error: not found: ${path}`,
        total_lines: 0,
      });
    }
    expect((await run({ path: `attachment:${hex}` })).isError).toBe(true);
  });

  it('says that a reference is too short', async () => {
    const { references, digests } = await store({ bytes: png });
    for (const digits of [digests[0]?.slice(7, 18), 'A']) {
      const path = `attachment:${digits}`;
      expect(resultOf(await run({ path }, { references }))).toEqual({
        content: `Error: not found: ${path}. This reference is too short: give at least 12 of its hexadecimal digits.`,
        total_lines: 0,
      });
      expect((await run({ path }, { references, locale: 'zh-CN' })).content).toContain('至少给出 12 位十六进制数字');
    }
  });

  it('lists the pictures that a reference could mean', async () => {
    const candidates: readonly Digest[] = [`sha256:${'a'.repeat(64)}`, `sha256:${'a'.repeat(63)}b`];
    const references: PictureReferences = {
      resolve: () => Promise.resolve({ kind: 'ambiguous', candidates }),
      read: () => Promise.reject(new Error('not asked')),
    };
    const outcome = await run({ path: 'attachment:aaaaaaaaaaaa' }, { references });
    for (const digest of candidates) expect(outcome.content).toContain(`attachment:${digest.slice(7)}`);
  });

  it('says that stored bytes are gone or damaged', async () => {
    const { blobs, references, digests } = await store({ bytes: png });
    const [digest] = digests;
    if (digest === undefined) throw new Error('nothing stored');
    const path = `attachment:${digest.slice(7, 19)}`;
    blobs.damage(digest);
    expect((await run({ path }, { references })).content).toMatch(/its stored bytes are damaged/);
    blobs.remove(digest);
    expect((await run({ path }, { references })).content).toMatch(/its stored bytes are gone/);
  });

  it('is named by read_file for a reference', async () => {
    const outcome = await createReadFileTool().run(
      { path: 'attachment:0123456789ab' },
      createToolContext({ workspace: folder.path }),
    );
    expect(outcome).toMatchObject({ isError: true, attachments: [] });
    expect(outcome.content).toContain('view_image shows it');
  });
});
