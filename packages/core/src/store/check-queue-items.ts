import { QUEUE_SCHEMA } from '../content/queue-item.ts';
import { type CheckScene, readRows } from './fault-list.ts';
import { holdsPayload } from './find-stored-payload.ts';
import { parseQueueItem, type QueueItemRow } from './queue-rows.ts';

const ITEMS_A_PAGE = 16;

type RowWithEdge = QueueItemRow & { readonly edge_digest: string | null };

/**
 * Every item that is not done can be read and has exactly the edges of its pictures; apart from the
 * user's own words it holds no bytes. An item and its edges are read in one statement.
 */
export async function checkQueueItems(scene: CheckScene): Promise<void> {
  for await (const { id, state } of readRows<ItemName>((last) => readNames(scene, last))) {
    scene.counts.queueItems += 1;
    if (state !== 'done') await checkItem(scene, id);
  }
}

async function checkItem(scene: CheckScene, id: string): Promise<void> {
  const { database, faults } = scene;
  const rows = await readItem(scene, id);
  const [row] = rows;
  if (row === undefined || row.state === 'done') return;
  const place = `queue_items ${row.id}`;
  if (row.schema_version > QUEUE_SCHEMA) {
    faults.add({ kind: 'row-of-newer-build', place, message: 'the item was written by a newer Fovea' });
    return;
  }
  const item = parseQueueItem(row, { codec: database.codec, supportedSchema: QUEUE_SCHEMA });
  if (item.isUnreadable === true) {
    faults.add({ kind: 'row-invalid', place, message: 'the item cannot be read' });
    return;
  }
  if (row.schema_version === QUEUE_SCHEMA && holdsPayload(JSON.stringify({ ...item, text: '', references: [] }))) {
    faults.add({ kind: 'payload-stored', place, message: 'the item holds bytes as base64' });
  }
  const named = new Set(item.imageInputs.flatMap((input) => ('attachment' in input ? [input.attachment.digest] : [])));
  const edges = new Set(rows.flatMap(({ edge_digest }) => (edge_digest === null ? [] : [edge_digest])));
  for (const digest of named) {
    if (edges.has(digest)) continue;
    faults.add({ kind: 'edge-missing', place, digest, message: 'the item names a picture without an edge' });
  }
  const isExact = [...edges].every((digest) => [...named].some((name) => name === digest));
  if (!isExact) faults.add({ kind: 'edge-dangling', place, message: 'an edge leads to a picture that is not named' });
}

interface ItemName {
  readonly id: string;
  readonly state: string;
}

function readNames({ database }: CheckScene, last: ItemName | undefined): Promise<readonly ItemName[]> {
  return database.read((reader) =>
    reader
      .selectFrom('queue_items')
      .select(['id', 'state'])
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(ITEMS_A_PAGE)
      .execute(),
  );
}

function readItem({ database }: CheckScene, id: string): Promise<readonly RowWithEdge[]> {
  return database.read((reader) =>
    reader
      .selectFrom('queue_items')
      .innerJoin('sessions', 'sessions.id', 'queue_items.session_id')
      .leftJoin('content_edges', (join) =>
        join
          .onRef('content_edges.session_id', '=', 'queue_items.session_id')
          .onRef('content_edges.source_id', '=', 'queue_items.id')
          .on('content_edges.kind', '=', 'queue-item'),
      )
      .selectAll('queue_items')
      .select(['sessions.model as session_model', 'content_edges.digest as edge_digest'])
      .where('queue_items.id', '=', id)
      .execute(),
  );
}
