/** Values that arrive one by one, for one reader who takes them in their order. */
export class Inbox<Value> {
  readonly #values: Value[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  readonly push = (value: Value): void => {
    this.#values.push(value);
    this.#wake?.();
  };

  readonly close = (): void => {
    this.#isClosed = true;
    this.#wake?.();
  };

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The oldest value; `undefined` when none is there. */
  take(): Value | undefined {
    return this.#values.shift();
  }

  /** Resolves when there is something to take, or the inbox is closed. */
  async arrival(): Promise<void> {
    if (this.#values.length > 0 || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
