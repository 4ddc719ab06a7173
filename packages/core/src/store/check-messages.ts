import { sql } from 'kysely';
import type { Digest } from '../base/ids.ts';
import type { Message } from '../content/messages.ts';
import { edgesOfMessage } from './content-graph.ts';
import { type CheckScene, FaultList, parseOrReport, readRows } from './fault-list.ts';
import { messageHoldsPayload } from './find-stored-payload.ts';
import { parseMessageRow } from './records.ts';
import { STORAGE_REVISION } from './storage-revision.ts';
import type { MessagesTable } from './tables.ts';

/** A message may be megabytes, so that few are held at a time. */
const MESSAGES_A_PAGE = 16;
const EDGES_A_PAGE = 1_000;

type Row = Pick<MessagesTable, 'session_id' | 'seq' | 'id' | 'turn_id' | 'revision' | 'body'>;

/**
 * Every message can be read, holds no bytes, and has exactly the edges of its pictures. Looks for
 * what is suspicious first; only one statement, which sees a message and its edges in the same
 * moment, says that it is a fault: others write meanwhile.
 */
export async function checkMessages(scene: CheckScene): Promise<void> {
  let session: { readonly id: string; readonly pictures: Map<string, number> } | undefined;
  for await (const row of readRows<Row>((last) => readMessages(scene, last))) {
    if (row.session_id !== session?.id) {
      if (session !== undefined) await checkEdgesOf(scene, session);
      session = { id: row.session_id, pictures: new Map() };
    }
    const message = checkMessage(scene, row);
    const named = message === undefined ? [] : [...digestsOf(message)];
    if (named.length > 0) {
      session.pictures.set(row.id, named.length);
      if ((await countEdgesTo(scene, row, named)) < named.length) await compareEdges(scene, row);
    }
    scene.advance();
  }
  if (session !== undefined) await checkEdgesOf(scene, session);
}

function checkMessage(scene: CheckScene, row: Row): Message | undefined {
  const { counts, faults, database } = scene;
  const place = placeOf(row);
  counts.messages += 1;
  if (row.revision < STORAGE_REVISION) counts.oldMessages += 1;
  const message = parseOrReport(scene, place, () => parseMessageRow(row, database.codec));
  if (message === undefined) return undefined;
  if (message.id !== row.id || message.turnId !== row.turn_id) {
    faults.add({ kind: 'row-invalid', place, message: 'the row and its body name different messages' });
  }
  if (row.revision >= STORAGE_REVISION && messageHoldsPayload(message)) {
    faults.add({ kind: 'payload-stored', place, message: 'the message holds bytes as base64' });
  }
  return message;
}

/** Every picture has its edge, so that as many edges as pictures are the right ones; other messages are looked at. */
async function checkEdgesOf(
  scene: CheckScene,
  { id, pictures }: { readonly id: string; readonly pictures: ReadonlyMap<string, number> },
): Promise<void> {
  for await (const { source_id, edges } of readRows<EdgeCount>((last) => countEdges(scene, id, last))) {
    if ((pictures.get(source_id) ?? 0) < edges) await compareEdges(scene, { session_id: id, id: source_id });
  }
}

/** How many of the pictures that a message names have its edge. */
async function countEdgesTo(
  { database }: CheckScene,
  { session_id, id }: Pick<Row, 'session_id' | 'id'>,
  digests: readonly Digest[],
): Promise<number> {
  const rows = await database.read((reader) =>
    reader
      .selectFrom('content_edges')
      .select('digest')
      .where('session_id', '=', session_id)
      .where('digest', 'in', digests)
      .where('kind', '=', 'message')
      .where('source_id', '=', id)
      .execute(),
  );
  return rows.length;
}

interface EdgeCount {
  readonly source_id: string;
  readonly edges: number;
}

/** How many edges come from each message of a session. */
function countEdges(
  { database }: CheckScene,
  sessionId: string,
  last: EdgeCount | undefined,
): Promise<readonly EdgeCount[]> {
  return database.read((reader) =>
    reader
      .selectFrom('content_edges')
      .select(['source_id', (expression) => expression.fn.countAll<number>().as('edges')])
      .where('session_id', '=', sessionId)
      .where('kind', '=', 'message')
      .where('source_id', '>', last?.source_id ?? '')
      .groupBy('source_id')
      .orderBy('source_id')
      .limit(EDGES_A_PAGE)
      .execute(),
  );
}

/** One message against its edges, in one moment. A message of an old form may have more than it names. */
async function compareEdges(scene: CheckScene, { session_id, id }: Pick<Row, 'session_id' | 'id'>): Promise<void> {
  const { database, faults } = scene;
  const rows = await database.read((reader) =>
    reader
      .selectFrom('messages')
      .leftJoin('content_edges', (join) =>
        join
          .onRef('content_edges.session_id', '=', 'messages.session_id')
          .onRef('content_edges.source_id', '=', 'messages.id')
          .on('content_edges.kind', '=', 'message'),
      )
      .select(['messages.session_id', 'messages.seq', 'messages.id', 'messages.turn_id', 'messages.revision'])
      .select(['messages.body', 'content_edges.digest'])
      .where('messages.session_id', '=', session_id)
      .where('messages.id', '=', id)
      .execute(),
  );
  const [row] = rows;
  // Without a message its edges are met among those that come from nothing.
  if (row === undefined) return;
  const place = placeOf(row);
  // A row that cannot be read was reported where it was met first.
  const message = parseOrReport({ faults: new FaultList() }, place, () => parseMessageRow(row, database.codec));
  if (message === undefined) return;
  const named = digestsOf(message);
  const edges = new Set(rows.flatMap(({ digest }) => (digest === null ? [] : [digest])));
  for (const digest of named) {
    if (edges.has(digest)) continue;
    faults.add({ kind: 'edge-missing', place, digest, message: 'the message names a picture without an edge' });
  }
  if (row.revision < STORAGE_REVISION) return;
  for (const digest of edges) {
    if (named.has(digest)) continue;
    faults.add({ kind: 'edge-dangling', place, digest, message: 'an edge leads to a picture that is not named' });
  }
}

function readMessages({ database }: CheckScene, last: Row | undefined): Promise<readonly Row[]> {
  return database.read((reader) => {
    const query = reader
      .selectFrom('messages')
      .select(['session_id', 'seq', 'id', 'turn_id', 'revision', 'body'])
      .orderBy('session_id')
      .orderBy('seq')
      .limit(MESSAGES_A_PAGE);
    const behind = last && sql<boolean>`(session_id, seq) > (${last.session_id}, ${last.seq})`;
    return (behind === undefined ? query : query.where(behind)).execute();
  });
}

function digestsOf(message: Message): ReadonlySet<Digest> {
  return new Set(edgesOfMessage(message).map(({ digest }) => digest));
}

function placeOf({ session_id, seq }: Pick<Row, 'session_id' | 'seq'>): string {
  return `messages ${session_id}/${seq}`;
}
