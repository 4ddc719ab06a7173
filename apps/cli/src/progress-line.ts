import { cutToWidth } from './render/cut-to-width.ts';
import type { Screen } from './render/screen.ts';

const REFRESH_MS = 100;

/** One row on a terminal that says how far a long piece of work is; nothing elsewhere. */
export class ProgressLine {
  readonly #screen: Screen & { readonly isTTY?: boolean };
  readonly #isShown: boolean;
  #nextMs = 0;

  constructor(screen: Screen & { readonly isTTY?: boolean }, { isPlain }: { readonly isPlain: boolean }) {
    this.#screen = screen;
    this.#isShown = screen.isTTY === true && !isPlain;
  }

  show(text: string): void {
    if (!this.#isShown || performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + REFRESH_MS;
    this.#screen.write(`\r\u001b[K${cutToWidth(text, (this.#screen.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#isShown) this.#screen.write('\r\u001b[K');
  }
}
