import type { Logger } from '@fovea/core/base';
import type { Store } from '@fovea/core/store';

/** The store of one home, opened by the first call that needs it, and once for all that can use the same. */
export class OpenedStores {
  readonly #home: string;
  readonly #logger: Logger;
  #readable: Promise<Store> | undefined;
  #writable: Promise<Store> | undefined;

  constructor(home: string, logger: Logger) {
    this.#home = home;
    this.#logger = logger;
  }

  /** Throws `STORE_UNAVAILABLE`, `UNSUPPORTED_REVISION`. */
  async open(need: 'read' | 'write'): Promise<Store> {
    if (need === 'read') {
      this.#readable ??= this.#writable?.catch(() => this.#openAnew('read')) ?? this.#openAnew('read');
      return this.#readable;
    }
    this.#writable ??= this.#openWritable();
    return this.#writable;
  }

  async close(): Promise<void> {
    // A store that could not be opened has told its user already.
    const opened = [this.#readable, this.#writable].map((store) => store?.catch(() => undefined));
    for (const store of new Set(await Promise.all(opened))) await store?.close();
  }

  /** What was opened for reading serves as well, where it can be written. */
  async #openWritable(): Promise<Store> {
    const readable = await this.#readable?.catch(() => undefined);
    return readable?.isReadOnly === false ? readable : this.#openAnew('write');
  }

  async #openAnew(need: 'read' | 'write'): Promise<Store> {
    const { openStore } = await import('@fovea/core/store');
    return openStore({ home: this.#home, logger: this.#logger, need });
  }
}
