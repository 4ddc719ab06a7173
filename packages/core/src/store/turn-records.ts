import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { TurnStatus } from '../content/events.ts';
import type { Message, Transcript, UserMessage } from '../content/messages.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { encodeLine } from './codec.ts';
import { addEdges, edgesOfMessage } from './content-graph.ts';
import type { Database, Reader, Writer } from './database.ts';
import { currentProcessMark, hasProcessEnded, type ProcessMark } from './process-mark.ts';
import { type MessageRow, parseMessageRow, parsePlan, parseTurn, parseVariant, STORAGE_REVISION } from './records.ts';
import { findAbandonedTurns } from './running-turns.ts';
import { sessionNotFound } from './session-repository.ts';

/** How a turn ended. */
export interface TurnEnd {
  readonly status: TurnStatus;
  readonly endedAt: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/**
 * What turns read and write. Every writing method is one transaction, durable when it resolves.
 * Several processes may write into one session: sequence and request numbers come from a counter
 * row that the transaction locks.
 *
 * Every method may throw `STORE_UNAVAILABLE`; reading ones `RECORD_INVALID`; writing ones
 * `SESSION_NOT_FOUND`.
 */
export class TurnRecords {
  readonly #database: Database;
  readonly #owner: string;
  readonly #process: ProcessMark;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
    this.#process = currentProcessMark();
  }

  /**
   * The turn's row, its user message and the message's edges. The session counts as used then, and
   * its turns whose processes are gone become `interrupted`.
   *
   * Throws `SESSION_BUSY` (`data`: `sessionId`, `turnId`, `pid`, `host`) while another process, or
   * this one, runs a turn of the session: their messages would mix.
   */
  async startTurn(turn: TurnRecord, message: UserMessage): Promise<void> {
    const { codec } = this.#database;
    await this.#database.write(async (writer) => {
      await this.#insertMessages(writer, turn.sessionId, [message]);
      // After the counter's row is locked, so that of two starts at once the second sees the first.
      await this.#settleOtherTurns(writer, turn);
      await writer
        .insertInto('turns')
        .values({
          id: turn.id,
          session_id: turn.sessionId,
          owner: this.#owner,
          submission_id: encodeLine(turn.submissionId),
          status: turn.status,
          started_at: turn.startedAt,
          ended_at: turn.endedAt ?? null,
          error: turn.error === undefined ? null : codec.encodeJson(turn.error),
          writer: codec.encodeJson(this.#process),
        })
        .execute();
      await writer
        .updateTable('sessions')
        .set({ updated_at: turn.startedAt })
        .where('id', '=', turn.sessionId)
        .where('updated_at', '<', turn.startedAt)
        .execute();
    });
  }

  /** Adds messages at the end of the session, in this order, with the edges of their pictures. */
  async appendMessages(sessionId: string, messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#database.write((writer) => this.#insertMessages(writer, sessionId, messages));
  }

  /** The first end of a turn stays. Throws `INTERNAL` for a turn that was never started. */
  async endTurn(turnId: string, end: TurnEnd): Promise<void> {
    const { codec } = this.#database;
    await this.#database.write(async (writer) => {
      const turn = await this.#selectTurns(writer).where('id', '=', turnId).executeTakeFirst();
      if (turn === undefined) throw new AppError('INTERNAL', `no turn has the id ${turnId}`, { data: { turnId } });
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
    });
  }

  /** Every message of the session, oldest first; empty for a session that does not exist. */
  async loadTranscript(sessionId: string): Promise<Transcript> {
    const rows = await this.#database.read((reader) =>
      reader
        .selectFrom('messages')
        .select(['session_id', 'seq', 'revision', 'body'])
        .where('session_id', '=', sessionId)
        .where('owner', '=', this.#owner)
        .orderBy('seq')
        .execute(),
    );
    return rows.map((row) => parseMessageRow(row, this.#database.codec));
  }

  /**
   * The turns of the session that ended without being finished, oldest first, with the status
   * `interrupted`: those that say so, and those that still say `running` although their process
   * is gone. Changes nothing, so that it is safe beside running processes.
   */
  async interruptedTurns(sessionId: string): Promise<readonly TurnRecord[]> {
    const rows = await this.#database.read((reader) =>
      this.#selectTurns(reader)
        .where('session_id', '=', sessionId)
        .where('status', 'in', ['running', 'interrupted'])
        .orderBy('started_at')
        .orderBy('id')
        .execute(),
    );
    return rows
      .map((row) => parseTurn(row, this.#database.codec))
      .filter((turn) => turn.record.status === 'interrupted' || hasProcessEnded(turn.writer, this.#process))
      .map((turn) => ({ ...turn.record, status: 'interrupted' }));
  }

  async findVariant(originalDigest: Digest, variantKey: string): Promise<VariantRecord | undefined> {
    const row = await this.#database.read((reader) => this.#selectVariant(reader, originalDigest, variantKey));
    return row === undefined ? undefined : parseVariant(row, this.#database.codec);
  }

  /** The record and the session's edges to the variant's bytes. The first writer of a key wins. */
  async saveVariant(sessionId: string, record: VariantRecord): Promise<void> {
    const { codec } = this.#database;
    await this.#database.write(async (writer) => {
      await this.#requireSession(writer, sessionId);
      await writer
        .insertInto('variants')
        .values({
          owner: this.#owner,
          original_digest: record.originalDigest,
          variant_key: record.variantKey,
          digest: record.digest,
          media_type: record.mediaType,
          size_bytes: record.sizeBytes,
          width_px: record.widthPx,
          height_px: record.heightPx,
          changes: codec.encodeJson(record.changes),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const stored = await this.#selectVariant(writer, record.originalDigest, record.variantKey);
      const winner = stored === undefined ? record.digest : parseVariant(stored, codec).digest;
      // A loser's bytes may already be on their way into a request: they stay reachable as well.
      await this.#addVariantEdges(writer, sessionId, [
        { originalDigest: record.originalDigest, digest: winner },
        { originalDigest: record.originalDigest, digest: record.digest },
      ]);
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
    const row = await this.#database.read((reader) => this.#selectPlan(reader, sessionId, endpointId));
    return row === undefined ? undefined : parsePlan(row, this.#database.codec);
  }

  /**
   * Replaces the session's plan for the endpoint. The session gets an edge to every variant that
   * the plan names, also to those that another session had made.
   */
  async savePlan(plan: RequestPlan): Promise<void> {
    const { codec } = this.#database;
    const images = codec.encodeJson(plan.images);
    await this.#database.write(async (writer) => {
      await this.#requireSession(writer, plan.sessionId);
      const row = await this.#selectPlan(writer, plan.sessionId, plan.endpointId);
      const known = new Set(row === undefined ? [] : parsePlan(row, codec).images.map((image) => image.digest));
      await writer
        .insertInto('plans')
        .values({ session_id: plan.sessionId, endpoint_id: plan.endpointId, owner: this.#owner, images })
        .onConflict((conflict) => conflict.columns(['session_id', 'endpoint_id']).doUpdateSet({ images }))
        .execute();
      const added = new Map(
        plan.images.filter((image) => !known.has(image.digest)).map((image) => [image.digest, image]),
      );
      await this.#addVariantEdges(writer, plan.sessionId, [...added.values()]);
    });
  }

  async #insertMessages(writer: Writer, sessionId: string, messages: readonly Message[]): Promise<void> {
    const count = messages.length;
    const counters = await writer
      .updateTable('session_counters')
      .set((expression) => ({
        last_message_seq: expression('last_message_seq', '+', count),
        message_count: expression('message_count', '+', count),
      }))
      .where('session_id', '=', sessionId)
      .where('owner', '=', this.#owner)
      .returning('last_message_seq')
      .executeTakeFirst();
    if (counters === undefined) throw sessionNotFound(sessionId);
    const firstSeq = counters.last_message_seq - count + 1;
    const rows = messages.map(
      (message, index): MessageRow => ({
        session_id: sessionId,
        seq: firstSeq + index,
        owner: this.#owner,
        id: message.id,
        turn_id: message.turnId,
        revision: STORAGE_REVISION,
        body: this.#database.codec.encodeJson(message),
      }),
    );
    await writer.insertInto('messages').values(rows).execute();
    await addEdges(writer, { id: sessionId, owner: this.#owner }, messages.flatMap(edgesOfMessage));
  }

  async #settleOtherTurns(writer: Writer, turn: TurnRecord): Promise<void> {
    const abandoned = await findAbandonedTurns(writer, {
      sessionId: turn.sessionId,
      owner: this.#owner,
      codec: this.#database.codec,
      process: this.#process,
      now: turn.startedAt,
      exceptTurnId: turn.id,
    });
    for (const { id } of abandoned) {
      await writer.updateTable('turns').set({ status: 'interrupted' }).where('id', '=', id).execute();
    }
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

  async #requireSession(writer: Writer, sessionId: string): Promise<void> {
    const session = await writer
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', sessionId)
      .where('owner', '=', this.#owner)
      .executeTakeFirst();
    if (session === undefined) throw sessionNotFound(sessionId);
  }

  #selectTurns(reader: Reader) {
    return reader.selectFrom('turns').selectAll().where('owner', '=', this.#owner);
  }

  #selectVariant(reader: Reader, originalDigest: Digest, variantKey: string) {
    return reader
      .selectFrom('variants')
      .selectAll()
      .where('owner', '=', this.#owner)
      .where('original_digest', '=', originalDigest)
      .where('variant_key', '=', variantKey)
      .executeTakeFirst();
  }

  #selectPlan(reader: Reader, sessionId: string, endpointId: string) {
    return reader
      .selectFrom('plans')
      .selectAll()
      .where('owner', '=', this.#owner)
      .where('session_id', '=', sessionId)
      .where('endpoint_id', '=', endpointId)
      .executeTakeFirst();
  }
}
