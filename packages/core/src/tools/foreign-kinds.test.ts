import { cp, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import { MIB } from '../base/units.ts';
import { createToolContext } from '../testing/create-tool-context.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createReadFileTool } from './read-file.ts';
import type { Tool } from './tool.ts';
import { createViewImageTool } from './view-image.ts';

const cases = new URL('../../../../fixtures/cases/files/', import.meta.url);
const readFile = createReadFileTool();
const viewImage = createViewImageTool();
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

async function wordsOf(tool: Tool, path: string): Promise<unknown> {
  const outcome = await tool.run({ path }, createToolContext({ workspace: folder.path }));
  expect(outcome).toMatchObject({ isError: true, attachments: [] });
  const parsed = parseJson(outcome.content);
  return parsed.ok ? parsed.value : outcome.content;
}

/** One stored entry of a ZIP archive, as far as a reader of names looks. */
function makeZipEntry(name: string, content: string): Buffer {
  const header = Buffer.alloc(30);
  header.write('PK\u0003\u0004', 'latin1');
  header.writeUInt16LE(20, 4);
  header.writeUInt32LE(Buffer.byteLength(content), 18);
  header.writeUInt32LE(Buffer.byteLength(content), 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name), Buffer.from(content)]);
}

const wordTypes =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const mp4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom\0\0\u0002\0isomiso2'), Buffer.alloc(64)]);
const oldOffice = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
const mp3 = Buffer.concat([
  Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1'),
  Buffer.from([0xff, 0xfb, 0x90, 0]),
  Buffer.alloc(800),
]);

const kinds: readonly (readonly [name: string, content: Buffer | string, kind: string, wayOut: string])[] = [
  ['page.pdf', '%PDF-1.7\n1 0 obj\n', 'PDF', 'Save the page you need as PNG.'],
  ['letter.docx', makeZipEntry('[Content_Types].xml', wordTypes), 'Word (DOCX)', 'Save the page you need as PNG.'],
  ['letter.doc', oldOffice, 'an old Office document (DOC, XLS, PPT)', 'Save the page you need as PNG.'],
  ['film.mp4', mp4, 'MP4 video', 'Save a frame of it as PNG.'],
  ['song.mp3', mp3, 'MP3 audio', ''],
];

describe('what is no picture that is taken', () => {
  for (const [name, content, kind, wayOut] of kinds) {
    it(`is refused as ${kind} by view_image and read_file, under any name`, async () => {
      // A name that claims a picture changes nothing, nor does one that claims a text.
      for (const path of [name, 'shot.png', 'notes.txt']) {
        await folder.write(path, content);
        const words =
          `Error: ${kind} is not supported: ${path}. Supported are PNG, JPEG, GIF and WebP. ${wayOut}`.trim();
        for (const tool of [viewImage, readFile]) {
          expect(await wordsOf(tool, path)).toEqual({ content: words, total_lines: 0 });
        }
      }
    });
  }

  it('is refused by its kind also where it is larger than any picture may be', async () => {
    for (const path of ['film.mp4', 'film.png']) {
      await folder.write(path, mp4);
      await truncate(folder.resolve(path), 3 * 1024 * MIB);
      for (const tool of [viewImage, readFile]) {
        expect(await wordsOf(tool, path)).toMatchObject({
          content: expect.stringMatching(/^Error: MP4 video is not supported/),
        });
      }
    }
    await folder.write('log.png', 'words\n'.repeat(1_000_000));
    expect(await wordsOf(viewImage, 'log.png')).toMatchObject({
      content: expect.stringMatching(/not a picture but text/),
    });
  });

  it('leaves a picture that is too large to the limit of pictures, under any name', async () => {
    await folder.write('shot.bin', makeTwoColorPng({ left: 'red', right: 'blue' }));
    await truncate(folder.resolve('shot.bin'), 12 * MIB);
    expect(await wordsOf(readFile, 'shot.bin')).toMatchObject({
      content: expect.stringMatching(/too large \(12 MB\); the limit is 5 MB: shot\.bin/),
    });
    expect(await wordsOf(viewImage, 'shot.bin')).toMatchObject({ content: expect.stringMatching(/the limit is 3 MB/) });
  });

  it.each([
    ['heic.heic', 'HEIC'],
    ['avif.avif', 'AVIF'],
    ['ext-bmp-named.png', 'BMP'],
  ])('is refused by the name of the format that it is, with the way out: %s', async (file, kind) => {
    for (const path of ['photo.jpg', 'photo.bin']) {
      await cp(new URL(file, cases), folder.resolve(path));
      for (const tool of [viewImage, readFile]) {
        expect(await wordsOf(tool, path)).toMatchObject({
          content: expect.stringMatching(new RegExp(`^Error: ${kind} is not supported: .*magick photo`)),
        });
      }
    }
  });

  it('is text for read_file where it is SVG, and refused by view_image', async () => {
    await folder.write('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
    expect(await wordsOf(viewImage, 'logo.svg')).toMatchObject({
      content: expect.stringMatching(/^Error: SVG is not supported: logo\.svg\..*magick logo\.svg logo\.png$/),
    });
    const context = createToolContext({ workspace: folder.path });
    expect(await readFile.run({ path: 'logo.svg' }, context)).toEqual({
      isError: false,
      content: '{"content":"<svg xmlns=\\"http://www.w3.org/2000/svg\\"/>","total_lines":1}',
      attachments: [],
    });
    await folder.write('logo.png', '<svg xmlns="http://www.w3.org/2000/svg"/>\n');
    expect(await wordsOf(readFile, 'logo.png')).toMatchObject({
      content: expect.stringContaining('SVG is not supported'),
    });
  });
});
