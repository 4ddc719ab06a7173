/** Lines that were entered while a turn ran, in their order. A pause keeps them until the user goes on. */
export class MessageQueue {
  #lines: string[] = [];
  #isPaused = false;

  get count(): number {
    return this.#lines.length;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  /** After a turn that did not end well: what waits may not fit any more. */
  pause(): void {
    this.#isPaused = this.#lines.length > 0;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** The next line that is to be sent; absent while paused. */
  takeNext(): string | undefined {
    return this.#isPaused ? undefined : this.#lines.shift();
  }

  takeLast(): string | undefined {
    return this.#lines.pop();
  }

  /** Takes line number `position` away, counted from 1, or all of them; gives what was taken. */
  remove(position?: number): readonly string[] {
    const taken = this.#lines.splice(
      position === undefined ? 0 : position - 1,
      position === undefined ? this.#lines.length : 1,
    );
    if (this.#lines.length === 0) this.#isPaused = false;
    return taken;
  }
}
