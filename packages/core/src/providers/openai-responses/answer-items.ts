import { randomUUID } from 'node:crypto';
import { assertNever } from '../../base/assert-never.ts';
import type { ToolCallPart } from '../../content/parts.ts';
import type { ProviderEvent } from '../provider.ts';
import type { AnswerSize } from '../wire-dialect.ts';
import { createItemFinder, type ItemKind, type OpenItem } from './item-finder.ts';
import type { ResponsesArgumentsEvent, ResponsesItem, ResponsesTextEvent } from './wire-schema.ts';

type WordEvent = Extract<ProviderEvent, { type: 'text-delta' | 'thinking-delta' }>;

/** The texts that an item may have. */
export type TextKind = 'text' | 'refusal' | 'summary' | 'reasoning';

/** An item with what it came as, and where. */
export interface GivenItem {
  readonly item: ResponsesItem;
  readonly value: unknown;
  readonly outputIndex: number | undefined;
}

/** Joins what a stream says of the items of an answer, whose events may come interleaved. */
export interface AnswerItems {
  /** Calls so far, and the characters of texts, thoughts, names and arguments. */
  readonly size: AnswerSize;
  /** What of the text is new: a delta, or what a whole text has beyond the deltas before it. */
  addText(kind: TextKind, event: ResponsesTextEvent): readonly WordEvent[];
  addArguments(event: ResponsesArgumentsEvent): void;
  begin(given: GivenItem): void;
  /** The item is whole: what it says counts for more than its deltas. */
  complete(given: GivenItem): readonly WordEvent[];
  /** The whole answer at its end: what the stream has not told of it. */
  completeRest(given: readonly GivenItem[]): readonly WordEvent[];
  /**
   * Calls, and the thoughts between them, in the order of the answer. Calls that never came whole
   * are left out of an answer that was broken off.
   */
  finish(options: { readonly isBrokenOff: boolean }): readonly ProviderEvent[];
}

/** Makes {@link AnswerItems} of one answer. */
export function createAnswerItems(): AnswerItems {
  const finder = createItemFinder();
  let characters = 0;
  let lastTextItem: OpenItem | undefined;

  function say(item: OpenItem, kind: TextKind, { number, text }: { number: number; text: string }): WordEvent[] {
    if (text === '') return [];
    const key = `${kind} ${number}`;
    const isThinking = kindOfItem(kind) === 'reasoning';
    // The next paragraph of a thought, or another message of the same answer.
    const isOtherMessage = lastTextItem !== undefined && lastTextItem !== item;
    const isApart = !item.texts.has(key) && (isThinking ? item.texts.size > 0 : isOtherMessage);
    item.texts.set(key, (item.texts.get(key) ?? '') + text);
    if (!isThinking) lastTextItem = item;
    characters += text.length;
    return [{ type: isThinking ? 'thinking-delta' : 'text-delta', text: isApart ? `\n\n${text}` : text }];
  }

  /** A whole text says nothing new unless deltas of it were left out at its end. */
  function sayRest(item: OpenItem, kind: TextKind, { number, text }: { number: number; text: string }): WordEvent[] {
    const told = item.texts.get(`${kind} ${number}`) ?? '';
    return text.startsWith(told) ? say(item, kind, { number, text: text.slice(told.length) }) : [];
  }

  function sayParts(item: OpenItem, { content, summary }: ResponsesItem, kind: 'text' | 'reasoning'): WordEvent[] {
    return [
      ...(summary ?? []).flatMap(({ text }, number) => sayRest(item, 'summary', { number, text: text ?? '' })),
      ...(content ?? []).flatMap(({ type, text, refusal }, number) =>
        type === 'refusal'
          ? sayRest(item, 'refusal', { number, text: refusal ?? '' })
          : sayRest(item, kind, { number, text: text ?? '' }),
      ),
    ];
  }

  function changeCall(item: OpenItem, change: (call: NonNullable<OpenItem['call']>) => void): void {
    item.call ??= { id: '', name: '', arguments: '' };
    characters -= sizeOfCall(item.call);
    change(item.call);
    characters += sizeOfCall(item.call);
  }

  function nameCall(item: OpenItem, { call_id, id, name }: ResponsesItem): void {
    changeCall(item, (call) => {
      call.id ||= call_id || id || '';
      call.name ||= name ?? '';
    });
  }

  /** A thought behind a call is told behind it: calls are told at the end. */
  function takeThought(item: OpenItem, opaque: string): WordEvent[] {
    characters += opaque.length;
    const isBehindCall = finder.items.some(({ call, place }) => call !== undefined && place < item.place);
    if (!isBehindCall) return [{ type: 'thinking-delta', text: '', opaque }];
    item.opaque = opaque;
    return [];
  }

  function complete({ item: given, value, outputIndex }: GivenItem): readonly WordEvent[] {
    const item = finder.findGiven(given, outputIndex);
    if (item.isWhole) return [];
    item.isWhole = given.status !== 'incomplete' && given.status !== 'in_progress';
    switch (given.type) {
      case 'message':
        return sayParts(item, given, 'text');
      case 'reasoning': {
        const words = sayParts(item, given, 'reasoning');
        return item.isWhole ? [...words, ...takeThought(item, JSON.stringify(value))] : words;
      }
      case 'function_call': {
        nameCall(item, given);
        const whole = textOfArguments(given.arguments);
        if (whole !== '') changeCall(item, (call) => Object.assign(call, { arguments: whole }));
        return [];
      }
      default:
        return assertNever(given.type);
    }
  }

  function isTold({ type, call_id }: ResponsesItem): boolean {
    if (type === 'message') return lastTextItem !== undefined;
    if (type === 'reasoning') return finder.items.some(({ kind, isWhole }) => kind === 'reasoning' && isWhole);
    const calls = finder.items.filter(({ call }) => call !== undefined);
    return calls.length > 0 && !calls.some(({ call }) => call?.id === call_id);
  }

  return {
    get size() {
      return { characters, toolCalls: finder.items.filter(({ call }) => call !== undefined).length };
    },
    addText(kind, event) {
      const item = finder.find({ kind: kindOfItem(kind), id: event.item_id, outputIndex: event.output_index });
      const number = (kind === 'summary' ? event.summary_index : event.content_index) ?? 0;
      if (typeof event.delta === 'string') return say(item, kind, { number, text: event.delta });
      return sayRest(item, kind, { number, text: event.text ?? event.refusal ?? '' });
    },
    addArguments(event) {
      const item = finder.find({ kind: 'function_call', id: event.item_id, outputIndex: event.output_index });
      changeCall(item, (call) => {
        call.arguments = event.arguments || call.arguments + (event.delta ?? '');
      });
    },
    begin({ item: given, outputIndex }) {
      const item = finder.findGiven(given, outputIndex);
      if (given.type === 'function_call') nameCall(item, given);
    },
    complete,
    completeRest: (given) => given.filter(({ item }) => !isTold(item)).flatMap(complete),
    finish({ isBrokenOff }) {
      return finder.items
        .filter(({ call, isWhole, opaque }) =>
          call === undefined ? opaque !== undefined : isWhole || (!isBrokenOff && sizeOfCall(call) > 0),
        )
        .toSorted((one, other) => one.place - other.place)
        .map(({ call, opaque }) =>
          call === undefined
            ? ({ type: 'thinking-delta', text: '', ...(opaque !== undefined && { opaque }) } as const)
            : ({ type: 'tool-call', call: toToolCall(call) } as const),
        );
    },
  };
}

function kindOfItem(kind: TextKind): ItemKind {
  return kind === 'summary' || kind === 'reasoning' ? 'reasoning' : 'message';
}

function sizeOfCall(call: NonNullable<OpenItem['call']>): number {
  return call.id.length + call.name.length + call.arguments.length;
}

function toToolCall(call: NonNullable<OpenItem['call']>): ToolCallPart {
  return {
    type: 'tool-call',
    // A few local servers give no id; the result has to name one.
    toolCallId: call.id || `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    name: call.name,
    arguments: call.arguments,
  };
}

/** A few servers send the object itself. */
function textOfArguments(given: unknown): string {
  if (typeof given === 'string') return given;
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : '';
}
