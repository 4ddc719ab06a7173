import { type Expression, type SqlBool, sql } from 'kysely';
import { isDigest } from '../base/ids.ts';
import type { StoreFaultKind } from './check-report.ts';
import type { Reader } from './database.ts';
import { type CheckScene, checkPart } from './fault-list.ts';

/** Of one kind so many are named; there is no need to know each. */
const MOST_ROWS = 200;

interface FoundRow {
  readonly place: string;
  readonly digest?: string | null;
}

interface Reference {
  readonly kind: StoreFaultKind;
  readonly table: string;
  readonly message: string;
  /** One statement: it sees every table in the same moment, whatever others write meanwhile. */
  find(reader: Reader): { limit(rows: number): { execute(): Promise<readonly FoundRow[]> } };
}

/** What rows say of each other, each of it asked in one statement. */
const references: readonly Reference[] = [
  {
    kind: 'course-broken',
    table: 'messages',
    message: 'the message before it is not there, or its depth does not follow from it',
    find: (reader) =>
      reader
        .selectFrom('messages as message')
        .leftJoin('messages as parent', (join) =>
          join.onRef('parent.session_id', '=', 'message.session_id').onRef('parent.seq', '=', 'message.parent_seq'),
        )
        .select(placeOf('message.session_id', 'message.seq'))
        .where(
          fact(sql`message.depth <> coalesce(parent.depth, 0) + 1
            or (message.parent_seq is not null and (parent.seq is null or parent.seq >= message.seq))`),
        ),
  },
  {
    kind: 'course-broken',
    table: 'session_counters',
    message: 'the newest message is not there, or its number or depth is another one',
    find: (reader) =>
      reader
        .selectFrom('session_counters as counters')
        .leftJoin('messages as head', (join) =>
          join.onRef('head.session_id', '=', 'counters.session_id').onRef('head.seq', '=', 'counters.head_seq'),
        )
        .select(sql<string>`counters.session_id`.as('place'))
        .where(
          fact(sql`counters.message_count <> coalesce(head.depth, 0)
            or (counters.head_seq is not null and head.seq is null)
            or counters.last_message_seq < coalesce((select max(seq) from messages
              where messages.session_id = counters.session_id), 0)`),
        ),
  },
  {
    kind: 'reference-dangling',
    table: 'sessions',
    message: 'the session has no counters',
    find: (reader) =>
      reader
        .selectFrom('sessions')
        .leftJoin('session_counters', 'session_counters.session_id', 'sessions.id')
        .select('sessions.id as place')
        .where('session_counters.session_id', 'is', null),
  },
  {
    kind: 'row-invalid',
    table: 'turns',
    message: 'it runs although its session was taken over',
    find: (reader) =>
      reader
        .selectFrom('turns')
        .innerJoin('session_leases', 'session_leases.session_id', 'turns.session_id')
        .select('turns.id as place')
        .where('turns.status', '=', 'running')
        .where('turns.epoch', '>', 0)
        .whereRef('turns.epoch', '<', 'session_leases.epoch'),
  },
  {
    kind: 'row-invalid',
    table: 'queue_items',
    message: 'it runs although its turn has ended',
    find: (reader) =>
      reader
        .selectFrom('queue_items')
        .innerJoin('turns', 'turns.id', 'queue_items.turn_id')
        .select('queue_items.id as place')
        .where('queue_items.state', '=', 'running')
        .where('turns.status', '!=', 'running'),
  },
  {
    kind: 'edge-dangling',
    table: 'content_edges',
    message: 'an edge comes from a message that is not there',
    find: (reader) =>
      reader
        .selectFrom('content_edges as edge')
        .leftJoin('messages', (join) =>
          join.onRef('messages.session_id', '=', 'edge.session_id').onRef('messages.id', '=', 'edge.source_id'),
        )
        .select([placeOf('edge.session_id', 'edge.source_id'), 'edge.digest'])
        .where('edge.kind', '=', 'message')
        .where('messages.id', 'is', null),
  },
  {
    kind: 'edge-dangling',
    table: 'content_edges',
    message: 'an edge comes from a queue item that is done or not there',
    find: (reader) =>
      reader
        .selectFrom('content_edges as edge')
        .leftJoin('queue_items', (join) =>
          join.onRef('queue_items.id', '=', 'edge.source_id').on('queue_items.state', '!=', 'done'),
        )
        .select([placeOf('edge.session_id', 'edge.source_id'), 'edge.digest'])
        .where('edge.kind', '=', 'queue-item')
        .where('queue_items.id', 'is', null),
  },
  {
    kind: 'edge-dangling',
    table: 'content_edges',
    message: 'an edge comes from a file change that is not there',
    find: (reader) =>
      reader
        .selectFrom('content_edges as edge')
        .leftJoin('file_changes', (join) =>
          join
            .onRef('file_changes.session_id', '=', 'edge.session_id')
            .onRef('file_changes.turn_id', '=', 'edge.source_id')
            .onRef('file_changes.before_digest', '=', 'edge.digest'),
        )
        .select([placeOf('edge.session_id', 'edge.source_id'), 'edge.digest'])
        .where('edge.kind', '=', 'file-change')
        .where('file_changes.seq', 'is', null),
  },
  {
    kind: 'edge-missing',
    table: 'file_changes',
    message: 'what the file was before has no edge',
    find: (reader) =>
      reader
        .selectFrom('file_changes')
        .leftJoin('content_edges as edge', (join) =>
          join
            .onRef('edge.session_id', '=', 'file_changes.session_id')
            .onRef('edge.source_id', '=', 'file_changes.turn_id')
            .onRef('edge.digest', '=', 'file_changes.before_digest')
            .on('edge.kind', '=', 'file-change'),
        )
        .select([placeOf('file_changes.session_id', 'file_changes.seq'), 'file_changes.before_digest as digest'])
        .where('file_changes.before_digest', 'is not', null)
        .where('edge.digest', 'is', null),
  },
  {
    kind: 'edge-missing',
    table: 'plan_images',
    message: 'a picture of the plan has no edge',
    find: (reader) =>
      reader
        .selectFrom('plan_images')
        .leftJoin('content_edges as edge', (join) =>
          join.onRef('edge.session_id', '=', 'plan_images.session_id').onRef('edge.digest', '=', 'plan_images.digest'),
        )
        .select([placeOf('plan_images.session_id', 'plan_images.position'), 'plan_images.digest'])
        .where('edge.digest', 'is', null),
  },
  {
    kind: 'reference-dangling',
    table: 'plan_images',
    message: 'the pictures belong to no plan, or one is missing',
    find: (reader) =>
      reader
        .selectFrom('plan_images')
        .leftJoin('plans', (join) =>
          join
            .onRef('plans.session_id', '=', 'plan_images.session_id')
            .onRef('plans.endpoint_id', '=', 'plan_images.endpoint_id'),
        )
        .select(sql<string>`plan_images.session_id`.as('place'))
        .groupBy(['plan_images.session_id', 'plan_images.endpoint_id'])
        .having(fact(sql`count(plans.session_id) <> max(plan_images.position) + 1`)),
  },
];

/** Whether every reference between rows leads to one, and every edge comes from one. */
export async function checkReferences(scene: CheckScene): Promise<void> {
  for (const { kind, table, message, find } of references) {
    await checkPart(scene, table, async () => {
      const rows = await scene.database.read((reader) => find(reader).limit(MOST_ROWS).execute());
      for (const { place, digest } of rows) {
        const named = typeof digest === 'string' && isDigest(digest) ? { digest } : {};
        scene.faults.add({ kind, place: `${table} ${place}`, message, ...named });
      }
    });
    scene.advance();
  }
}

function placeOf(session: string, row: string) {
  return sql<string>`${sql.ref(session)} || '/' || cast(${sql.ref(row)} as text)`.as('place');
}

function fact(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`(${condition})`;
}
