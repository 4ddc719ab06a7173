import type { ListedQueueItem, QueueSnapshot } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import { describeItem, isHeld, waitingItems } from '../queue-lines.ts';
import { describeMessage, type EnteredMessage, type MessageQueue } from './message-queue.ts';

/** A message that this chat submitted. */
interface OwnMessage {
  readonly message: EnteredMessage;
  /** It stands on the screen already. */
  readonly isShown: boolean;
}

/** One of the things that wait: a message of the session's queue, or a line that is kept here. */
export type WaitingEntry =
  | { readonly kind: 'queued'; readonly item: ListedQueueItem }
  | { readonly kind: 'local'; readonly message: EnteredMessage };

/**
 * What waits in the conversation: the messages of the session's durable queue, as it was last looked
 * at, those that are just being submitted, and the lines behind them that are kept here.
 */
export class WaitingMessages {
  readonly #fovea: Fovea;
  readonly local: MessageQueue;
  readonly #own = new Map<string, OwnMessage>();
  #submitting: EnteredMessage[] = [];
  #snapshot: QueueSnapshot | undefined;

  constructor(fovea: Fovea, local: MessageQueue) {
    this.#fovea = fovea;
    this.local = local;
  }

  get snapshot(): QueueSnapshot | undefined {
    return this.#snapshot;
  }

  get count(): number {
    return this.#queued.length + this.#submitting.length + this.local.count;
  }

  get isSubmitting(): boolean {
    return this.#submitting.length > 0;
  }

  /** Something runs, or is going to without anybody's help. */
  get isGoingOn(): boolean {
    const queue = this.#snapshot;
    if (queue === undefined) return false;
    return queue.items.some((item) => item.state === 'running' || (item.state === 'queued' && !isHeld(item, queue)));
  }

  /** Messages that wait until the user goes on. */
  get heldCount(): number {
    return this.#snapshot?.access === 'read-write' ? (this.#snapshot.held?.count ?? 0) : 0;
  }

  get entries(): readonly WaitingEntry[] {
    const queued = this.#queued.map((item): WaitingEntry => ({ kind: 'queued', item }));
    return [...queued, ...this.local.messages.map((message): WaitingEntry => ({ kind: 'local', message }))];
  }

  /** Looks again. Throws `SESSION_NOT_FOUND`, `STORE_UNAVAILABLE`. */
  async refresh(sessionId: string | undefined): Promise<void> {
    this.#snapshot = sessionId === undefined ? undefined : await this.#fovea.queue(sessionId);
  }

  /** Another session: what was known of the former one does not count any more. */
  forget(): void {
    this.#snapshot = undefined;
    this.#own.clear();
  }

  beginSubmitting(message: EnteredMessage): void {
    this.#submitting.push(message);
  }

  /** `turnId` is that of the receipt; absent where the message was refused. */
  endSubmitting(own: OwnMessage, turnId?: string): void {
    this.#submitting = this.#submitting.filter((one) => one !== own.message);
    if (turnId !== undefined) this.#own.set(turnId, own);
  }

  isOwn(turnId: string): boolean {
    return this.#own.has(turnId);
  }

  /** What a turn that begins says first; absent where it stands on the screen already, or is not known. */
  lineOf(turnId: string): string | undefined {
    const own = this.#own.get(turnId);
    this.#own.delete(turnId);
    if (own !== undefined) return own.isShown ? undefined : describeMessage(own.message);
    const item = this.#snapshot?.items.find((one) => one.turnId === turnId);
    return item === undefined ? undefined : describeItem(item);
  }

  /** An item in one line, as it was entered where it was entered here. */
  describe(item: ListedQueueItem): string {
    const own = this.#own.get(item.turnId);
    return own === undefined ? describeItem(item) : describeMessage(own.message);
  }

  /**
   * Takes an entry out; gives it as it was entered. Pictures of a message that another process took
   * in are not given. Throws `QUEUE_ITEM_NOT_FOUND`, `QUEUE_READ_ONLY`.
   */
  async take(entry: WaitingEntry): Promise<EnteredMessage> {
    if (entry.kind === 'local') {
      this.local.removeMessage(entry.message);
      return entry.message;
    }
    const { item } = entry;
    await this.#fovea.removeQueued(item.sessionId, item.id);
    const message = this.#own.get(item.turnId)?.message ?? { line: item.text, attachments: [] };
    this.#own.delete(item.turnId);
    await this.refresh(item.sessionId);
    return message;
  }

  get #queued(): readonly ListedQueueItem[] {
    return this.#snapshot === undefined ? [] : waitingItems(this.#snapshot);
  }
}
