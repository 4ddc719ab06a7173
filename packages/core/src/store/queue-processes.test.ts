import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../base/parse-json.ts';
import type { SubmissionReceipt } from '../content/queue-item.ts';
import { checkStoresBelow } from '../testing/check-stores.ts';
import { type CompiledFloors, compileFloors } from '../testing/compile-floors.ts';
import { sampleSession } from '../testing/sample-records.ts';
import { ScriptProcesses } from '../testing/script-processes.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { openStore } from './open-store.ts';

const ROUNDS = 6;

/**
 * Submits without an end, removing what is older than ten items, and prints each receipt when it has it.
 * Arguments: store module, home, name, how many.
 */
const submitter = `
const [storeModule, home, name, count] = process.argv.slice(1);
const { openStore } = await import(storeModule);
const store = await openStore({ home });
const digest = (index) => 'sha256:' + (index % 10).toString().repeat(64);
const attachment = (index) => ({ digest: digest(index), mediaType: 'image/png', sizeBytes: 1, widthPx: 1, heightPx: 1, name: 'a.png' });
for (let index = 0; index < Number(count); index += 1) {
  const receipt = await store.queue.enqueue({
    sessionId: 'ses_1',
    itemId: 'item_' + name + index + '_' + process.pid,
    turnId: 'turn_' + name + index + '_' + process.pid,
    createdAt: '2026-01-02T00:00:00.000Z',
    contentDigest: name + index,
    submission: {
      submissionId: 'sub_' + name + index,
      intent: 'follow-up',
      text: 'x'.repeat(20_000),
      imageInputs: [{ attachment: attachment(index) }, { attachment: attachment(index + 1) }],
      references: [],
      model: 'offline/reader',
      consent: 'none',
    },
  });
  console.log(JSON.stringify(receipt));
  if (index >= 10) {
    const old = await store.queue.receiptOf('ses_1', 'sub_' + name + (index - 10));
    await store.queue.remove('ses_1', old.itemId).catch((error) => {
      if (error.code !== 'QUEUE_ITEM_NOT_FOUND') throw error;
    });
  }
}
await store.close();
`;

let floors: CompiledFloors;
let folder: TemporaryFolder;
let home: string;
const processes = new ScriptProcesses();

beforeAll(async () => {
  floors = await compileFloors(['base', 'content', 'media', 'store']);
});

afterAll(() => floors?.remove());

beforeEach(async () => {
  folder = await createTemporaryFolder();
  home = folder.resolve('home');
  const store = await openStore({ home });
  await store.sessions.create(sampleSession('ses_1'));
  await store.close();
});

afterEach(async () => {
  processes.killAll();
  await checkStoresBelow(home);
  await folder.remove();
});

/** Runs a submitter until it ends, or until it has printed so many receipts: then it is killed. */
async function submit(
  name: string,
  count: number,
  killedAfter = Number.POSITIVE_INFINITY,
): Promise<readonly SubmissionReceipt[]> {
  const storeModule = pathToFileURL(join(floors.folder, 'store/index.js')).href;
  let receipts = 0;
  const script = processes.start(submitter, {
    folder: floors.folder,
    words: [storeModule, home, name, String(count)],
    onLine: (_line, child) => {
      receipts += 1;
      if (receipts >= killedAfter) child.kill('SIGKILL');
    },
  });
  expect(await script.untilEnd()).toMatchObject(
    Number.isFinite(killedAfter) ? { signal: 'SIGKILL', diagnostics: '' } : { exitCode: 0, diagnostics: '' },
  );
  return script.lines.map(parseReceiptLine);
}

function parseReceiptLine(line: string): SubmissionReceipt {
  const parsed = parseJson(line);
  if (!parsed.ok) throw new Error(`not a receipt: ${line}`);
  return parsed.value as SubmissionReceipt;
}

/** Items without all of their edges, edges without an item that waits, and items without what they hold. */
function findHalves(): readonly unknown[] {
  const database = new Libsql(join(home, 'fovea.db'));
  try {
    return [
      ...database
        .prepare(
          `select id from queue_items where (state = 'done') <> (body is null) or (select count(*) from content_edges
             where kind = 'queue-item' and source_id = id) <> (case when state = 'done' then 0 else 2 end)`,
        )
        .all(),
      ...database
        .prepare(
          `select source_id from content_edges where kind = 'queue-item'
             and source_id not in (select id from queue_items where state <> 'done')`,
        )
        .all(),
      ...database
        .prepare(
          `select session_id from session_queues where last_position <> (select max(position) from queue_items)
             or (select count(*) from queue_items) <> (select count(distinct position) from queue_items)`,
        )
        .all(),
    ];
  } finally {
    database.close();
  }
}

describe('a queue that several processes write', () => {
  it('has every receipt that was given after a kill, and nothing half', async () => {
    const receipts: SubmissionReceipt[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      receipts.push(...(await submit(`round${round}_`, 10_000, 1 + 5 * round)));
      expect(findHalves()).toEqual([]);
      const store = await openStore({ home });
      try {
        for (const { submissionId, itemId, turnId } of receipts) {
          expect(await store.queue.receiptOf('ses_1', submissionId)).toMatchObject({ itemId, turnId });
        }
        // Makes room for the next round.
        for (const { id } of (await store.queue.snapshot('ses_1')).items) await store.queue.remove('ses_1', id);
      } finally {
        await store.close();
      }
    }
    expect(receipts.length).toBeGreaterThan(ROUNDS);
  });

  it('has one item and one receipt of each submission that two processes bring at once', async () => {
    const [one, other] = await Promise.all([submit('same', 60), submit('same', 60)]);
    expect(one).toHaveLength(60);
    expect(other.map(({ itemId }) => itemId)).toEqual(one.map(({ itemId }) => itemId));
    const accepted = [...one, ...other].filter(({ isRepeated }) => !isRepeated);
    expect(accepted).toHaveLength(60);
    expect(findHalves()).toEqual([]);
  });
});
