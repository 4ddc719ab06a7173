import { randomUUID } from 'node:crypto';
import type { ToolCallPart } from '../../content/parts.ts';
import type { AnswerSize } from '../wire-dialect.ts';
import type { ChatToolCallDelta } from './wire-schema.ts';

interface OpenCall {
  readonly index: number;
  id: string;
  name: string;
  argumentPieces: string[];
}

/** Joins the fragments of tool calls, which may come interleaved. */
export interface ToolCallAssembler {
  add(delta: ChatToolCallDelta): void;
  /** Calls so far, and the characters of their ids, names and arguments. */
  readonly size: AnswerSize;
  /** The calls in the order of their indexes; fragments that name nothing are dropped. */
  finish(): readonly ToolCallPart[];
}

/**
 * Id and name come once, with a call's first fragment; later fragments are found by their index.
 * A fragment with another id and a name is another call even under the same index, as some gateways
 * number them; without an index, a fragment belongs to the call of its id, else to the last one.
 */
export function createToolCallAssembler(): ToolCallAssembler {
  const calls: OpenCall[] = [];
  let characters = 0;

  function findCall(delta: ChatToolCallDelta): OpenCall | undefined {
    const id = delta.id ?? '';
    if (typeof delta.index === 'number') {
      const sameIndex = calls.findLast((call) => call.index === delta.index);
      const isAnother = sameIndex !== undefined && id !== '' && sameIndex.id !== '' && id !== sameIndex.id;
      return isAnother && (delta.function?.name ?? '') !== '' ? undefined : sameIndex;
    }
    return id === '' ? calls.at(-1) : calls.find((call) => call.id === id);
  }

  return {
    get size() {
      return { characters, toolCalls: calls.length };
    },
    add(delta) {
      let call = findCall(delta);
      if (call === undefined) {
        call = { index: delta.index ?? calls.length, id: '', name: '', argumentPieces: [] };
        calls.push(call);
        characters += (delta.id ?? '').length + (delta.function?.name ?? '').length;
      }
      call.id ||= delta.id ?? '';
      call.name ||= delta.function?.name ?? '';
      const fragment = textOfArguments(delta.function?.arguments);
      if (fragment === '') return;
      call.argumentPieces.push(fragment);
      characters += fragment.length;
    },
    finish: () =>
      calls
        .filter((call) => call.id !== '' || call.name !== '' || call.argumentPieces.join('') !== '')
        .toSorted((one, other) => one.index - other.index)
        .map((call) => ({
          type: 'tool-call',
          // A few local servers give no id; the result has to name one.
          toolCallId: call.id || `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
          name: call.name,
          arguments: call.argumentPieces.join(''),
        })),
  };
}

/** A few servers send the object itself. */
function textOfArguments(fragment: unknown): string {
  if (typeof fragment === 'string') return fragment;
  return typeof fragment === 'object' && fragment !== null ? JSON.stringify(fragment) : '';
}
