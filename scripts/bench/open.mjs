// The newest page of a long session with many pictures, against the same session without any. There are no blobs: a
// page that opened one would fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@fovea/core/store';

export const name = 'open';
export const bound = 1.5;
export const unit = 'ms';
export const rounds = 41;

const messages = 10_000;
const pictures = 1_000;
const page = 50;
/** A page takes about a millisecond: several of them are one measurement. */
const pages = 20;
const sessionId = 'ses_1';
const createdAt = '2026-01-02T00:00:00.000Z';

export async function prepare() {
  const home = await mkdtemp(join(tmpdir(), 'fovea-open-'));
  const withPictures = await makeStore(join(home, 'with'), (number) => number % (messages / pictures) === 0);
  const without = await makeStore(join(home, 'without'), () => false);
  return { home, withPictures, without };
}

export async function ours({ withPictures }) {
  return loadPages(withPictures);
}

export async function reference({ without }) {
  return loadPages(without);
}

export async function notes({ withPictures, without, home }) {
  const loaded = await withPictures.turnRecords.loadPage(sessionId, { limit: page });
  const shown = loaded.filter((message) => (message.imageInputs ?? message.metadata?.attachments ?? []).length > 0);
  if (loaded.length !== page || shown.length !== page / (messages / pictures)) throw new Error('that was another page');
  const openAndLoad = async (folder) => {
    const startedAt = performance.now();
    const store = await openStore({ home: join(home, folder) });
    await store.turnRecords.loadPage(sessionId, { limit: page });
    await store.close();
    return (performance.now() - startedAt).toFixed(1);
  };
  await withPictures.close();
  await without.close();
  return [
    `a page has ${page} messages, ${shown.length} of them with a picture; no blob was there to be opened`,
    `opening the store, the page, closing: ${await openAndLoad('with')} ms against ${await openAndLoad('without')} ms`,
  ];
}

export async function cleanUp({ home, withPictures, without }) {
  await withPictures.close().catch(() => undefined);
  await without.close().catch(() => undefined);
  await rm(home, { recursive: true, force: true });
}

async function loadPages({ turnRecords }) {
  for (let count = 0; count < pages; count++) await turnRecords.loadPage(sessionId, { limit: page });
}

async function makeStore(home, hasPicture) {
  const store = await openStore({ home });
  await store.sessions.create({
    id: sessionId,
    title: 'A long dialog',
    workspace: '/nowhere',
    externalFolders: {},
    owner: 'local',
    model: 'lab/seer',
    profile: 'workspace-write',
    modelLocale: 'en',
    promptHead: { systemPrompt: 'You see.', tools: [] },
    storageRevision: 3,
    createdAt,
    updatedAt: createdAt,
  });
  const all = Array.from({ length: messages }, (_, index) => makeMessage(index, hasPicture(index)));
  for (let at = 0; at < messages; at += 500) await store.turnRecords.appendMessages(sessionId, all.slice(at, at + 500));
  return store;
}

/** What the user says and what the model answers, in turn; a picture stands in a message of the user. */
function makeMessage(index, hasPicture) {
  const common = { id: `msg_${index}`, turnId: `turn_${index >> 1}`, createdAt };
  const words = `${index} ${'several words '.repeat(20)}`;
  if (index % 2 === 1) {
    return {
      ...common,
      role: 'assistant',
      parts: [{ type: 'text', text: words }],
      model: 'lab/seer',
      status: 'completed',
    };
  }
  const digest = `sha256:${index.toString(16).padStart(64, '0')}`;
  const size = { sizeBytes: 250_000, widthPx: 1200, heightPx: 800 };
  const attachment = { digest, mediaType: 'image/png', name: `shot-${index}.png`, ...size };
  return { ...common, role: 'user', content: words, imageInputs: hasPicture ? [{ attachment }] : [] };
}
