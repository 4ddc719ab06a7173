import { sql } from 'kysely';
import { QUEUE_SCHEMA } from '../content/queue-item.ts';
import { parseEventRow, parseSnapshotRow } from './event-rows.ts';
import { type CheckScene, checkPart, parseOrReport, readRows } from './fault-list.ts';
import { holdsPayload } from './find-stored-payload.ts';
import { parseFileChange, parseLease, parseSession, parseTurn, parseVariant } from './records.ts';

const ROWS_A_PAGE = 100;

/** Every row of the smaller tables can be read, and those of events hold no bytes. */
export async function checkRows(scene: CheckScene): Promise<void> {
  await checkPart(scene, 'sessions', () => checkSessions(scene));
  await checkPart(scene, 'turns', () => checkTurns(scene));
  await checkPart(scene, 'variants', () => checkVariants(scene));
  await checkPart(scene, 'session_leases', () => checkLeases(scene));
  await checkPart(scene, 'session_queues', () => checkQueues(scene));
  await checkPart(scene, 'file_changes', () => checkFileChanges(scene));
  await checkPart(scene, 'session_events', () => checkEvents(scene));
  await checkPart(scene, 'step_snapshots', () => checkSnapshots(scene));
}

async function checkSessions(scene: CheckScene): Promise<void> {
  const { database, counts } = scene;
  const rows = readRows<Parameters<typeof parseSession>[0]>((last) =>
    database.read((reader) =>
      reader
        .selectFrom('sessions')
        .selectAll()
        .where('id', '>', last?.id ?? '')
        .orderBy('id')
        .limit(ROWS_A_PAGE)
        .execute(),
    ),
  );
  for await (const row of rows) {
    counts.sessions += 1;
    parseOrReport(scene, `sessions ${row.id}`, () => parseSession(row, database.codec));
  }
}

async function checkTurns(scene: CheckScene): Promise<void> {
  const { database, counts } = scene;
  const rows = readRows<Parameters<typeof parseTurn>[0]>((last) =>
    database.read((reader) =>
      reader
        .selectFrom('turns')
        .selectAll()
        .where('id', '>', last?.id ?? '')
        .orderBy('id')
        .limit(ROWS_A_PAGE)
        .execute(),
    ),
  );
  for await (const row of rows) {
    counts.turns += 1;
    if (row.status === 'running') counts.runningTurns += 1;
    parseOrReport(scene, `turns ${row.id}`, () => parseTurn(row, database.codec));
  }
}

async function checkVariants(scene: CheckScene): Promise<void> {
  const { database } = scene;
  const rows = readRows<Parameters<typeof parseVariant>[0]>((last) =>
    database.read((reader) => {
      const query = reader
        .selectFrom('variants')
        .selectAll()
        .orderBy('owner')
        .orderBy('original_digest')
        .orderBy('variant_key')
        .limit(ROWS_A_PAGE);
      if (last === undefined) return query.execute();
      const { owner, original_digest, variant_key } = last;
      return query
        .where(sql<boolean>`(owner, original_digest, variant_key) > (${owner}, ${original_digest}, ${variant_key})`)
        .execute();
    }),
  );
  for await (const row of rows) {
    const place = `variants ${row.original_digest}/${row.variant_key}`;
    parseOrReport(scene, place, () => parseVariant(row, database.codec));
  }
}

async function checkLeases(scene: CheckScene): Promise<void> {
  const { database } = scene;
  const rows = readRows<Parameters<typeof parseLease>[0]>((last) =>
    database.read((reader) =>
      reader
        .selectFrom('session_leases')
        .selectAll()
        .where('session_id', '>', last?.session_id ?? '')
        .orderBy('session_id')
        .limit(ROWS_A_PAGE)
        .execute(),
    ),
  );
  for await (const row of rows) {
    parseOrReport(scene, `session_leases ${row.session_id}`, () => parseLease(row, database.codec));
  }
}

async function checkQueues({ database, faults }: CheckScene): Promise<void> {
  const rows = readRows<{ readonly session_id: string; readonly schema_version: number }>((last) =>
    database.read((reader) =>
      reader
        .selectFrom('session_queues')
        .select(['session_id', 'schema_version'])
        .where('session_id', '>', last?.session_id ?? '')
        .orderBy('session_id')
        .limit(ROWS_A_PAGE)
        .execute(),
    ),
  );
  for await (const { session_id, schema_version } of rows) {
    if (schema_version <= QUEUE_SCHEMA) continue;
    const message = 'the queue was written by a newer Fovea';
    faults.add({ kind: 'row-of-newer-build', place: `session_queues ${session_id}`, message });
  }
}

async function checkFileChanges(scene: CheckScene): Promise<void> {
  const { database } = scene;
  const rows = readRows<Parameters<typeof parseFileChange>[0]>((last) =>
    database.read((reader) => {
      const query = reader
        .selectFrom('file_changes')
        .selectAll()
        .orderBy('session_id')
        .orderBy('seq')
        .limit(ROWS_A_PAGE);
      return (last === undefined ? query : query.where(isBehind(last))).execute();
    }),
  );
  for await (const row of rows) {
    parseOrReport(scene, `file_changes ${row.session_id}/${row.seq}`, () => parseFileChange(row));
  }
}

async function checkEvents(scene: CheckScene): Promise<void> {
  const { database } = scene;
  const rows = readRows<Parameters<typeof parseEventRow>[0]>((last) =>
    database.read((reader) => {
      const query = reader
        .selectFrom('session_events')
        .select(['session_id', 'seq', 'turn_id', 'body'])
        .orderBy('session_id')
        .orderBy('seq')
        .limit(ROWS_A_PAGE);
      return (last === undefined ? query : query.where(isBehind(last))).execute();
    }),
  );
  for await (const row of rows) {
    const place = `session_events ${row.session_id}/${row.seq}`;
    const told = parseOrReport(scene, place, () => parseEventRow(row, database.codec));
    // What the model calls a tool with is its own words.
    const isOfModel = told?.event.type === 'tool-call' || told?.event.type === 'approval-request';
    if (!isOfModel) reportPayload(scene, place, row.body);
  }
}

async function checkSnapshots(scene: CheckScene): Promise<void> {
  const { database } = scene;
  const rows = readRows<Parameters<typeof parseSnapshotRow>[0]>((last) =>
    database.read((reader) => {
      const query = reader
        .selectFrom('step_snapshots')
        .select(['session_id', 'turn_id', 'step', 'seq', 'body'])
        .orderBy('session_id')
        .orderBy('turn_id')
        .orderBy('step')
        .limit(ROWS_A_PAGE);
      if (last === undefined) return query.execute();
      const { session_id, turn_id, step } = last;
      return query.where(sql<boolean>`(session_id, turn_id, step) > (${session_id}, ${turn_id}, ${step})`).execute();
    }),
  );
  for await (const row of rows) {
    const place = `step_snapshots ${row.turn_id}/${row.step}`;
    parseOrReport(scene, place, () => parseSnapshotRow(row, database.codec));
  }
}

function reportPayload({ faults }: CheckScene, place: string, body: string): void {
  if (holdsPayload(body)) faults.add({ kind: 'payload-stored', place, message: 'the row holds bytes as base64' });
}

function isBehind({ session_id, seq }: { readonly session_id: string; readonly seq: number }) {
  return sql<boolean>`(session_id, seq) > (${session_id}, ${seq})`;
}
