import { cp } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { createToolContext, type ToolContextOptions } from '../testing/create-tool-context.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import type { ToolOutcome } from './tool.ts';
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
