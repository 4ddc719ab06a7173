import type { Clock, IdSource, Locale, Logger, Secret } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import type { LazyProviders } from './lazy-providers.ts';
import type { ModelResolver } from './resolve-model.ts';
import type { SessionDesks } from './sessions/session-desk.ts';

/** What the parts of a running Fovea share. */
export interface Services {
  readonly config: Config;
  readonly home: string;
  readonly environment: Environment;
  readonly locale: Locale;
  readonly logger: Logger;
  /** Every live key: none of them may be stored or told. */
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Which waiting messages this process runs; see `ComposeOptions.queues`. */
  readonly queues: 'all' | 'own';
  readonly resolver: ModelResolver;
  readonly providers: LazyProviders;
  /** The sessions that this process works on or follows; what they need is loaded by the first call. */
  openDesks(): Promise<SessionDesks>;
  /**
   * Opened by the first call that needs it. `read`: for calls that write nothing, so that a home that
   * cannot be written can still be read. Throws `STORE_UNAVAILABLE`, `UNSUPPORTED_REVISION`.
   */
  openStore(need: 'read' | 'write'): Promise<Store>;
  close(): Promise<void>;
}
