import type { Clock, Logger } from '@fovea/core/base';
import { AppError, toAppError } from '@fovea/core/base';
import { LEASE_RENEWAL_MS, type SessionLease, type Store } from '@fovea/core/store';

/** Renews one lease for as long as it is wanted, and notices when it is lost. */
export class LeaseKeeper {
  readonly lease: SessionLease;
  readonly #leases: Store['leases'];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  readonly #renewing: Promise<void>;

  constructor(
    lease: SessionLease,
    { leases, clock, logger }: { readonly leases: Store['leases']; readonly clock: Clock; readonly logger: Logger },
  ) {
    this.lease = lease;
    this.#leases = leases;
    this.#clock = clock;
    this.#logger = logger;
    this.#renewing = this.#renew();
  }

  /** Aborted when another process has taken the session over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Gives the session back. */
  async release(): Promise<void> {
    this.#stopped.abort();
    await this.#renewing;
    if (!this.lost.aborted) await this.#leases.release(this.lease);
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#clock.sleep(LEASE_RENEWAL_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (await this.#renewOnce()) continue;
      this.#lost.abort(new AppError('LEASE_LOST', `another process took the session ${this.lease.sessionId} over`));
      return;
    }
  }

  /** A store that cannot be written for a moment is no loss: every write of the turn asks for itself. */
  async #renewOnce(): Promise<boolean> {
    try {
      return await this.#leases.renew(this.lease);
    } catch (error) {
      this.#logger.warn('lease-renewal-failed', { sessionId: this.lease.sessionId, code: toAppError(error).code });
      return true;
    }
  }
}
