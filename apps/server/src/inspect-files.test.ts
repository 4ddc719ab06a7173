import { isRecord, parseJson } from '@fovea/core/base';
import { refusalText } from '@fovea/core/content';
import { builtInTools, findTool } from '@fovea/core/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToolContext } from '../../../packages/core/src/testing/create-tool-context.ts';
import { makeSolidPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { Fovea } from './fovea.ts';

let folder: TemporaryFolder;
let home: TemporaryFolder;
let fovea: Fovea;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  home = await createTemporaryFolder();
  fovea = compose({
    config: fillConfigDefaults({}, 'en'),
    home: home.resolve('fovea'),
    environment: { HOME: home.path },
  });
});
afterAll(async () => {
  await fovea.close();
  await Promise.all([folder.remove(), home.remove()]);
});

async function wordsOfTool(path: string): Promise<string> {
  const context = createToolContext({ workspace: folder.path });
  const outcome = await findTool(builtInTools(), 'read_file')?.run({ path }, context);
  const parsed = parseJson(outcome?.content ?? '');
  return parsed.ok && isRecord(parsed.value) ? String(parsed.value['content']) : 'no result';
}

describe('inspecting a file as read_file reads it', () => {
  it.each([
    ['large.log', 'x'.repeat(10 * 1024 ** 2 + 1), 'TEXT_TOO_LARGE'],
    ['wide.txt', Buffer.from('\ufeffhello', 'utf16le'), 'NOT_UTF8'],
    ['old.txt', Buffer.from('caf\u00e9 cr\u00e8me br\u00fbl\u00e9e', 'latin1'), 'NOT_TEXT'],
    ['late.txt', Buffer.concat([Buffer.alloc(300_000, 'a\n'), Buffer.from([0xff])]), 'NOT_TEXT'],
    ['a.bin', Buffer.from('504b03041400000000000000000000000000', 'hex'), 'NOT_TEXT'],
    ['page.png', '<!doctype html><title>404</title>', 'NOT_AN_IMAGE'],
    ['photo.bmp', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), 'UNSUPPORTED_FORMAT'],
  ])('refuses %s with the code and in the words of the tool', async (name, content, code) => {
    await folder.write(name, content);
    const [inspection] = await fovea.inspect([name], { as: 'read-file', workspace: folder.path });
    expect(inspection).toMatchObject({ verdict: 'refused', refusal: { code } });
    if (inspection?.verdict !== 'refused') return;
    expect(refusalText(inspection.refusal, 'en', 'model')).toBe(await wordsOfTool(name));
  });

  it('says of what it gives as text that it is text, with its size', async () => {
    await folder.write('notes.md', '# caf\u00e9\n');
    await folder.write('empty.txt', '');
    const inspections = await fovea.inspect(['notes.md', 'empty.txt'], { as: 'read-file', workspace: folder.path });
    expect(inspections).toEqual([
      { verdict: 'text', path: 'notes.md', sizeBytes: 8 },
      { verdict: 'text', path: 'empty.txt', sizeBytes: 0 },
    ]);
  });
});

describe('the wire variant of an inspected picture', () => {
  it('says what was done to the original', async () => {
    await folder.write('thin.png', makeSolidPng('red', { widthPx: 2000, heightPx: 8 }));
    const options = { as: 'view-image', workspace: folder.path } as const;
    const padded = await fovea.makeVariant('thin.png', { ...options, endpoint: 'dashscope-chat' });
    if (!padded.ok) throw new Error(padded.error.code);
    expect(padded.value.changes).toEqual(['resized', 'reencoded', 'padded']);
    expect(padded.value.reference.heightPx).toBeGreaterThan(8);
    await folder.write('small.png', makeSolidPng('red'));
    const same = await fovea.makeVariant('small.png', { ...options, endpoint: 'dashscope-chat' });
    expect(same).toMatchObject({ ok: true, value: { changes: ['none'] } });
  });
});
