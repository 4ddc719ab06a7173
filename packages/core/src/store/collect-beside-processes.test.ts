import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { type ScriptProcess, ScriptProcesses, type StartScriptOptions } from '../testing/script-processes.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { openStore, type Store } from './open-store.ts';

const ROUNDS = 25;

const prelude = `
const [folder, home, name, rounds, session] = process.argv.slice(1);
const { openStore } = await import(folder + '/store/index.js');
const { digestOf } = await import(folder + '/media/digest.js');
const { utimes } = await import('node:fs/promises');
const store = await openStore({ home });
`;

/**
 * Makes sessions with a picture and its variant, forks them, deletes them, and makes what they held
 * look old, over and over with the same bytes, so that a collection is always about to take them.
 * Whatever a session holds must be there.
 */
const user = `${prelude}
const records = store.turnRecords;
const ISO = '2026-01-02T00:00:00.000Z';
const bytesOf = (kind, round) => Buffer.alloc(2000, name + kind + (round % 3));
async function put(bytes) { await store.blobs.put(digestOf(bytes), bytes); return digestOf(bytes); }
async function age(digest) {
  const hex = digest.slice(7);
  try { await utimes([store.blobs.folder, hex.slice(0, 2), hex.slice(2, 4), hex].join('/'), 1, 1); } catch {}
}
async function remove(id) {
  const acquired = await store.leases.acquire(id, ISO);
  if (!acquired.ok) throw new Error('held');
  await store.underLease(acquired.value.lease).session.delete();
}
async function reachVariant(sessionId, original, round) {
  const found = await records.findVariant(original, 'v');
  if (found && await records.holdVariant(sessionId, found)) return found.digest;
  const bytes = bytesOf('variant', round);
  const digest = await put(bytes);
  const record = { originalDigest: original, variantKey: 'v', digest, mediaType: 'image/png', sizeBytes: 2000, widthPx: 1, heightPx: 1, changes: ['resized'] };
  await records.saveVariant(sessionId, record);
  return digest;
}
for (let round = 0; round < Number(rounds); round += 1) {
  const id = 'ses_' + name + '_' + round;
  await store.sessions.create({ ...JSON.parse(session), id });
  const picture = await put(bytesOf('picture', round));
  const attachments = [{ mime: 'image/png', path: 'a.png', digest: picture, width: 1, height: 1, size_bytes: 2000 }];
  const common = { turnId: 'turn_1', createdAt: ISO };
  await records.appendMessages(id, [
    { ...common, id: 'm1', role: 'tool', toolCallId: 'c', toolName: 'view_image', content: 'a.png', isError: false, metadata: { attachments } },
  ]);
  const variant = await reachVariant(id, picture, round);
  await records.savePlan({ sessionId: id, endpointId: 'e', images: [{ originalDigest: picture, digest: variant }] });
  await store.blobs.get(picture);
  await store.forkSession(id, { id: id + '_fork', createdAt: ISO });
  await remove(id);
  await Promise.all([store.blobs.get(picture), store.blobs.get(variant)]);
  if (round % 5 === 4) continue;
  await remove(id + '_fork');
  await Promise.all([age(picture), age(variant)]);
}
await store.close();
`;

/** Collects until it is killed, and says so each time. */
const collector = `${prelude}
for (;;) {
  const { blobs } = await store.collectGarbage({ nowMs: Date.now() });
  console.log(blobs.collected);
}
`;

let floors: CompiledFloors;
let folder: TemporaryFolder;
let home: string;
let store: Store;
const processes = new ScriptProcesses();

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
});

afterAll(() => floors?.remove());

beforeEach(async () => {
  folder = await createTemporaryFolder();
  home = folder.resolve('home');
  store = await openStore({ home });
});

afterEach(async () => {
  processes.killAll();
  await store.close();
  await folder.remove();
});

function start(script: string, name: string, onLine?: StartScriptOptions['onLine']): ScriptProcess {
  const session = {
    title: 'A dialog',
    workspace: '/home/user/project',
    externalFolders: {},
    owner: 'local',
    model: 'offline/reader',
    profile: 'read-only',
    modelLocale: 'en',
    promptHead: { systemPrompt: 'You see.', tools: [] },
    storageRevision: 3,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  return processes.start(script, {
    folder: floors.folder,
    words: [pathToFileURL(floors.folder).href, home, name, String(ROUNDS), JSON.stringify(session)],
    ...(onLine && { onLine }),
  });
}

/** Starts collectors and kills each after its first collections, until `isOver`. Gives how many files they deleted. */
async function collectAndDie(isOver: () => boolean): Promise<number> {
  let collected = 0;
  while (!isOver()) {
    const script = start(collector, 'collector', (line, child) => {
      collected += Number(line);
      if (collected % 3 !== 0 || isOver()) child.kill('SIGKILL');
    });
    // One that collects nothing any more is not waited for for ever.
    const timer = setTimeout(() => script.process.kill('SIGKILL'), 2_000);
    expect((await script.untilEnd()).diagnostics).toBe('');
    clearTimeout(timer);
  }
  return collected;
}

describe('garbage beside other processes', () => {
  it('takes nothing that a session holds, from two that use, fork and delete it, whenever a collector is killed', async () => {
    const users = [start(user, 'a'), start(user, 'b')];
    let isOver = false;
    const used = Promise.all(users.map((script) => script.untilEnd())).finally(() => {
      isOver = true;
    });
    const collectors = collectAndDie(() => isOver);
    let collectedHere = 0;
    while (!isOver) {
      collectedHere += (await store.collectGarbage({ nowMs: Date.now() })).blobs.collected;
      expect((await store.check({ nowMs: Date.now() })).faults).toEqual([]);
    }
    expect((await used).map(({ diagnostics }) => diagnostics)).toEqual(['', '']);
    expect((await collectors) + collectedHere).toBeGreaterThan(0);
    await store.collectGarbage({ nowMs: Date.now() });
    const { faults, counts } = await store.check({ nowMs: Date.now() });
    expect(faults).toEqual([]);
    // Of each user every fifth fork was kept.
    expect(counts.sessions).toBe(2 * (ROUNDS / 5));
    expect(await store.blobs.trash.list()).toEqual([]);
  }, 120_000);
});
