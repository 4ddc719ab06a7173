import { availableParallelism } from 'node:os';
import { AppError } from '../base/app-error.ts';

/** Lets a fixed number of works run at a time; the others wait in order. */
export class DecodeGate {
  private readonly capacity: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /**
   * Runs `work` when there is room. Throws `CANCELED` as soon as the signal is aborted; a decode
   * that runs already cannot be stopped and keeps its place until it ends.
   */
  async run<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    throwIfCanceled(signal);
    await this.enter(signal);
    const running = work().finally(() => this.leave());
    if (signal === undefined) return running;
    return raceAgainstSignal(running, signal);
  }

  private enter(signal: AbortSignal | undefined): Promise<void> {
    if (this.running < this.capacity) {
      this.running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(start), 1);
        reject(canceledError());
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(start);
    });
  }

  /** Gives the place to the next in line, or frees it. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
  }
}

function raceAgainstSignal<Value>(running: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(canceledError());
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function throwIfCanceled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw canceledError();
}

function canceledError(): AppError {
  return new AppError('CANCELED', 'the operation was cancelled');
}

let processGate: DecodeGate | undefined;

/** The gate that every decode and encode of this process goes through: as many as there are cores. */
export function decodeGate(): DecodeGate {
  processGate ??= new DecodeGate(availableParallelism());
  return processGate;
}
