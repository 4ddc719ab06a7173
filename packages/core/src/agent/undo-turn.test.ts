import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { digestOf } from '../media/digest.ts';
import { createMemoryBlobs, type MemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createMemoryRecords, type MemoryRecords } from '../testing/create-memory-records.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createFileJournal } from './file-journal.ts';
import { type UndoneTurn, undoLastTurn } from './undo-turn.ts';

let folder: TemporaryFolder;
let records: MemoryRecords;
let blobs: MemoryBlobs;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  records = createMemoryRecords();
  blobs = createMemoryBlobs();
});

afterEach(() => folder.remove());

const services = () => ({
  fileChanges: records.fileChanges,
  blobs,
  clock: createFixedClock(),
  logger: silentLogger,
});

/** What a tool does: notes the change, then writes. `isWritten: false` is a crash in between. */
async function change(turnId: string, name: string, text: string, isWritten = true): Promise<void> {
  const path = join(folder.path, name);
  const before = await readFile(path).catch(() => undefined);
  const journal = createFileJournal({ sessionId: 'ses_1', turnId }, { blobs, fileChanges: records.fileChanges });
  const after = Buffer.from(text);
  await journal.record({ path, displayPath: name, ...(before && { before }), after });
  if (isWritten) await writeFile(path, after);
}

const undo = (): Promise<UndoneTurn | undefined> => undoLastTurn('ses_1', services());
const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
const read = (name: string) => readFile(join(folder.path, name), 'utf8');

describe('undoLastTurn', () => {
  it('gives overwritten files their bytes again, removes created ones, and leaves no other file behind', async () => {
    await write('a.txt', 'old a\r\n');
    await change('turn_1', 'a.txt', 'new a');
    await change('turn_1', 'b.txt', 'new b');
    expect(await undo()).toEqual({
      turnId: 'turn_1',
      files: [
        { path: 'b.txt', outcome: 'removed' },
        { path: 'a.txt', outcome: 'restored' },
      ],
    });
    expect(await read('a.txt')).toBe('old a\r\n');
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });

  it('says that there is nothing when no turn has changed anything, or all is taken back', async () => {
    expect(await undo()).toBeUndefined();
    await change('turn_1', 'a.txt', 'new');
    await undo();
    expect(await undo()).toBeUndefined();
  });

  it('takes back the newest turn first, and then the one before it', async () => {
    await write('a.txt', 'one');
    await change('turn_1', 'a.txt', 'two');
    await change('turn_2', 'a.txt', 'three');
    expect((await undo())?.turnId).toBe('turn_2');
    expect(await read('a.txt')).toBe('two');
    expect((await undo())?.turnId).toBe('turn_1');
    expect(await read('a.txt')).toBe('one');
  });

  it('goes back through several changes of one file, and names it once', async () => {
    await change('turn_1', 'a.txt', 'one');
    await change('turn_1', 'a.txt', 'two');
    await change('turn_1', 'a.txt', 'one');
    expect(await undo()).toEqual({ turnId: 'turn_1', files: [{ path: 'a.txt', outcome: 'removed' }] });
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('keeps what was changed, created anew or deleted since, and takes back the rest', async () => {
    await write('a.txt', 'old a');
    await write('b.txt', 'old b');
    await write('c.txt', 'old c');
    await change('turn_1', 'a.txt', 'new a');
    await change('turn_1', 'b.txt', 'new b');
    await change('turn_1', 'c.txt', 'new c');
    await change('turn_1', 'd.txt', 'new d');
    await write('a.txt', 'mine');
    await rm(join(folder.path, 'c.txt'));
    await write('d.txt', 'mine too');
    expect(await undo()).toEqual({
      turnId: 'turn_1',
      files: [
        { path: 'd.txt', outcome: 'kept' },
        { path: 'c.txt', outcome: 'kept' },
        { path: 'b.txt', outcome: 'restored' },
        { path: 'a.txt', outcome: 'kept' },
      ],
    });
    expect(await read('a.txt')).toBe('mine');
    expect(await read('b.txt')).toBe('old b');
    expect(await read('d.txt')).toBe('mine too');
    expect((await readdir(folder.path)).sort()).toEqual(['a.txt', 'b.txt', 'd.txt']);
    expect(await undo()).toBeUndefined();
  });

  it('keeps a file that the user changed between two changes of the turn', async () => {
    await write('a.txt', 'old');
    await change('turn_1', 'a.txt', 'new');
    await write('a.txt', 'mine');
    await change('turn_1', 'a.txt', 'newer');
    expect((await undo())?.files).toEqual([{ path: 'a.txt', outcome: 'kept' }]);
    expect(await read('a.txt')).toBe('mine');
  });

  it.skipIf(process.platform === 'win32')('keeps the rights of a file', async () => {
    await write('run.sh', 'old');
    await chmod(join(folder.path, 'run.sh'), 0o751);
    await change('turn_1', 'run.sh', 'new');
    await undo();
    expect(await read('run.sh')).toBe('old');
    expect((await stat(join(folder.path, 'run.sh'))).mode & 0o7777).toBe(0o751);
  });

  it.skipIf(process.platform === 'win32')('writes through no link that was put there since', async () => {
    await mkdir(join(folder.path, 'sub'));
    await write('a.txt', 'old');
    await write('sub/b.txt', 'old');
    await change('turn_1', 'a.txt', 'new');
    await change('turn_1', 'sub/b.txt', 'new');
    await write('elsewhere.txt', 'new');
    await rm(join(folder.path, 'a.txt'));
    await symlink('elsewhere.txt', join(folder.path, 'a.txt'));
    await rename(join(folder.path, 'sub'), join(folder.path, 'moved'));
    await symlink('moved', join(folder.path, 'sub'));
    expect((await undo())?.files.map(({ outcome }) => outcome)).toEqual(['kept', 'kept']);
    expect(await read('elsewhere.txt')).toBe('new');
    expect(await read('moved/b.txt')).toBe('new');
    expect((await lstat(join(folder.path, 'a.txt'))).isSymbolicLink()).toBe(true);
  });

  it('is at peace with a change that was noted and never written', async () => {
    await write('a.txt', 'old');
    await change('turn_1', 'a.txt', 'new', false);
    await change('turn_1', 'b.txt', 'new', false);
    expect((await undo())?.files).toEqual([
      { path: 'b.txt', outcome: 'removed' },
      { path: 'a.txt', outcome: 'restored' },
    ]);
    expect(await read('a.txt')).toBe('old');
  });

  it('makes good a crash at every point when it is called again', async () => {
    for (let crashAfter = 0; crashAfter < 4; crashAfter += 1) {
      await write('a.txt', 'one');
      await change(`turn_${crashAfter}`, 'a.txt', 'two');
      await change(`turn_${crashAfter}`, 'a.txt', 'three');
      await change(`turn_${crashAfter}`, 'b.txt', 'made');
      let settled = 0;
      const crashing: typeof records.fileChanges = {
        ...records.fileChanges,
        async settle(...settle) {
          if (settled === crashAfter) throw new Error('crash');
          settled += 1;
          await records.fileChanges.settle(...settle);
        },
      };
      await undoLastTurn('ses_1', { ...services(), fileChanges: crashing }).catch(() => {});
      await undo();
      expect(await read('a.txt')).toBe('one');
      expect(await readdir(folder.path)).toEqual(['a.txt']);
      expect(await undo()).toBeUndefined();
    }
  });

  it('says why a file could not be restored, goes on with the others, and tries it again the next time', async () => {
    await write('a.txt', 'old a');
    await write('b.txt', 'old b');
    await change('turn_1', 'a.txt', 'new a');
    await change('turn_1', 'b.txt', 'new b');
    await change('turn_1', 'b.txt', 'newer b');
    blobs.remove(digestOf(Buffer.from('new b')));
    expect((await undo())?.files).toEqual([
      { path: 'b.txt', outcome: 'failed', message: expect.stringMatching(/./) },
      { path: 'a.txt', outcome: 'restored' },
    ]);
    expect(await read('b.txt')).toBe('newer b');
    await blobs.add(Buffer.from('new b'));
    expect((await undo())?.files).toEqual([{ path: 'b.txt', outcome: 'restored' }]);
    expect(await read('b.txt')).toBe('old b');
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'says why a file could not be written, in words that name no path',
    async () => {
      await folder.write('sub/a.txt', 'old');
      await change('turn_1', 'sub/a.txt', 'new');
      await chmod(join(folder.path, 'sub'), 0o500);
      expect((await undo())?.files).toEqual([{ path: 'sub/a.txt', outcome: 'failed', message: 'permission denied' }]);
      await chmod(join(folder.path, 'sub'), 0o700);
      expect((await undo())?.files).toEqual([{ path: 'sub/a.txt', outcome: 'restored' }]);
    },
  );

  it('is at peace with files whose folder is gone', async () => {
    await folder.write('sub/a.txt', 'old');
    await change('turn_1', 'sub/a.txt', 'new');
    await change('turn_1', 'sub/b.txt', 'made');
    await rm(join(folder.path, 'sub'), { recursive: true });
    expect((await undo())?.files).toEqual([
      { path: 'sub/b.txt', outcome: 'removed' },
      { path: 'sub/a.txt', outcome: 'kept' },
    ]);
  });
});

describe('createFileJournal', () => {
  it('keeps the bytes before it notes the change, and keeps no bytes of a new file', async () => {
    await write('a.txt', 'old');
    await change('turn_1', 'a.txt', 'new');
    await change('turn_1', 'b.txt', 'made');
    const before = digestOf(Buffer.from('old'));
    expect(blobs.digests()).toEqual([before]);
    expect(records.reachableDigests('ses_1')).toEqual([before]);
    expect(await records.fileChanges.lastUnsettled('ses_1')).toEqual([
      {
        sessionId: 'ses_1',
        turnId: 'turn_1',
        seq: 1,
        path: join(folder.path, 'a.txt'),
        displayPath: 'a.txt',
        beforeDigest: before,
        afterDigest: digestOf(Buffer.from('new')),
      },
      {
        sessionId: 'ses_1',
        turnId: 'turn_1',
        seq: 2,
        path: join(folder.path, 'b.txt'),
        displayPath: 'b.txt',
        afterDigest: digestOf(Buffer.from('made')),
      },
    ]);
  });

  it('notes nothing when the bytes cannot be kept, so that the file stays as it is', async () => {
    await write('a.txt', 'old');
    const full: MemoryBlobs = { ...blobs, put: () => Promise.reject(new Error('the disk is full')) };
    const journal = createFileJournal(
      { sessionId: 'ses_1', turnId: 'turn_1' },
      { blobs: full, fileChanges: records.fileChanges },
    );
    const noted = journal.record({
      path: join(folder.path, 'a.txt'),
      displayPath: 'a.txt',
      before: Buffer.from('old'),
      after: Buffer.from('new'),
    });
    await expect(noted).rejects.toThrow('the disk is full');
    expect(await undo()).toBeUndefined();
  });
});
