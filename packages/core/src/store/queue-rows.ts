import type { Selectable } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { errorCodes } from '../base/error-codes.ts';
import { isRecord } from '../base/parse-json.ts';
import { FileReference } from '../content/file-reference.ts';
import { ImageInput, type UserPicture } from '../content/image-input.ts';
import { readLegacyImage } from '../content/parse-message.ts';
import type {
  ListedQueueItem,
  PlacedQueueItem,
  QueueItem,
  QueueItemError,
  QueueItemFate,
  QueueItemState,
  Submission,
  SubmissionReceipt,
} from '../content/queue-item.ts';
import type { Codec } from './codec.ts';
import type { Reader } from './database.ts';
import type { QueuePlace } from './lock-queue.ts';
import type { QueueItemsTable } from './tables.ts';

/** The oldest schema of items that may still wait in a store. */
const OLDEST_QUEUE_SCHEMA = 2;

/** A row, and the session's model: an item of schema 2 names none. */
export type QueueItemRow = Selectable<QueueItemsTable> & { readonly session_model: string };

/** What of an item its order and its turn depend on. */
export type QueueOrderRow = Pick<
  QueueItemRow,
  'id' | 'position' | 'state' | 'intent' | 'schema_version' | 'submission_id' | 'turn_id'
>;

type StoredBody = Pick<Submission, 'text' | 'imageInputs' | 'references' | 'model' | 'consent' | 'edits'>;

type ReadBody = Omit<StoredBody, 'imageInputs'> & { readonly imageInputs: readonly UserPicture[] };

const bodyValidator = Compile(
  Type.Unsafe<StoredBody>(
    Type.Object({
      text: Type.String(),
      imageInputs: Type.Array(ImageInput),
      references: Type.Array(FileReference),
      model: Type.String(),
      consent: Type.Enum(['none', 'yes', 'yes-all']),
      edits: Type.Optional(Type.String()),
    }),
  ),
);

const olderBodyValidator = Compile(Type.Object({ text: Type.String(), images: Type.Array(Type.String()) }));

const errorValidator = Compile(
  Type.Unsafe<QueueItemError>(Type.Object({ code: Type.Enum(Object.keys(errorCodes)), message: Type.String() })),
);

const states: readonly string[] = ['queued', 'running', 'blocked', 'uncertain', 'done'] satisfies QueueItemState[];

/** The order of the items that are not done. Reads no text: 64 of them may have 4 MiB each. */
export function readOrder(reader: Reader, { sessionId, owner }: QueuePlace): Promise<QueueOrderRow[]> {
  return reader
    .selectFrom('queue_items')
    .select(['id', 'position', 'state', 'intent', 'schema_version', 'submission_id', 'turn_id'])
    .where('session_id', '=', sessionId)
    .where('owner', '=', owner)
    .where('state', '!=', 'done')
    .orderBy('position')
    .execute();
}

/** The items of the session that are not done, in their order: all, or those with these ids. */
export function readItems(
  reader: Reader,
  { sessionId, owner }: QueuePlace,
  ids?: readonly string[],
): Promise<QueueItemRow[]> {
  const waiting = reader
    .selectFrom('queue_items')
    .innerJoin('sessions', 'sessions.id', 'queue_items.session_id')
    .selectAll('queue_items')
    .select('sessions.model as session_model')
    .where('queue_items.session_id', '=', sessionId)
    .where('queue_items.owner', '=', owner)
    .where('queue_items.state', '!=', 'done')
    .orderBy('queue_items.position');
  return (ids === undefined ? waiting : waiting.where('queue_items.id', 'in', ids)).execute();
}

/** What of a submission is in the item's body, as it is stored. */
export function encodeBody(body: StoredBody, codec: Codec): string {
  const { text, imageInputs, references, model, consent, edits } = body;
  const stored: StoredBody = {
    text,
    imageInputs,
    references,
    model,
    consent,
    ...(edits === undefined ? {} : { edits }),
  };
  return codec.encodeJson(stored);
}

/** An item of schema 2 has no submission: its upgrade gives it this one, and so does reading it before. */
function submissionIdOf(row: Pick<QueueItemRow, 'id' | 'schema_version' | 'submission_id'>): string {
  return row.schema_version === OLDEST_QUEUE_SCHEMA ? `sub_${row.id}` : row.submission_id;
}

/** As {@link submissionIdOf}; one that was let run again has a turn id already. */
function turnIdOf(row: Pick<QueueItemRow, 'id' | 'turn_id'>): string {
  return row.turn_id === '' ? `turn_${row.id}` : row.turn_id;
}

/**
 * An item of this schema or of an older one. One that cannot be read, because it is newer or damaged,
 * is listed with what its columns say.
 */
export function parseQueueItem(
  row: QueueItemRow,
  { codec, supportedSchema }: { readonly codec: Codec; readonly supportedSchema: number },
): ListedQueueItem {
  const body = row.schema_version > supportedSchema ? undefined : readBody(row, codec);
  return {
    ...parseFate(row, codec),
    ...parsePlace(row),
    ...(body ?? { ...unread, isUnreadable: true }),
    sessionId: row.session_id,
    createdAt: row.created_at,
  };
}

/** Where an item stands, from its columns alone. */
export function parsePlace(row: QueueOrderRow): PlacedQueueItem {
  return {
    id: row.id,
    position: row.position,
    state: parseState(row.state),
    intent: row.intent === 'steer' ? 'steer' : 'follow-up',
    submissionId: submissionIdOf(row),
    turnId: turnIdOf(row),
  };
}

/** Whether its turn can begin: it waits, could be read, and its pictures are stored or links. */
export function canRun(item: ListedQueueItem): item is QueueItem {
  return (
    item.state === 'queued' && item.isUnreadable !== true && item.imageInputs.every((input) => !('dataUri' in input))
  );
}

/** What became of an item, from its columns alone. A state that only a newer Fovea knows counts as `blocked`. */
export function parseFate(
  row: Pick<QueueItemRow, 'id' | 'state' | 'turn_id' | 'joined_turn_id' | 'error'>,
  codec: Codec,
): QueueItemFate {
  const error = parseError(row.error, codec);
  return {
    id: row.id,
    state: parseState(row.state),
    turnId: turnIdOf(row),
    ...(row.joined_turn_id === null ? {} : { joinedTurnId: row.joined_turn_id }),
    ...(error === undefined ? {} : { error }),
  };
}

export function parseReceipt(
  row: Pick<QueueItemRow, 'id' | 'session_id' | 'schema_version' | 'submission_id' | 'turn_id' | 'state'>,
): SubmissionReceipt {
  return {
    sessionId: row.session_id,
    submissionId: submissionIdOf(row),
    itemId: row.id,
    turnId: turnIdOf(row),
    state: parseState(row.state),
    isRepeated: true,
  };
}

const unread = { text: '', imageInputs: [], references: [], model: '', consent: 'none' } as const;

function readBody(row: QueueItemRow, codec: Codec): ReadBody | undefined {
  const decoded = codec.decodeJson(row.body);
  if (!decoded.ok || !isRecord(decoded.value)) return undefined;
  if (row.schema_version > OLDEST_QUEUE_SCHEMA) {
    return bodyValidator.Check(decoded.value) ? decoded.value : undefined;
  }
  if (!olderBodyValidator.Check(decoded.value)) return undefined;
  const { text, images } = decoded.value;
  return { text, imageInputs: images.map(readLegacyImage), references: [], model: row.session_model, consent: 'none' };
}

function parseState(state: string): QueueItemState {
  return isState(state) ? state : 'blocked';
}

function isState(state: string): state is QueueItemState {
  return states.includes(state);
}

function parseError(column: string | null, codec: Codec): QueueItemError | undefined {
  if (column === null) return undefined;
  const decoded = codec.decodeJson(column);
  return decoded.ok && errorValidator.Check(decoded.value) ? decoded.value : undefined;
}
