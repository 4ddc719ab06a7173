import { type Approver, publishEvents, runTurn } from '@fovea/core/agent';
import { type AppError, isAppError, isoTime } from '@fovea/core/base';
import type { FoveaEvent, QueueItem, Session } from '@fovea/core/content';
import type { LeasedStore, Store } from '@fovea/core/store';
import { titleFrom } from '../create-session.ts';
import type { Services } from '../services.ts';
import { serverTexts } from '../texts.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { type PreparedTurn, prepareTurn } from './prepare-turn.ts';
import type { WorkedTurn } from './session-desk.ts';
import type { SessionHub } from './session-hub.ts';
import { statusOf } from './turn-record-port.ts';

export interface RunningTurnOptions {
  readonly keeper: LeaseKeeper;
  readonly store: Store;
  readonly leased: LeasedStore;
  readonly approver: Approver | undefined;
  readonly hub: SessionHub;
}

/** One queue item on its way through the agent, in this process. */
export class RunningTurn implements WorkedTurn {
  readonly item: QueueItem;
  readonly #options: RunningTurnOptions;
  readonly #services: Services;
  readonly #stopped = new AbortController();
  readonly #watch = { isLeft: false, noteJoined: () => this.#options.hub.noteChange() };
  #ended: Promise<void> = Promise.resolve();
  #lastSeq = 0;
  #isUnsettled = false;

  constructor(item: QueueItem, options: RunningTurnOptions, services: Services) {
    this.item = item;
    this.#options = options;
    this.#services = services;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async leave(): Promise<void> {
    this.#watch.isLeft = true;
    this.#stopped.abort();
    await this.#ended.catch(() => undefined);
  }

  /** Resolves when the turn has ended, or the item is blocked. Throws `STORE_UNAVAILABLE`, `LEASE_LOST`. */
  run(): Promise<void> {
    this.#ended = this.#run();
    return this.#ended;
  }

  /** Its row still says that it runs: under this lease no other turn can begin. */
  get isUnsettled(): boolean {
    return this.#isUnsettled;
  }

  async #run(): Promise<void> {
    const { store, keeper } = this.#options;
    const session = await store.sessions.get(this.item.sessionId);
    if (session === undefined) return;
    const signal = AbortSignal.any([this.#stopped.signal, keeper.lost]);
    const options = { ...this.#options, session, watch: this.#watch, signal };
    const prepared = await prepareTurn(this.item, options, this.#services);
    if (!prepared.ok) {
      await this.#block(prepared.error);
      return;
    }
    try {
      await this.#tell(prepared.value, session);
    } catch (error) {
      await this.#settle(error);
    }
  }

  async #tell({ input, services }: PreparedTurn, session: Session): Promise<void> {
    const { leased, keeper, hub } = this.#options;
    const { turnId, sessionId } = this.item;
    const published = publishEvents(runTurn(input, services), {
      turn: { id: turnId, sessionId },
      epoch: keeper.lease.epoch,
      after: hub.lastSeq,
      records: leased.events,
      clock: this.#services.clock,
      logger: this.#services.logger,
    });
    for await (const told of published) {
      const event = await this.#note(told.event, session);
      this.#lastSeq = told.seq;
      hub.publish({ ...told, event });
    }
  }

  /** What keeps a turn from beginning is none of the store's faults, and no reason to stop working on the queue. */
  async #settle(error: unknown): Promise<void> {
    if (!isAppError(error)) throw error;
    const hasBegun = this.#lastSeq > 0;
    if (error.code === 'LEASE_LOST' && hasBegun) this.#publishLoss();
    // Its sender took it back a moment before.
    if (error.code === 'QUEUE_ITEM_NOT_FOUND' && !hasBegun) return;
    // The message that it edits is gone.
    if (error.code === 'NOT_FOUND' && !hasBegun) await this.#block(error);
    else throw error;
  }

  #publishLoss(): void {
    const { sessionId, turnId } = this.item;
    this.#options.hub.publish({ seq: this.#lastSeq + 1, sessionId, turnId, event: this.#lossEvent() });
  }

  async #block({ code, message }: AppError): Promise<void> {
    await this.#options.leased.queue.block(this.item.id, { code, message });
  }

  /** What has to be stored before an event is told. */
  async #note(event: FoveaEvent, session: Session): Promise<FoveaEvent> {
    const { store } = this.#options;
    const updatedAt = isoTime(this.#services.clock);
    if (event.type === 'turn-accepted') {
      const title = session.title === '' ? { title: titleFrom(this.item.text, this.item.imageInputs.map(nameOf)) } : {};
      await store.sessions.update(session.id, { ...title, model: this.item.model, updatedAt });
    }
    if (event.type !== 'turn-end') return event;
    if (event.error?.code === 'LEASE_LOST') return this.#lossEvent();
    // Its end could not be stored: who takes the session next settles it.
    this.#isUnsettled = event.status === 'interrupted' && event.error !== undefined;
    const status = statusOf(event.status, this.#watch);
    await store.sessions.update(session.id, { updatedAt });
    return { ...event, status };
  }

  /** Told in this process only: the session belongs to another one, and nothing is written any more. */
  #lossEvent(): FoveaEvent {
    const message = serverTexts(this.#services.locale).leaseLost(this.item.sessionId);
    return { type: 'turn-end', status: 'interrupted', error: { code: 'LEASE_LOST', message } };
  }
}

function nameOf(input: QueueItem['imageInputs'][number]): string {
  if ('attachment' in input) return input.attachment.name;
  return 'url' in input ? input.url : input.file.id;
}
