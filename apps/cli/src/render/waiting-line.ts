/** Where the line is drawn: see `TurnPrinter`. */
export interface WaitingSurface {
  showStatus(text: string): void;
  hideStatus(): void;
}

/**
 * The line below an answer: it says how long nothing has come, and what the user types meanwhile.
 * It vanishes before anything else is printed.
 */
export class WaitingLine {
  readonly #surface: WaitingSurface;
  readonly #text: (seconds: number) => string;
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;

  /** `text` says what the line shows after so many seconds of silence; nothing for an empty one. */
  constructor(surface: WaitingSurface, text: (seconds: number) => string) {
    this.#surface = surface;
    this.#text = text;
  }

  /** Starts counting seconds of silence; does nothing while it is already counting. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#seconds = 0;
    this.#timer = setInterval(() => {
      this.#seconds += 1;
      this.refresh();
    }, 1000);
    this.#timer.unref();
    if (this.#text(0) !== '') this.refresh();
  }

  /** Draws the line anew, because what it shows has changed. */
  refresh(): void {
    if (this.#timer === undefined) return;
    const text = this.#text(this.#seconds);
    if (text === '') this.#surface.hideStatus();
    else this.#surface.showStatus(text);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#surface.hideStatus();
  }
}
