/** Where the line is drawn: see `TurnPrinter`. */
export interface WaitingSurface {
  showStatus(text: string): void;
  hideStatus(): void;
}

/** A line that shows that something is going on; it vanishes before anything else is printed. */
export class WaitingLine {
  readonly #surface: WaitingSurface;
  readonly #text: (seconds: number) => string;
  #timer: NodeJS.Timeout | undefined;

  constructor(surface: WaitingSurface, text: (seconds: number) => string) {
    this.#surface = surface;
    this.#text = text;
  }

  /** Starts counting seconds of silence; does nothing while it is already counting. */
  start(): void {
    if (this.#timer !== undefined) return;
    let seconds = 0;
    this.#timer = setInterval(() => {
      seconds += 1;
      this.#surface.showStatus(this.#text(seconds));
    }, 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#surface.hideStatus();
  }
}
