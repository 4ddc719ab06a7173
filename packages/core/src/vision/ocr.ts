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

/** Loading programs and language data takes half a second on a quiet machine. */
const START_LIMIT_MS = 20_000;

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
    const replies = collectReplies(child, id, input.onCodes);
    const after = (durationMs: number): Promise<'timed-out'> => {
      const over = input.clock.sleep(durationMs, signal).then(() => 'timed-out' as const);
      over.catch(() => undefined);
      return over;
    };
    try {
      child.send({ id, bytes: input.bytes }, (error) => {
        if (error !== null) replies.fail();
      });
      const start = await Promise.race([replies.started, replies.status, after(START_LIMIT_MS)]);
      const status = start === 'started' ? await Promise.race([replies.status, after(input.limitMs)]) : start;
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
  /** Resolves with the first reply: the process is up and has begun with this picture. */
  readonly started: Promise<'started'>;
  readonly status: Promise<'read' | 'failed'>;
  codes(): readonly FoundCode[];
  lines(): readonly string[];
  fail(): void;
  stop(): void;
}

function collectReplies(child: ChildProcess, id: number, onCodes: ReadPictureInput['onCodes']): Replies {
  let codes: readonly FoundCode[] | undefined;
  let lines: readonly string[] = [];
  let settle: (status: 'read' | 'failed') => void = () => undefined;
  let begin: () => void = () => undefined;
  const started = new Promise<'started'>((resolve) => {
    begin = () => resolve('started');
  });
  const status = new Promise<'read' | 'failed'>((resolve) => {
    settle = resolve;
  });
  const fail = (): void => settle('failed');
  const receive = (message: unknown): void => {
    const reply: OcrReply | undefined = parseOcrReply(message);
    if (reply === undefined || reply.id !== id) return;
    begin();
    switch (reply.type) {
      case 'started':
        return;
      case 'codes':
        if (codes !== undefined) return;
        codes = reply.codes;
        onCodes?.(codes);
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
    started,
    status,
    codes: () => codes ?? [],
    lines: () => lines,
    fail,
    stop: () => {
      child.off('message', receive);
      child.off('exit', fail);
      child.off('error', fail);
    },
  };
}
