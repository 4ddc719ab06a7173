import { availableParallelism } from 'node:os';
import { AppError } from '../base/app-error.ts';

interface Waiting {
  readonly isAlone: boolean;
  readonly start: () => void;
}

/** Lets a fixed number of works run at a time; the others wait in order. */
export class DecodeGate {
  private readonly capacity: number;
  private running = 0;
  private isTakenAlone = false;
  private readonly waiting: Waiting[] = [];

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /**
   * Runs `work` when there is room. Throws `CANCELED` as soon as the signal is aborted; a decode
   * that runs already cannot be stopped and keeps its place until it ends.
   */
  run<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    return this.runWhen(work, { isAlone: false, ...(signal && { signal }) });
  }

  /** The same, while no other work runs. */
  runAlone<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    return this.runWhen(work, { isAlone: true, ...(signal && { signal }) });
  }

  private async runWhen<Value>(
    work: () => Promise<Value>,
    { isAlone, signal }: { readonly isAlone: boolean; readonly signal?: AbortSignal },
  ): Promise<Value> {
    throwIfCanceled(signal);
    // A signal of its own: the pictures of a turn wait on one, and Node warns of more than ten listeners.
    const own = signal === undefined ? undefined : AbortSignal.any([signal]);
    await this.enter(isAlone, own);
    const running = work().finally(() => this.leave());
    if (own === undefined) return running;
    return raceAgainstSignal(running, own);
  }

  private enter(isAlone: boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = {
        isAlone,
        start: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(canceledError());
        this.startWaiting();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(entry);
      this.startWaiting();
    });
  }

  private leave(): void {
    this.running -= 1;
    this.isTakenAlone = false;
    this.startWaiting();
  }

  /** In order: whoever wants to be alone is not overtaken for ever. */
  private startWaiting(): void {
    for (let next = this.waiting[0]; next !== undefined && this.hasRoomFor(next); next = this.waiting[0]) {
      this.waiting.shift();
      this.running += 1;
      this.isTakenAlone = next.isAlone;
      next.start();
    }
  }

  private hasRoomFor({ isAlone }: Waiting): boolean {
    return isAlone ? this.running === 0 : this.running < this.capacity && !this.isTakenAlone;
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
