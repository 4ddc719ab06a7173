/** A line that shows that something is going on; it vanishes before anything else is printed. */
export class WaitingLine {
  readonly #output: { write(text: string): unknown };
  readonly #text: (seconds: number) => string;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;

  constructor(output: { write(text: string): unknown }, text: (seconds: number) => string) {
    this.#output = output;
    this.#text = text;
  }

  /** Starts counting seconds; does nothing while it is already counting. */
  start(): void {
    if (this.#timer !== undefined) return;
    let seconds = 0;
    this.#timer = setInterval(() => {
      seconds += 1;
      this.#output.write(`\r\u001b[2m${this.#text(seconds)}\u001b[22m\u001b[K`);
      this.#isDrawn = true;
    }, 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isDrawn) this.#output.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}
