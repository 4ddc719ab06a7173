import { Worker } from 'node:worker_threads';
import { createLineSearch, type FileMatches, type LineQuery } from './match-lines.ts';

/** What a file gave, or that the thread was ended: while it searched this file, or before it came to it. */
export type MatchOutcome = FileMatches | { readonly kind: 'stuck' } | { readonly kind: 'ended' };

/** Searches files in a thread of its own. Close it. */
export interface LineMatcher {
  /** Files are searched in the order of the calls. The buffer is handed over: it is empty afterwards. */
  match(bytes: Uint8Array<ArrayBuffer>): Promise<MatchOutcome>;
  close(): Promise<void>;
}

/** Memory of the thread: a file, its lines and what is shown of them. */
const HEAP_MEGABYTES = 256;

/**
 * Starts the thread. A regular expression may take longer than the world lasts, and nothing can
 * interrupt it from within: where one file takes longer than `patienceMs`, the thread is ended.
 */
export function startLineMatcher(query: LineQuery, patienceMs: number): LineMatcher {
  // The text of the function, because a file beside this one is TypeScript here and JavaScript there.
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    const search = (${createLineSearch.toString()})(workerData);
    parentPort.on('message', (bytes) => parentPort.postMessage(search(bytes)));
  `;
  const worker = new Worker(script, {
    eval: true,
    workerData: query,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  const waiting: ((outcome: MatchOutcome) => void)[] = [];
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    if (waiting.length > 0) timer = setTimeout(end, patienceMs);
  };
  const end = (): void => {
    hasEnded = true;
    clearTimeout(timer);
    const [stuck, ...others] = waiting.splice(0);
    stuck?.({ kind: 'stuck' });
    for (const resolve of others) resolve({ kind: 'ended' });
    void worker.terminate();
  };
  worker.on('message', (matches: FileMatches) => {
    waiting.shift()?.(matches);
    watch();
  });
  // It ran out of memory, or was ended.
  worker.on('error', end);
  worker.on('exit', end);
  return {
    match: (bytes) =>
      new Promise((resolve) => {
        if (hasEnded) {
          resolve({ kind: 'ended' });
          return;
        }
        waiting.push(resolve);
        if (waiting.length === 1) watch();
        worker.postMessage(bytes, [bytes.buffer]);
      }),
    close: async () => {
      end();
      await worker.terminate();
    },
  };
}
