import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/parse-json.ts';
import type { ProviderEvent } from '../provider.ts';
import type { AnswerSize } from '../wire-dialect.ts';
import type { MessagesBlock, MessagesDelta } from './wire-schema.ts';

/** Joins the blocks of one answer, whose pieces may come interleaved. */
export interface BlockAssembler {
  /** A block that begins, or one that came in one piece. */
  start(index: number, block: MessagesBlock): readonly ProviderEvent[];
  add(index: number, delta: MessagesDelta): readonly ProviderEvent[];
  readonly size: AnswerSize;
  /** What was held back, in its order, with every tool call whole. */
  finish(): readonly ProviderEvent[];
}

type ThinkingDelta = Extract<ProviderEvent, { type: 'thinking-delta' }>;

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly argumentPieces: string[];
}

/**
 * Text and thinking are given as they come, until a tool call has begun: what follows a call is held
 * back with it, so that the order of blocks, which an endpoint wants back, is never lost.
 *
 * A thought whose proof is missing is closed with an empty one before the next thought begins, so
 * that the proof of one never stands under the words of two.
 */
export function createBlockAssembler(): BlockAssembler {
  const calls: OpenCall[] = [];
  const held: (ProviderEvent | OpenCall)[] = [];
  let unprovenIndex: number | undefined;
  let characters = 0;

  function tell(events: readonly ProviderEvent[]): readonly ProviderEvent[] {
    if (calls.length === 0) return events;
    held.push(...events);
    return [];
  }

  function say(text: string): readonly ProviderEvent[] {
    if (text === '') return [];
    characters += text.length;
    unprovenIndex = undefined;
    return tell([{ type: 'text-delta', text }]);
  }

  function think(index: number, thought: Omit<ThinkingDelta, 'type'>): readonly ProviderEvent[] {
    const { text, signature, opaque } = thought;
    const isProven = signature !== undefined || opaque !== undefined;
    characters += text.length + (signature ?? '').length + (opaque ?? '').length;
    if (text === '' && !isProven) return [];
    const isAnother = unprovenIndex !== undefined && unprovenIndex !== index;
    unprovenIndex = isProven ? undefined : index;
    return tell([
      ...(isAnother ? [{ type: 'thinking-delta', text: '', signature: '' } as const] : []),
      { type: 'thinking-delta', ...thought },
    ]);
  }

  function call(index: number, { id, name, input }: MessagesBlock): readonly ProviderEvent[] {
    // A few servers give no id; the result has to name one.
    const callId = id || `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    const opened: OpenCall = { index, id: callId, name: name ?? '', input, argumentPieces: [] };
    calls.push(opened);
    held.push(opened);
    unprovenIndex = undefined;
    characters += callId.length + opened.name.length + argumentsOf(opened).length;
    return [];
  }

  function start(index: number, block: MessagesBlock): readonly ProviderEvent[] {
    switch (block.type) {
      case 'text':
        return say(block.text ?? '');
      case 'thinking': {
        const signature = block.signature || undefined;
        return think(index, { text: block.thinking ?? '', ...(signature !== undefined && { signature }) });
      }
      case 'redacted_thinking':
        return block.data ? think(index, { text: '', opaque: block.data }) : [];
      case 'tool_use':
        return call(index, block);
      default:
        return [];
    }
  }

  return {
    get size() {
      return { characters, toolCalls: calls.length };
    },
    start,
    add(index, delta) {
      switch (delta.type) {
        case 'text_delta':
          return say(delta.text ?? '');
        case 'thinking_delta':
          return think(index, { text: delta.thinking ?? '' });
        case 'signature_delta':
          return delta.signature ? think(index, { text: '', signature: delta.signature }) : [];
        case 'input_json_delta': {
          const piece = delta.partial_json ?? '';
          characters += piece.length;
          calls.findLast((opened) => opened.index === index)?.argumentPieces.push(piece);
          return [];
        }
        default:
          return [];
      }
    },
    finish: () =>
      held.map((item): ProviderEvent => {
        if ('type' in item) return item;
        const { id, name } = item;
        return { type: 'tool-call', call: { type: 'tool-call', toolCallId: id, name, arguments: argumentsOf(item) } };
      }),
  };
}

/** The joined pieces; else the object with which the block began, which is whole where a server streams none. */
function argumentsOf({ argumentPieces, input }: OpenCall): string {
  const text = argumentPieces.join('');
  if (text !== '' || !isRecord(input) || Object.keys(input).length === 0) return text;
  return JSON.stringify(input);
}
