import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolCallPart } from '../content/parts.ts';
import { encodedForms } from './endpoint-secrets.ts';
import type { ProviderEvent } from './provider.ts';

const MASK = '[secret]';
/** So much of a key at the end of a text is a part of it and no accident. */
const PART_CHARACTERS = 12;

/** Replaces needles in a text that comes in pieces, also where a needle lies over several. */
export interface SecretFilter {
  /** What of the text so far can be told. What may be the beginning of a needle is held back. */
  push(text: string): string;
  /** What was held back. */
  flush(): string;
  /** Whether anything was replaced. */
  readonly hasMasked: boolean;
}

/** `needles` are the texts that must not come out. */
export function createSecretFilter(needles: readonly string[]): SecretFilter {
  const firstCharacters = new Set(needles.map((needle) => needle.charAt(0)));
  const longest = Math.max(0, ...needles.map((needle) => needle.length));
  let held = '';
  let hasMasked = false;

  /** Where the longest beginning of a needle starts that ends the text. */
  function findHeld(text: string): number {
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
      if (!firstCharacters.has(text.charAt(start))) continue;
      const end = text.slice(start);
      if (needles.some((needle) => needle.startsWith(end))) return start;
    }
    return text.length;
  }

  return {
    get hasMasked() {
      return hasMasked;
    },
    push(text) {
      const plain = held + text;
      const masked = maskNeedles(plain, needles);
      hasMasked ||= masked !== plain;
      const start = findHeld(masked);
      held = masked.slice(start);
      return masked.slice(0, start);
    },
    flush() {
      const isPart = held.length >= PART_CHARACTERS;
      hasMasked ||= isPart;
      const rest = isPart ? MASK : held;
      held = '';
      return rest;
    },
  };
}

/**
 * The events of an answer without the keys of its endpoint, and without their base64: an endpoint that
 * gives a key back must not bring it into a transcript, onto a screen or into a file.
 *
 * A thought out of which something was taken loses its proof: with it the endpoint would refuse the
 * thought, and every later request that holds it.
 */
export async function* hideKeys(
  events: AsyncIterable<ProviderEvent>,
  keys: readonly string[],
): AsyncGenerator<ProviderEvent> {
  const needles = keys.flatMap((key) => [`Bearer ${key}`, key].flatMap(formsOf)).concat(keys.flatMap(encodedForms));
  if (needles.length === 0) {
    yield* events;
    return;
  }
  needles.sort((one, other) => other.length - one.length);
  const filters = { 'text-delta': createSecretFilter(needles), 'thinking-delta': createSecretFilter(needles) };

  function* flushExcept(type: string): Generator<ProviderEvent> {
    for (const other of ['thinking-delta', 'text-delta'] as const) {
      const text = other === type ? '' : filters[other].flush();
      if (text !== '') yield { type: other, text };
    }
  }

  try {
    for await (const event of events) {
      yield* flushExcept(event.type);
      if (event.type === 'tool-call') yield { ...event, call: maskCall(event.call, needles) };
      else if (event.type !== 'text-delta' && event.type !== 'thinking-delta') yield event;
      else {
        const filter = filters[event.type];
        const isEnd = endsThought(event);
        const text = filter.push(event.text) + (isEnd ? filter.flush() : '');
        if (text !== '' || isEnd || event.text === '') yield { ...event, text, ...proofOf(event, filter, needles) };
        if (isEnd) filters['thinking-delta'] = createSecretFilter(needles);
      }
    }
  } catch (error) {
    yield* flushExcept('error');
    throw error;
  }
  yield* flushExcept('end');
}

function endsThought(event: ProviderEvent): boolean {
  return event.type === 'thinking-delta' && (event.signature ?? event.opaque) !== undefined;
}

/** The proof of a thought as it came; an empty one where the thought, or what is kept unread, had to change. */
function proofOf(
  event: ProviderEvent,
  { hasMasked }: SecretFilter,
  needles: readonly string[],
): { readonly signature?: string; readonly opaque?: string } {
  if (event.type !== 'thinking-delta') return {};
  const { signature, opaque } = event;
  const isOther = hasMasked || (opaque !== undefined && maskNeedles(opaque, needles) !== opaque);
  if (!isOther) return {};
  return { ...(signature !== undefined && { signature: '' }), ...(opaque !== undefined && { opaque: '' }) };
}

/** A key alone, as JSON writes it, and as the base64 of exactly itself. */
function formsOf(text: string): readonly string[] {
  return [text, JSON.stringify(text).slice(1, -1), Buffer.from(text).toString('base64')];
}

/** The text without any needle. Of two that overlap the one that comes first in the list goes whole. */
export function maskNeedles(text: string, needles: readonly string[]): string {
  let masked = text;
  for (const needle of needles) {
    if (masked.includes(needle)) masked = masked.replaceAll(needle, MASK);
  }
  return masked;
}

function maskCall(call: ToolCallPart, needles: readonly string[]): ToolCallPart {
  return {
    ...call,
    toolCallId: maskNeedles(call.toolCallId, needles),
    name: maskNeedles(call.name, needles),
    arguments: maskArguments(call.arguments, needles),
  };
}

/** JSON may write any character as an escape, behind which a key would come out when it is parsed. */
function maskArguments(text: string, needles: readonly string[]): string {
  const masked = maskNeedles(text, needles);
  const parsed = masked.includes('\\') ? parseJson(masked) : undefined;
  if (parsed?.ok !== true) return masked;
  const plain = JSON.stringify(parsed.value);
  const clean = JSON.stringify(maskValue(parsed.value, needles));
  return clean === plain ? masked : clean;
}

function maskValue(value: unknown, needles: readonly string[]): unknown {
  if (typeof value === 'string') return maskNeedles(value, needles);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, needles));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskNeedles(key, needles), maskValue(item, needles)]),
  );
}
