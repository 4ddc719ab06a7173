import { QUEUE_SCHEMA } from '../content/queue-item.ts';
import { parseEventRow, parseSnapshotRow } from './event-rows.ts';
import { type CheckScene, checkPart, parseOrReport } from './fault-list.ts';
import { holdsPayload } from './find-stored-payload.ts';
import { readTable } from './read-table.ts';
import { parseFileChange, parseLease, parseSession, parseTurn, parseVariant } from './records.ts';

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
  for await (const row of readTable(database, 'sessions', ['id'])) {
    counts.sessions += 1;
    parseOrReport(scene, `sessions ${row.id}`, () => parseSession(row, database.codec));
  }
}

async function checkTurns(scene: CheckScene): Promise<void> {
  const { database, counts } = scene;
  for await (const row of readTable(database, 'turns', ['id'])) {
    counts.turns += 1;
    if (row.status === 'running') counts.runningTurns += 1;
    parseOrReport(scene, `turns ${row.id}`, () => parseTurn(row, database.codec));
  }
}

async function checkVariants(scene: CheckScene): Promise<void> {
  const { database } = scene;
  for await (const row of readTable(database, 'variants', ['owner', 'original_digest', 'variant_key'])) {
    const place = `variants ${row.original_digest}/${row.variant_key}`;
    parseOrReport(scene, place, () => parseVariant(row, database.codec));
  }
}

async function checkLeases(scene: CheckScene): Promise<void> {
  const { database } = scene;
  for await (const row of readTable(database, 'session_leases', ['session_id'])) {
    parseOrReport(scene, `session_leases ${row.session_id}`, () => parseLease(row, database.codec));
  }
}

async function checkQueues({ database, faults }: CheckScene): Promise<void> {
  for await (const { session_id, schema_version } of readTable(database, 'session_queues', ['session_id'])) {
    if (schema_version <= QUEUE_SCHEMA) continue;
    const message = 'the queue was written by a newer Fovea';
    faults.add({ kind: 'row-of-newer-build', place: `session_queues ${session_id}`, message });
  }
}

async function checkFileChanges(scene: CheckScene): Promise<void> {
  for await (const row of readTable(scene.database, 'file_changes', ['session_id', 'seq'])) {
    parseOrReport(scene, `file_changes ${row.session_id}/${row.seq}`, () => parseFileChange(row));
  }
}

async function checkEvents(scene: CheckScene): Promise<void> {
  const { database, faults } = scene;
  for await (const row of readTable(database, 'session_events', ['session_id', 'seq'])) {
    const place = `session_events ${row.session_id}/${row.seq}`;
    const told = parseOrReport(scene, place, () => parseEventRow(row, database.codec));
    // What the model calls a tool with is its own words.
    const isOfModel = told?.event.type === 'tool-call' || told?.event.type === 'approval-request';
    if (isOfModel || !holdsPayload(row.body)) continue;
    faults.add({ kind: 'payload-stored', place, message: 'the row holds bytes as base64' });
  }
}

async function checkSnapshots(scene: CheckScene): Promise<void> {
  const { database } = scene;
  for await (const row of readTable(database, 'step_snapshots', ['session_id', 'turn_id', 'step'])) {
    const place = `step_snapshots ${row.turn_id}/${row.step}`;
    parseOrReport(scene, place, () => parseSnapshotRow(row, database.codec));
  }
}
