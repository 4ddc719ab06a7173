/** One row below an answer. */
export interface StatusRow {
  /** Fits on the screen, and holds nothing of a stranger. */
  readonly text: string;
  /** Where the cursor stands in it; at its end where absent. */
  readonly column?: number;
}

/** Where the row is drawn: see `TurnPrinter`. */
export interface WaitingSurface {
  showStatus(row: StatusRow): void;
  hideStatus(): void;
}

/**
 * The row below an answer: it says how long nothing has come, and what the user types meanwhile.
 * It vanishes before anything of another kind is printed.
 */
export class WaitingLine {
  readonly #surface: WaitingSurface;
  readonly #describe: (seconds: number) => StatusRow | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;

  /** `describe` gives what is shown after so many seconds of silence. */
  constructor(surface: WaitingSurface, describe: (seconds: number) => StatusRow | undefined) {
    this.#surface = surface;
    this.#describe = describe;
  }

  /** Starts counting seconds of silence; does nothing while it is already counting. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#startTimer();
    this.refresh();
  }

  /** Something came: counts from the start, where it is counting. */
  restart(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#startTimer();
    this.refresh();
  }

  /** Draws the row anew, because what it shows has changed. */
  refresh(): void {
    if (this.#timer === undefined) return;
    const row = this.#describe(this.#seconds);
    if (row === undefined) this.#surface.hideStatus();
    else this.#surface.showStatus(row);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#surface.hideStatus();
  }

  #startTimer(): void {
    this.#seconds = 0;
    this.#timer = setInterval(() => {
      this.#seconds += 1;
      this.refresh();
    }, 1000);
    this.#timer.unref();
  }
}
