import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { type OcrReply, parseOcrReply } from './ocr-protocol.ts';
import type { FoundCode, PictureReading, ReadPictureInput, TextReader } from './text-reader.ts';

export interface OcrReaderOptions {
  /**
   * The child's whole environment. Empty by default: it needs none, and so it knows no key and no
   * proxy. An application adds what its platform requires (`SystemRoot` on Windows).
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** The child's program, for tests. */
  readonly childPath?: string;
  /** Arguments of Node itself, for tests. */
  readonly nodeArguments?: readonly string[];
}

/**
 * A {@link TextReader} whose pictures are read in one child process, started with the first
 * picture, replaced when it had to be killed, and ended by `close`.
 */
export function createOcrReader(options: OcrReaderOptions = {}): TextReader {
  return new OcrReader(options);
}

class OcrReader implements TextReader {
  readonly #options: OcrReaderOptions;
  #child: ChildProcess | undefined;
  #nextId = 1;
  /** Pictures are read one after the other. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: OcrReaderOptions) {
    this.#options = options;
  }

  read(input: ReadPictureInput): Promise<PictureReading> {
    const reading = this.#queue.then(() => this.#readNow(input));
    this.#queue = reading.catch(() => undefined);
    return reading;
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #readNow(input: ReadPictureInput): Promise<PictureReading> {
    input.signal.throwIfAborted();
    const child = this.#startChild();
    const id = this.#nextId;
    this.#nextId += 1;
    const done = new AbortController();
    const signal = AbortSignal.any([input.signal, done.signal]);
    const replies = collectReplies(child, id);
    const clock = input.clock.sleep(input.limitMs, signal).then(() => 'timed-out' as const);
    clock.catch(() => undefined);
    try {
      child.send({ id, bytes: input.bytes }, (error) => {
        if (error !== null) replies.fail();
      });
      const status = await Promise.race([replies.status, clock]);
      if (status === 'timed-out') this.close();
      return { status, codes: replies.codes(), lines: replies.lines() };
    } catch (error) {
      // Only an abort comes here; a child that is still reading would answer the next picture late.
      this.close();
      throw error;
    } finally {
      replies.stop();
      done.abort();
    }
  }

  #startChild(): ChildProcess {
    if (this.#child?.connected === true && this.#child.exitCode === null) return this.#child;
    const child = fork(this.#options.childPath ?? resolveChild(), [], {
      env: { ...this.#options.environment },
      execArgv: [...(this.#options.nodeArguments ?? [])],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // A waiting turn keeps the program alive by its own timer; a forgotten child must not.
    child.unref();
    child.channel?.unref();
    child.on('error', () => undefined);
    this.#child = child;
    return child;
  }
}

/** The built file: a child process cannot run TypeScript. */
function resolveChild(): string {
  return createRequire(import.meta.url).resolve('@fovea/core/vision/ocr-child');
}

interface Replies {
  readonly status: Promise<'read' | 'failed'>;
  codes(): readonly FoundCode[];
  lines(): readonly string[];
  fail(): void;
  stop(): void;
}

function collectReplies(child: ChildProcess, id: number): Replies {
  let codes: readonly FoundCode[] = [];
  let lines: readonly string[] = [];
  let settle: (status: 'read' | 'failed') => void = () => undefined;
  const status = new Promise<'read' | 'failed'>((resolve) => {
    settle = resolve;
  });
  const fail = (): void => settle('failed');
  const receive = (message: unknown): void => {
    const reply: OcrReply | undefined = parseOcrReply(message);
    if (reply === undefined || reply.id !== id) return;
    switch (reply.type) {
      case 'codes':
        codes = reply.codes;
        return;
      case 'text':
        lines = reply.lines;
        settle('read');
        return;
      case 'failed':
        fail();
        return;
    }
  };
  child.on('message', receive);
  child.once('exit', fail);
  child.once('error', fail);
  return {
    status,
    codes: () => codes,
    lines: () => lines,
    fail,
    stop: () => {
      child.off('message', receive);
      child.off('exit', fail);
      child.off('error', fail);
    },
  };
}
