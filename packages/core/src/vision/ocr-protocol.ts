import { isRecord } from '../base/parse-json.ts';
import type { FoundCode } from './text-reader.ts';

// Messages travel over the channel of `child_process.fork` with `serialization: 'advanced'`, so
// that bytes stay bytes: no base64, no file.

/** What the parent sends: one picture. Replies carry the same `id`. */
export interface OcrRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/**
 * What the child answers, in this order: `started` when its programs and data are loaded and the
 * picture's own time begins, codes (they are quick), then text; or `failed` in their place.
 */
export type OcrReply =
  | { readonly id: number; readonly type: 'started' }
  | { readonly id: number; readonly type: 'codes'; readonly codes: readonly FoundCode[] }
  | { readonly id: number; readonly type: 'text'; readonly lines: readonly string[] }
  | { readonly id: number; readonly type: 'failed' };

/** Undefined for anything that is not a request. */
export function parseOcrRequest(message: unknown): OcrRequest | undefined {
  if (!isRecord(message) || typeof message['id'] !== 'number' || !(message['bytes'] instanceof Uint8Array)) {
    return undefined;
  }
  return { id: message['id'], bytes: message['bytes'] };
}

/** Undefined for anything that is not a reply: a child that decoded a hostile picture is not trusted. */
export function parseOcrReply(message: unknown): OcrReply | undefined {
  if (!isRecord(message) || typeof message['id'] !== 'number') return undefined;
  const id = message['id'];
  if (message['type'] === 'started') return { id, type: 'started' };
  if (message['type'] === 'failed') return { id, type: 'failed' };
  if (message['type'] === 'text') {
    const lines = parseList(message['lines'], (line) => (typeof line === 'string' ? line : undefined));
    return lines === undefined ? undefined : { id, type: 'text', lines };
  }
  if (message['type'] === 'codes') {
    const codes = parseList(message['codes'], parseCode);
    return codes === undefined ? undefined : { id, type: 'codes', codes };
  }
  return undefined;
}

function parseCode(value: unknown): FoundCode | undefined {
  if (!isRecord(value) || typeof value['kind'] !== 'string' || typeof value['text'] !== 'string') return undefined;
  return { kind: value['kind'], text: value['text'] };
}

function parseList<Item>(value: unknown, parseItem: (item: unknown) => Item | undefined): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: Item[] = [];
  for (const entry of value) {
    const item = parseItem(entry);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}
