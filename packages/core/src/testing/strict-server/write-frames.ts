import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { StreamFault } from './reply.ts';
import type { Frame } from './wire-root.ts';

/** One thing that the server does with the connection. */
type StreamAction =
  | { readonly kind: 'write'; readonly bytes: Uint8Array }
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'stall' };

const DEFAULT_ERROR = {
  message: 'The server had an error while processing your request.',
  type: 'server_error',
  param: null,
  code: null,
};

export interface StreamOptions {
  readonly faults: readonly StreamFault[];
  /** How the wire writes an error into a stream; absent: unnamed, with `error`. */
  readonly errorFrame: ((error: unknown) => Frame) | undefined;
}

function plainErrorFrame(error: unknown): Frame {
  return { data: JSON.stringify({ error }) };
}

/** Writes frames as an event stream, with the faults of the script. Resolves when there is nothing more to do. */
export async function writeFrames(
  response: ServerResponse,
  frames: readonly Frame[],
  options: StreamOptions,
): Promise<void> {
  response.socket?.setNoDelay(true);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const isGone = closed(response);
  for (const action of planStream(frames, options)) {
    if (response.destroyed) return;
    if (action.kind === 'write') {
      if (!response.write(action.bytes)) await Promise.race([drained(response), isGone]);
      // A turn of the event loop between writes, so that each arrives as a piece of its own.
      await setImmediate();
    } else if (action.kind === 'wait') {
      await Promise.race([action.until, isGone]);
    } else if (action.kind === 'end') {
      response.end();
    } else if (action.kind === 'reset') {
      response.socket?.resetAndDestroy();
    }
    if (action.kind !== 'write' && action.kind !== 'wait') return;
  }
}

function planStream(frames: readonly Frame[], { faults, errorFrame = plainErrorFrame }: StreamOptions): StreamAction[] {
  const actions: StreamAction[] = [];
  for (let count = 0; count <= frames.length; count += 1) {
    for (const fault of faults) {
      if (!('afterFrames' in fault) || fault.afterFrames !== count) continue;
      if (fault.kind === 'hold') {
        actions.push({ kind: 'wait', until: fault.until });
        continue;
      }
      if (fault.kind !== 'error-frame') return [...actions, { kind: fault.kind === 'cut' ? 'end' : fault.kind }];
      const frame = errorFrame(fault.error ?? DEFAULT_ERROR);
      return [...actions, ...writesOf(frame, faults), { kind: 'end' }];
    }
    const frame = frames[count];
    if (frame !== undefined) actions.push(...writesOf(frame, faults));
  }
  return [...actions, { kind: 'end' }];
}

function writesOf(frame: Frame, faults: readonly StreamFault[]): StreamAction[] {
  const kinds = new Set(faults.map((fault) => fault.kind));
  const lines: string[] = [];
  if (kinds.has('comments')) lines.push(': STRICT PROCESSING', '');
  if (kinds.has('unknown-events'))
    lines.push('event: keepalive', 'id: 7', 'retry: 1000', 'data: {"object":"keepalive"}', '');
  if (frame.event !== undefined && !kinds.has('unnamed-frames')) lines.push(`event: ${frame.event}`);
  lines.push(`data: ${frame.data}`, '');
  const end = kinds.has('crlf') ? '\r\n' : '\n';
  const bytes = Buffer.from(lines.map((line) => line + end).join(''));
  const pieces = kinds.has('split-bytes') ? splitBytes(bytes) : [bytes];
  return pieces.map((piece) => ({ kind: 'write', bytes: piece }));
}

/** Pieces of at most seven bytes that also end inside every character of more than one byte. */
function splitBytes(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (let index = 1; index <= bytes.length; index += 1) {
    const isInsideCharacter = ((bytes[index] ?? 0) & 0xc0) === 0x80;
    if (index === bytes.length || isInsideCharacter || index - start === 7) {
      pieces.push(bytes.subarray(start, index));
      start = index;
    }
  }
  return pieces;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('drain', () => resolve()));
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', () => resolve());
  });
}
