import { symlink } from 'node:fs/promises';
import type { FileAccess } from '@fovea/core/attachments';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeTwoColorPng } from '../../../../packages/core/src/testing/make-pictures.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { resolveReferences } from './resolve-references.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });

let workspace: TemporaryFolder;
let access: FileAccess;

beforeEach(async () => {
  workspace = await createTemporaryFolder();
  access = { workspace: workspace.path, externalFolders: {}, forbidden: ['.env', '*.pem'] };
});

function resolve(text: string, attachments: readonly string[] = []) {
  const folder = workspace;
  onTestFinished(() => folder.remove());
  return resolveReferences(text, { access, locale: 'en', signal: new AbortController().signal, attachments });
}

describe('resolveReferences', () => {
  it('takes pictures as attachments, texts and folders as references, in the order of the text', async () => {
    await workspace.write('shots/a b.png', png);
    await workspace.write('.fovea/attachments/x.png', png);
    await workspace.write('.reasonix/attachments/y.png', png);
    await workspace.write('src/a.ts', '\ufeffone\ntwo\n');
    const found = await resolve(
      'see @src/a.ts, @"shots/a b.png", @.fovea/attachments/x.png; @.reasonix/attachments/y.png and (@src).',
    );
    expect(found).toEqual({
      pictures: ['shots/a b.png', '.fovea/attachments/x.png', '.reasonix/attachments/y.png'],
      references: [
        { kind: 'text', path: 'src/a.ts', text: 'one\ntwo\n', sizeBytes: 11, isCut: false },
        { kind: 'folder', path: 'src', names: ['a.ts'], entryCount: 1 },
      ],
      notices: [],
    });
  });

  it('leaves as text what does not exist, without a word', async () => {
    const text = 'mail me@example.com, install @types/node, use @Injectable() and @missing.png';
    expect(await resolve(text)).toEqual({ pictures: [], references: [], notices: [] });
  });

  it('says what may not be read, and leaves it as text', async () => {
    await workspace.write('.env', 'KEY=1');
    await workspace.write('keys/site.pem', 'x');
    const outside = await createTemporaryFolder();
    onTestFinished(() => outside.remove());
    await symlink(await outside.write('notes.txt', 'secret'), workspace.resolve('link.txt'));
    const found = await resolve(`@.env @keys/site.pem @link.txt @../elsewhere @${outside.path}/notes.txt`);
    expect([found.pictures, found.references]).toEqual([[], []]);
    expect(found.notices.map(({ path, code }) => [path, code])).toEqual([
      ['.env', 'FORBIDDEN'],
      ['keys/site.pem', 'FORBIDDEN'],
      ['link.txt', 'OUTSIDE_WORKSPACE'],
      ['../elsewhere', 'OUTSIDE_WORKSPACE'],
      [`${outside.path}/notes.txt`, 'OUTSIDE_WORKSPACE'],
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('takes a picture by its content, and whatever its name claims to be one', async () => {
    await workspace.write('no-extension', png);
    await workspace.write('page.png', '<html></html>');
    await workspace.write('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const found = await resolve('@no-extension @page.png @drawing.svg');
    expect(found.pictures).toEqual(['no-extension', 'page.png']);
    expect(found.references).toMatchObject([{ kind: 'text', path: 'drawing.svg' }]);
  });

  it('says the true kind of what is neither picture nor text', async () => {
    await workspace.write('report.pdf', '%PDF-1.7\n%\u00e2\u00e3');
    await workspace.write('data.bin', Uint8Array.from([0, 1, 2, 3]));
    await workspace.write('utf16.txt', Uint8Array.from([0xff, 0xfe, 0x61, 0x00]));
    const { references, notices } = await resolve('@report.pdf @data.bin @utf16.txt');
    expect(references).toEqual([]);
    expect(notices.map(({ code }) => code)).toEqual(['NOT_TEXT', 'NOT_TEXT', 'NOT_UTF8']);
    expect(notices[0]?.message).toContain('application/pdf');
    expect(notices[2]?.message).toContain('UTF-16LE');
  });

  it('shows the first 64 KiB of a text, cut behind a whole character, and the whole of one that is as long', async () => {
    await workspace.write('exact.txt', 'a'.repeat(65_536));
    await workspace.write('long.txt', `${'a'.repeat(65_535)}é${'b'.repeat(300_000)}`);
    await workspace.write('empty.txt', '');
    const { references } = await resolve('@exact.txt @long.txt @empty.txt');
    expect(references).toMatchObject([{ isCut: false }, { isCut: true, sizeBytes: 365_537 }, { text: '' }]);
    expect(references.map((one) => (one.kind === 'text' ? one.text.length : 0))).toEqual([65_536, 65_535, 0]);
  });

  it('names at most a hundred entries of a folder, and none that may not be read', async () => {
    for (let number = 100; number < 250; number += 1) await workspace.write(`many/${number}.txt`, '');
    await workspace.write('many/.env', 'KEY=1');
    await workspace.write('many/0/a.txt', '');
    const [folder] = (await resolve('@many/')).references;
    expect(folder).toMatchObject({ kind: 'folder', path: 'many', entryCount: 151 });
    expect(folder?.kind === 'folder' && folder.names).toHaveLength(100);
    expect(folder?.kind === 'folder' && folder.names.slice(0, 2)).toEqual(['0/', '100.txt']);
  });

  it('takes each thing once, also a picture that is attached anyway', async () => {
    await workspace.write('a.png', png);
    await workspace.write('a.txt', 'one');
    const found = await resolve('@a.png @./a.png @a.txt @a.txt', ['a.png']);
    expect(found.pictures).toEqual([]);
    expect(found.references).toHaveLength(1);
    expect((await resolve('@a.png @./a.png')).pictures).toEqual(['a.png']);
  });

  it('finds a path between Chinese words by what exists', async () => {
    await workspace.write('截图/一.png', png);
    expect((await resolve('请看@截图/一.png是什么颜色？')).pictures).toEqual(['截图/一.png']);
  });

  it('looks for nothing inside a path that it has taken', async () => {
    await workspace.write('node_modules/@types/node/index.d.ts', 'x');
    await workspace.write('types/node/index.d.ts', 'y');
    await workspace.write('a @b c.txt', 'x');
    await workspace.write('b', 'y');
    await workspace.write('一@二.txt', 'x');
    await workspace.write('二.txt', 'y');
    const { references } = await resolve('@node_modules/@types/node/index.d.ts @"a @b c.txt" @一@二.txt');
    expect(references.map(({ path }) => path)).toEqual([
      'node_modules/@types/node/index.d.ts',
      'a @b c.txt',
      '一@二.txt',
    ]);
  });

  it('takes at most twenty references and says so of the next', async () => {
    for (let number = 0; number < 21; number += 1) await workspace.write(`f${number}.txt`, 'x');
    const text = Array.from({ length: 21 }, (_, number) => `@f${number}.txt`).join(' ');
    const { references, notices } = await resolve(text);
    expect(references).toHaveLength(20);
    expect(notices).toMatchObject([{ path: 'f20.txt', code: 'TOO_MANY_ITEMS' }]);
  });
});
