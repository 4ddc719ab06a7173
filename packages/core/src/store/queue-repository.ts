import {
  type ListedQueueItem,
  type PlacedQueueItem,
  QUEUE_ITEMS,
  QUEUE_SCHEMA,
  type QueueHold,
  type QueueItem,
  type QueueItemError,
  type QueueItemFate,
  type QueueSnapshot,
  type SubmissionReceipt,
} from '../content/queue-item.ts';
import type { Database, Writer } from './database.ts';
import { deleteItemEdges } from './finish-queue-item.ts';
import { isNewer, lockQueue, type QueueRow, readQueue } from './lock-queue.ts';
import { moveItem } from './move-queue-item.ts';
import { queueFull, queueItemNotFound, queueReadOnly, refuseLongText } from './queue-faults.ts';
import { readReceipt } from './queue-receipts.ts';
import {
  canRun,
  parseFate,
  parsePlace,
  parseQueueItem,
  type QueueItemRow,
  type QueueOrderRow,
  readItems,
  readOrder,
} from './queue-rows.ts';
import { toSnapshot } from './queue-snapshot.ts';
import { holdQueue, insertQueueItem, type NewQueueItem, updateQueue, updateQueueItem } from './queue-writes.ts';
import { type AdmitLegacyPicture, admitItems, admitNone, upgradeItem, whyNotRunnable } from './upgrade-queue.ts';

/** States in which an item can be moved and removed. */
const WAITING = ['queued', 'blocked', 'uncertain'] as const;

/**
 * The rule "what was accepted is not lost, and runs in its order" (`docs/rules/store-queue.md`). Every
 * writing method is one transaction, durable when it resolves, and begins with locking the queue.
 *
 * Whoever holds the lease of the session calls `openForWriting`, `nextRunnable`, `block` and `hold`, on
 * the repository of `underLease`; every process may call the others.
 *
 * Every method may throw `STORE_UNAVAILABLE`; writing ones `SESSION_NOT_FOUND` and, where a newer Fovea
 * wrote the queue, `QUEUE_READ_ONLY`.
 */
export class QueueRepository {
  readonly #database: Database;
  readonly #owner: string;
  readonly #supportedSchema: number;

  /** @param supportedSchema The newest schema that is understood; lower, it is an older reader. */
  constructor(database: Database, owner: string, supportedSchema: number = QUEUE_SCHEMA) {
    this.#database = database;
    this.#owner = owner;
    this.#supportedSchema = supportedSchema;
  }

  /**
   * The receipt of a submission that was accepted before: asked before anything is admitted again.
   * Throws `SUBMISSION_CONFLICT` when other content was accepted under its id.
   */
  async findReceipt(
    sessionId: string,
    submission: { readonly submissionId: string; readonly contentDigest: string },
  ): Promise<SubmissionReceipt | undefined> {
    return this.#database.read((reader) => readReceipt(reader, this.#place(sessionId), submission));
  }

  /** The receipt of a submission, whatever its content was. */
  async receiptOf(sessionId: string, submissionId: string): Promise<SubmissionReceipt | undefined> {
    return this.#database.read((reader) => readReceipt(reader, this.#place(sessionId), { submissionId }));
  }

  /** What became of an item, also of one that is done; absent where none has the id. */
  async findItem(sessionId: string, itemId: string): Promise<QueueItemFate | undefined> {
    const row = await this.#database.read((reader) =>
      reader
        .selectFrom('queue_items')
        .select(['id', 'state', 'turn_id', 'joined_turn_id', 'error'])
        .where('id', '=', itemId)
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .executeTakeFirst(),
    );
    return row === undefined ? undefined : parseFate(row, this.#database.codec);
  }

  /**
   * Accepts a submission, with the edges of its pictures. The same submission gives its receipt again
   * and adds nothing, also when several processes bring it at once.
   *
   * Throws `SUBMISSION_CONFLICT`, `QUEUE_FULL` (`data`: `limit`) and `TEXT_TOO_LONG` (`data`: `actual`
   * and `limit` in bytes).
   */
  async enqueue(added: NewQueueItem): Promise<SubmissionReceipt> {
    const { sessionId, contentDigest, submission } = added;
    refuseLongText(submission.text);
    return this.#database.write(async (writer) => {
      const queue = await lockQueue(writer, this.#place(sessionId));
      const { submissionId } = submission;
      const accepted = await readReceipt(writer, this.#place(sessionId), { submissionId, contentDigest });
      if (accepted !== undefined) return accepted;
      const order = await readOrder(writer, this.#place(sessionId));
      if (isNewer(queue, order, this.#supportedSchema)) throw queueReadOnly(sessionId);
      if (order.length >= QUEUE_ITEMS) throw queueFull(sessionId);
      await insertQueueItem(writer, added, { owner: this.#owner, codec: this.#database.codec });
      return {
        sessionId,
        submissionId,
        itemId: added.itemId,
        turnId: added.turnId,
        state: 'queued',
        isRepeated: false,
      };
    });
  }

  /** The items that are not done, in their order. */
  async snapshot(sessionId: string): Promise<QueueSnapshot> {
    const { queue, rows } = await this.#database.read(async (reader) => ({
      queue: await readQueue(reader, this.#place(sessionId)),
      rows: await readItems(reader, this.#place(sessionId)),
    }));
    const items = rows.map((row) => this.#parse(row));
    if (queue === undefined) return { sessionId, access: 'read-write', items };
    return toSnapshot(queue, items, { isNewer: isNewer(queue, rows, this.#supportedSchema) });
  }

  /** As {@link snapshot}, without texts and pictures: for whoever asks again and again. */
  async overview(sessionId: string): Promise<QueueSnapshot<PlacedQueueItem>> {
    const { queue, order } = await this.#database.read(async (reader) => ({
      queue: await readQueue(reader, this.#place(sessionId)),
      order: await readOrder(reader, this.#place(sessionId)),
    }));
    const items = order.map(parsePlace);
    if (queue === undefined) return { sessionId, access: 'read-write', items };
    return toSnapshot(queue, items, { isNewer: isNewer(queue, order, this.#supportedSchema) });
  }

  /** Whether an item waits that is not held: whoever takes the session then finds something to do. */
  async hasRunnable(sessionId: string): Promise<boolean> {
    return (await this.#findNext(sessionId)) !== undefined;
  }

  /**
   * The item that runs next: the first that waits and is not held. An item that cannot run as it is
   * (damaged, or its old pictures were not taken) is blocked when its turn comes, and gives none.
   */
  async nextRunnable(sessionId: string): Promise<QueueItem | undefined> {
    const next = await this.#findNext(sessionId);
    const [row] = next === undefined ? [] : await this.#readItems(sessionId, [next.id]);
    if (row === undefined) return undefined;
    const item = this.#parse(row);
    if (canRun(item) && row.schema_version === this.#supportedSchema) return item;
    await this.block(item.id, item.error ?? whyNotRunnable(item));
    return undefined;
  }

  /**
   * Upgrades items of older schemas; call it whenever the session was taken. Pictures that they hold
   * themselves are admitted one by one, before the transaction. Does nothing to a newer queue.
   */
  async openForWriting(sessionId: string, admit: AdmitLegacyPicture = admitNone): Promise<void> {
    const { queue, order } = await this.#readOrder(sessionId);
    if (queue === undefined || isNewer(queue, order, this.#supportedSchema)) return;
    const older = order.filter((row) => row.schema_version < this.#supportedSchema && row.state !== 'blocked');
    if (older.length === 0 && queue.schema_version === this.#supportedSchema) return;
    const rows = await this.#readItems(
      sessionId,
      older.map(({ id }) => id),
    );
    const items = rows.map((row) => this.#parse(row)).filter((item) => item.isUnreadable !== true);
    const admitted = await admitItems(items, admit);
    await this.#change(sessionId, async (writer) => {
      const place = { ...this.#place(sessionId), codec: this.#database.codec };
      for (const item of admitted) await upgradeItem(writer, item, place);
      await updateQueue(writer, sessionId, { schema_version: QUEUE_SCHEMA });
    });
  }

  /** The item's turn could not begin: it is blocked, and everything that waits is held. Nothing, when it does not wait. */
  async block(itemId: string, error: QueueItemError): Promise<void> {
    const item = await this.#database.read((reader) =>
      reader.selectFrom('queue_items').select('session_id').where('id', '=', itemId).executeTakeFirst(),
    );
    if (item === undefined) return;
    const { session_id: sessionId } = item;
    await this.#change(sessionId, async (writer) => {
      const blocked = await updateQueueItem(
        writer,
        { ...this.#place(sessionId), itemId, states: ['queued'] },
        { state: 'blocked', error: this.#database.codec.encodeJson(error) },
      );
      if (blocked) await holdQueue(writer, sessionId, 'blocked');
    });
  }

  /** What waits now waits until the user goes on; what is submitted later does not. */
  async hold(sessionId: string, because: QueueHold): Promise<void> {
    await this.#change(sessionId, (writer) => holdQueue(writer, sessionId, because));
  }

  /** What is held goes on; items that are blocked or uncertain stay so. */
  async resume(sessionId: string): Promise<void> {
    await this.#change(sessionId, (writer) => updateQueue(writer, sessionId, { held_through: 0, held_because: null }));
  }

  /** Takes an item out that does not run; its receipt stays, so that nobody submits it again. Throws `QUEUE_ITEM_NOT_FOUND`. */
  async remove(sessionId: string, itemId: string): Promise<void> {
    await this.#change(sessionId, async (writer) => {
      const removed = await updateQueueItem(
        writer,
        { ...this.#place(sessionId), itemId, states: WAITING },
        {
          state: 'done',
          body: null,
          error: this.#database.codec.encodeJson({ code: 'CANCELED', message: 'removed before it began' }),
        },
      );
      if (!removed) throw queueItemNotFound(sessionId, itemId);
      await deleteItemEdges(writer, { sessionId, itemId });
    });
  }

  /** Puts an item that does not run before another such, or behind all; see {@link moveItem}. Throws `QUEUE_ITEM_NOT_FOUND`. */
  async move({
    sessionId,
    itemId,
    beforeItemId,
  }: {
    readonly sessionId: string;
    readonly itemId: string;
    readonly beforeItemId: string | undefined;
  }): Promise<void> {
    await this.#change(sessionId, async (writer, queue, order) => {
      const waiting = order.filter(({ state }) => state !== 'running');
      const moved = moveItem(waiting, { itemId, beforeItemId, heldThrough: queue.held_through });
      if (moved === undefined) throw queueItemNotFound(sessionId, itemId);
      for (const { id, position } of moved) {
        await writer.updateTable('queue_items').set({ position }).where('id', '=', id).execute();
      }
    });
  }

  /**
   * A blocked or uncertain item waits again, at its place and for a new turn: the row of the old one
   * exists. It and what is behind it are not held any more. Throws `QUEUE_ITEM_NOT_FOUND`.
   *
   * @param requeued.turnId A new id.
   */
  async requeue({
    sessionId,
    itemId,
    turnId,
  }: {
    readonly sessionId: string;
    readonly itemId: string;
    readonly turnId: string;
  }): Promise<void> {
    await this.#change(sessionId, async (writer, queue, order) => {
      const row = order.find(({ id }) => id === itemId);
      const again = { state: 'queued', error: null, turn_id: turnId };
      const isQueued = await updateQueueItem(
        writer,
        { ...this.#place(sessionId), itemId, states: ['blocked', 'uncertain'] },
        again,
      );
      if (!isQueued || row === undefined) throw queueItemNotFound(sessionId, itemId);
      await updateQueue(writer, sessionId, { held_through: Math.min(queue.held_through, row.position - 1) });
    });
  }

  /**
   * A held item goes behind everything else, and is held no longer: whoever sent it still waits for
   * its answer. What is held before it stays so. `false` when it is not held, or does not wait.
   */
  async goOnAlone(sessionId: string, itemId: string): Promise<boolean> {
    return this.#change(sessionId, async (writer, queue, order) => {
      const row = order.find(({ id }) => id === itemId);
      if (row === undefined || row.position > queue.held_through) return false;
      const position = queue.last_position + 1;
      const isMoved = await updateQueueItem(
        writer,
        { ...this.#place(sessionId), itemId, states: ['queued'] },
        { position },
      );
      if (isMoved) await updateQueue(writer, sessionId, { last_position: position });
      return isMoved;
    });
  }

  #place(sessionId: string) {
    return { sessionId, owner: this.#owner };
  }

  #parse(row: QueueItemRow): ListedQueueItem {
    return parseQueueItem(row, { codec: this.#database.codec, supportedSchema: this.#supportedSchema });
  }

  async #findNext(sessionId: string): Promise<QueueOrderRow | undefined> {
    const { queue, order } = await this.#readOrder(sessionId);
    if (queue === undefined || isNewer(queue, order, this.#supportedSchema)) return undefined;
    return order.find(({ state, position }) => state === 'queued' && position > queue.held_through);
  }

  async #readOrder(sessionId: string): Promise<{ queue: QueueRow | undefined; order: readonly QueueOrderRow[] }> {
    return this.#database.read(async (reader) => ({
      queue: await readQueue(reader, this.#place(sessionId)),
      order: await readOrder(reader, this.#place(sessionId)),
    }));
  }

  async #readItems(sessionId: string, ids: readonly string[]): Promise<readonly QueueItemRow[]> {
    if (ids.length === 0) return [];
    return this.#database.read((reader) => readItems(reader, this.#place(sessionId), ids));
  }

  async #change<Value>(
    sessionId: string,
    work: (writer: Writer, queue: QueueRow, order: readonly QueueOrderRow[]) => Promise<Value>,
  ): Promise<Value> {
    return this.#database.write(async (writer) => {
      const queue = await lockQueue(writer, this.#place(sessionId));
      const order = await readOrder(writer, this.#place(sessionId));
      if (isNewer(queue, order, this.#supportedSchema)) throw queueReadOnly(sessionId);
      return work(writer, queue, order);
    });
  }
}
