import { admitDataUri } from '@fovea/core/attachments';
import { fail, isAppError, isoTime, ok, toAppError } from '@fovea/core/base';
import { type QueueItem, refusalText } from '@fovea/core/content';
import type { AdmitLegacyPicture, LeasedStore, Store } from '@fovea/core/store';
import { imageLimitsFor, mergeLimits } from '../admission-limits.ts';
import type { Services } from '../services.ts';
import type { Approvers } from './approvers.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { RunningTurn } from './running-turn.ts';
import type { QueueWorker } from './session-desk.ts';
import type { SessionHub } from './session-hub.ts';

/** How often a session is looked at that another process works on. */
export const LOOK_AGAIN_MS = 150;

export interface RunnerOptions {
  readonly sessionId: string;
  readonly hub: SessionHub;
  readonly approvers: Approvers;
}

interface LeasedWork {
  readonly keeper: LeaseKeeper;
  readonly store: Store;
  readonly leased: LeasedStore;
}

/**
 * Works on the queue of one session for this process: takes the session as soon as nobody else has
 * it, runs what waits, in order, and gives it back. Everything that it does is told by the hub, a
 * failure of the store included.
 */
export class SessionRunner implements QueueWorker {
  readonly #options: RunnerOptions;
  readonly #services: Services;
  readonly #closing = new AbortController();
  /** Turns that this process submitted and that have not ended. */
  readonly #ownTurnIds = new Set<string>();
  #isAttended = false;
  #isWoken = false;
  #isWaiting = false;
  #work: Promise<void> | undefined;
  #turn: RunningTurn | undefined;

  constructor(options: RunnerOptions, services: Services) {
    this.#options = options;
    this.#services = services;
  }

  get turn(): RunningTurn | undefined {
    return this.#turn;
  }

  attend(): void {
    this.#isAttended = true;
    this.wake();
  }

  own(turnId: string): void {
    this.#ownTurnIds.add(turnId);
    this.wake();
  }

  disown(turnId: string): void {
    this.#ownTurnIds.delete(turnId);
  }

  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#isWoken = true;
    this.#work ??= this.#run();
  }

  async settle(): Promise<void> {
    while (this.#work !== undefined && this.#turn === undefined && !this.#isWaiting) {
      await this.#options.hub.nextNews();
    }
  }

  /** Leaves what runs and what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turn?.leave();
    await this.#work;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken && !this.#closing.signal.aborted) {
        this.#isWoken = false;
        await this.#workOff(await this.#services.openStore('write'));
      }
    } catch (error) {
      this.#services.logger.error('queue-failed', { sessionId: this.#options.sessionId, code: toAppError(error).code });
      this.#options.hub.fail(error);
    } finally {
      this.#work = undefined;
      this.#options.hub.noteChange();
    }
  }

  async #workOff(store: Store): Promise<void> {
    const { sessionId } = this.#options;
    const { clock } = this.#services;
    do {
      const acquired = await store.leases.acquire(sessionId, isoTime(clock));
      if (acquired.ok) await this.#workUnder(acquired.value.lease, store);
      else await this.#wait();
    } while (this.#isWilling && (await store.queue.hasRunnable(sessionId)));
  }

  /** Whether what waits is run here: a process that is about to end leaves it to the others. */
  get #isWilling(): boolean {
    if (this.#closing.signal.aborted) return false;
    return this.#services.queues === 'all' || this.#isAttended || this.#ownTurnIds.size > 0;
  }

  /** Another process has the session; if it dies, nobody tells us. */
  async #wait(): Promise<void> {
    this.#isWaiting = true;
    this.#options.hub.noteChange();
    await this.#services.clock.sleep(LOOK_AGAIN_MS, this.#closing.signal).catch(() => undefined);
    this.#isWaiting = false;
  }

  async #workUnder(lease: LeaseKeeper['lease'], store: Store): Promise<void> {
    const { sessionId, hub } = this.#options;
    const { clock, logger } = this.#services;
    const keeper = new LeaseKeeper(lease, { leases: store.leases, clock, logger });
    const leased = store.underLease(lease);
    try {
      await leased.queue.openForWriting(sessionId, this.#admitter(store));
      for (;;) {
        const item = this.#isWilling ? await leased.queue.nextRunnable(sessionId) : undefined;
        if (item === undefined) break;
        const turn = await this.#runItem(item, { keeper, store, leased });
        hub.noteChange();
        if (turn.isUnsettled) break;
      }
    } catch (error) {
      // Whoever has the session now goes on with it.
      if (!isAppError(error) || error.code !== 'LEASE_LOST') throw error;
    } finally {
      await keeper.release();
    }
  }

  async #runItem(item: QueueItem, work: LeasedWork): Promise<RunningTurn> {
    const { approvers, hub } = this.#options;
    const turn = new RunningTurn(item, { ...work, approver: approvers.find(item), hub }, this.#services);
    this.#turn = turn;
    hub.noteChange();
    try {
      await turn.run();
      return turn;
    } finally {
      this.#turn = undefined;
      this.disown(item.turnId);
      approvers.forget(item);
    }
  }

  /** Old items hold their pictures themselves. */
  #admitter({ blobs }: Pick<Store, 'blobs'>): AdmitLegacyPicture {
    const { config, locale } = this.#services;
    const limits = imageLimitsFor('attachment', mergeLimits(config.limits));
    return async (dataUri, name) => {
      const admitted = await admitDataUri(dataUri, { limits, blobs, name });
      if (admitted.ok) return ok(admitted.value.reference);
      return fail({ code: admitted.error.code, message: refusalText(admitted.error, locale) });
    };
  }
}
