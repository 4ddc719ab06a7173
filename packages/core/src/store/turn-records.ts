import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { TurnStatus } from '../content/events.ts';
import type { Message, Transcript, UserMessage } from '../content/messages.ts';
import type { QueueItem } from '../content/queue-item.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { insertMessages } from './append-messages.ts';
import { beginQueueItem } from './begin-queue-item.ts';
import { encodeLine } from './codec.ts';
import { addEdges } from './content-graph.ts';
import type { Database, Reader, Writer } from './database.ts';
import { deleteEvents } from './event-repository.ts';
import { finishQueueItem } from './finish-queue-item.ts';
import { goBackBefore } from './go-back-before.ts';
import { holdBehind } from './hold-behind.ts';
import { readInterruptedTurns } from './interrupted-turns.ts';
import { type KeptPicture, keepOldPictures } from './keep-old-pictures.ts';
import { lockQueue } from './lock-queue.ts';
import { lockIdleSession } from './lock-session.ts';
import { readCourse, readCourses } from './message-course.ts';
import { type PageQuery, readPage } from './message-page.ts';
import { parseCourse } from './parse-course.ts';
import { readPlan, writePlan } from './plan-rows.ts';
import { currentProcessMark, type ProcessMark } from './process-mark.ts';
import { requireUserMessage } from './require-message.ts';
import { requireSession, sessionNotFound } from './session-repository.ts';
import { findSteering, joinTurn } from './steering-items.ts';
import { lockVariant, readVariant, writeVariant } from './variant-rows.ts';

/** Where a turn's message stands when it is not simply behind the last one. */
export interface TurnPlace {
  /** The user message in whose place it is put: it gets the same message before it. */
  readonly edits?: string;
}

/** How a turn ended. */
export interface TurnEnd {
  readonly status: TurnStatus;
  readonly endedAt: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/**
 * What turns read and write. Every writing method is one transaction, durable when it resolves.
 * Sequence and request numbers come from a counter row that the transaction locks: none is given
 * twice, whoever writes.
 *
 * Every method may throw `STORE_UNAVAILABLE`; reading ones `RECORD_INVALID`; writing ones
 * `SESSION_NOT_FOUND`.
 */
export class TurnRecords {
  readonly #database: Database;
  readonly #owner: string;
  readonly #process: ProcessMark;
  readonly #epoch: number;

  /** @param epoch Of the lease under which turns are started; 0 without one. */
  constructor(database: Database, owner: string, epoch = 0) {
    this.#database = database;
    this.#owner = owner;
    this.#epoch = epoch;
    this.#process = currentProcessMark();
  }

  /**
   * The turn's row, its user message and the message's edges; its queue item, if it has one, runs
   * from then on. The session counts as used then.
   *
   * Throws `SESSION_BUSY` (`data`: `sessionId`, `turnId`) while another turn of the session runs:
   * their messages would mix. Throws `NOT_FOUND` when `edits` is no user message of the session.
   * Throws `QUEUE_ITEM_NOT_FOUND` when its item was removed a moment before.
   */
  async startTurn(turn: TurnRecord, message: UserMessage, { edits }: TurnPlace = {}): Promise<void> {
    const { codec } = this.#database;
    const { sessionId } = turn;
    await this.#database.write(async (writer) => {
      await lockIdleSession(writer, { id: sessionId, owner: this.#owner });
      if (edits !== undefined) {
        await goBackBefore(writer, { sessionId, owner: this.#owner, messageId: edits }, codec);
      }
      await this.#insertMessages(writer, sessionId, [message]);
      await writer
        .insertInto('turns')
        .values({
          id: turn.id,
          session_id: sessionId,
          owner: this.#owner,
          submission_id: encodeLine(turn.submissionId),
          status: turn.status,
          started_at: turn.startedAt,
          ended_at: turn.endedAt ?? null,
          error: turn.error === undefined ? null : codec.encodeJson(turn.error),
          writer: codec.encodeJson(this.#process),
          epoch: this.#epoch,
          has_effects: 0,
        })
        .execute();
      await beginQueueItem(writer, { sessionId, turnId: turn.id });
      await writer
        .updateTable('sessions')
        .set({ updated_at: turn.startedAt })
        .where('id', '=', sessionId)
        .where('updated_at', '<', turn.startedAt)
        .execute();
    });
  }

  /** Before the first call of the turn that may change something. Called again, it changes nothing. */
  async noteEffects(turnId: string): Promise<void> {
    await this.#database.write(async (writer) => {
      await writer
        .updateTable('turns')
        .set({ has_effects: 1 })
        .where('id', '=', turnId)
        .where('owner', '=', this.#owner)
        .execute();
    });
  }

  /**
   * The waiting `steer` items of the session become messages of the running turn, and are done. Looks
   * first without a transaction: mostly there is none. Throws `RECORD_INVALID`.
   */
  async joinSteering(
    { id: turnId, sessionId }: Pick<TurnRecord, 'id' | 'sessionId'>,
    toMessage: (item: QueueItem) => UserMessage,
  ): Promise<readonly UserMessage[]> {
    const { codec } = this.#database;
    const query = { sessionId, owner: this.#owner, codec };
    if ((await this.#database.read((reader) => findSteering(reader, query))).length === 0) return [];
    return this.#database.write(async (writer) => {
      await lockQueue(writer, query);
      const items = await findSteering(writer, query);
      const messages = items.map(toMessage);
      if (messages.length > 0) await this.#insertMessages(writer, sessionId, messages);
      for (const item of items) await joinTurn(writer, { item, turnId });
      return messages;
    });
  }

  /** Adds messages at the end of the session, in this order, with the edges of their pictures. */
  async appendMessages(sessionId: string, messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#database.write((writer) => this.#insertMessages(writer, sessionId, messages));
  }

  /**
   * The first end of a turn stays. Its queue item is done, what waits behind a turn that did not end
   * well is held, and what it told is deleted: the messages are the history. Throws `INTERNAL` for a turn that was never started.
   */
  async endTurn(turnId: string, end: TurnEnd): Promise<void> {
    const { codec } = this.#database;
    await this.#database.write(async (writer) => {
      const turn = await this.#selectTurns(writer).where('id', '=', turnId).executeTakeFirst();
      if (turn === undefined) throw new AppError('INTERNAL', `no turn has the id ${turnId}`, { data: { turnId } });
      if (turn.status === 'running') await holdBehind(writer, turn, end.status);
      await writer
        .updateTable('turns')
        .set({
          status: end.status,
          ended_at: end.endedAt,
          error: end.error === undefined ? null : codec.encodeJson(end.error),
        })
        .where('id', '=', turnId)
        .where('status', '=', 'running')
        .execute();
      await finishQueueItem(writer, turnId);
      await deleteEvents(writer, { sessionId: turn.session_id, turnId });
    });
  }

  /** The messages of the course that the session is on, oldest first; empty for a session that does not exist. */
  async loadTranscript(sessionId: string): Promise<Transcript> {
    const rows = await this.#database.read((reader) => readCourse(reader, { sessionId, owner: this.#owner }));
    return parseCourse(rows, this.#database.codec);
  }

  /**
   * The session holds the bytes of pictures that old messages held themselves, from those messages.
   * Writes nothing where it does already. Throws `SESSION_NOT_FOUND`.
   */
  async keepOldPictures(sessionId: string, pictures: readonly KeptPicture[]): Promise<void> {
    await keepOldPictures(this.#database, { id: sessionId, owner: this.#owner }, pictures);
  }

  /** One page of the conversation, oldest first; see `message-page.ts`. */
  async loadPage(sessionId: string, page: PageQuery): Promise<readonly Message[]> {
    const session = { sessionId, owner: this.#owner, codec: this.#database.codec };
    return this.#database.read((reader) => readPage(reader, session, page));
  }

  /** The ids of the messages that stand where this one stands, on other courses and on its own. Throws `NOT_FOUND`. */
  async coursesOf(sessionId: string, messageId: string): Promise<readonly string[]> {
    return this.#database.read((reader) => readCourses(reader, { sessionId, owner: this.#owner, messageId }));
  }

  /** Throws `NOT_FOUND` when no message can be put in the place of this one: it is none of the user's, or not there. */
  async requireEditable(sessionId: string, messageId: string): Promise<void> {
    const { codec } = this.#database;
    await this.#database.read((reader) =>
      requireUserMessage(reader, { sessionId, owner: this.#owner, messageId }, codec),
    );
  }

  /** The turns of the session that ended without being finished, oldest first; see `interrupted-turns.ts`. */
  async interruptedTurns(sessionId: string): Promise<readonly TurnRecord[]> {
    const { kind, codec } = this.#database;
    return this.#database.read((reader) =>
      readInterruptedTurns(reader, { sessionId, owner: this.#owner, kind, codec }),
    );
  }

  async findVariant(originalDigest: Digest, variantKey: string): Promise<VariantRecord | undefined> {
    const place = { owner: this.#owner, codec: this.#database.codec };
    return this.#database.read((reader) => readVariant(reader, place, { originalDigest, variantKey }));
  }

  /** The record and the session's edges to the variant's bytes. The first writer of a key wins. */
  async saveVariant(sessionId: string, record: VariantRecord): Promise<void> {
    const place = { owner: this.#owner, codec: this.#database.codec };
    await this.#database.write(async (writer) => {
      await requireSession(writer, { id: sessionId, owner: this.#owner });
      const { originalDigest } = record;
      const winner = await writeVariant(writer, place, record);
      // A loser's bytes may already be on their way into a request: they stay reachable as well.
      await this.#addVariantEdges(writer, sessionId, [
        { originalDigest, digest: winner },
        { originalDigest, digest: record.digest },
      ]);
    });
  }

  /**
   * The session's edge to the bytes of a variant that was found; `false` when garbage was collected
   * meanwhile, so that it has to be made anew. Never makes a record: its bytes might be gone.
   */
  async holdVariant(sessionId: string, record: VariantRecord): Promise<boolean> {
    return this.#database.write(async (writer) => {
      await requireSession(writer, { id: sessionId, owner: this.#owner });
      if (!(await lockVariant(writer, { owner: this.#owner }, record))) return false;
      await this.#addVariantEdges(writer, sessionId, [record]);
      return true;
    });
  }

  /** The number of the session's next request, from 1; each call gives another. */
  async takeRequestNumber(sessionId: string): Promise<number> {
    return this.#database.write(async (writer) => {
      const counters = await writer
        .updateTable('session_counters')
        .set((expression) => ({ last_request_number: expression('last_request_number', '+', 1) }))
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .returning('last_request_number')
        .executeTakeFirst();
      if (counters === undefined) throw sessionNotFound(sessionId);
      return counters.last_request_number;
    });
  }

  async loadPlan(sessionId: string, endpointId: string): Promise<RequestPlan | undefined> {
    return this.#database.read((reader) => readPlan(reader, { sessionId, endpointId, owner: this.#owner }));
  }

  /**
   * Replaces the session's plan for the endpoint, writing the pictures that changed. The session gets
   * an edge to every variant that the plan names, also to those that another session had made.
   */
  async savePlan(plan: RequestPlan): Promise<void> {
    await this.#database.write(async (writer) => {
      await requireSession(writer, { id: plan.sessionId, owner: this.#owner });
      const changed = await writePlan(writer, { plan, owner: this.#owner });
      await this.#addVariantEdges(writer, plan.sessionId, changed);
    });
  }

  #insertMessages(writer: Writer, sessionId: string, messages: readonly Message[]): Promise<void> {
    const place = { sessionId, owner: this.#owner, codec: this.#database.codec };
    return insertMessages(writer, place, messages);
  }

  #addVariantEdges(
    writer: Writer,
    sessionId: string,
    images: readonly { readonly originalDigest: Digest; readonly digest: Digest }[],
  ): Promise<void> {
    const session = { id: sessionId, owner: this.#owner };
    const edges = images.map(
      (image) => ({ kind: 'variant', sourceId: image.originalDigest, digest: image.digest }) as const,
    );
    return addEdges(writer, session, edges);
  }

  #selectTurns(reader: Reader) {
    return reader.selectFrom('turns').selectAll().where('owner', '=', this.#owner);
  }
}
