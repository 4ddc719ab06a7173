import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { Usage } from '../../content/usage.ts';
import { createAnswerError, createEndpointError, type ErrorContext } from '../endpoint-error.ts';
import type { FinishReason, ProviderEvent } from '../provider.ts';
import type { AnswerReader } from '../wire-dialect.ts';
import { readChatFailureValue } from './errors.ts';
import { createToolCallAssembler } from './tool-call-assembler.ts';
import { type ChatDelta, chatChunkValidator, chatUsageValidator } from './wire-schema.ts';

const END_MARK = '[DONE]';

/**
 * Reads one answer of Chat Completions. Text and thinking come out as they arrive; tool calls, usage
 * and the finish only after the answer has ended properly, so that nothing of a cut one is taken for whole.
 */
export function createChatAnswerReader(context: ErrorContext): AnswerReader {
  const toolCalls = createToolCallAssembler();
  let finishReason: string | undefined;
  let usage: Usage | undefined;
  let isOver = false;
  let wordCharacters = 0;

  function readValue(value: unknown): readonly ProviderEvent[] {
    if (isRecord(value) && hasFailure(value)) throwFailure(value);
    if (!chatChunkValidator.Check(value)) {
      throw createAnswerError('STREAM_INVALID', context, 'the answer holds a chunk of a form that is not known');
    }
    usage = readUsage(value.usage) ?? usage;
    // One answer was asked for; others are not ours.
    const choice = value.choices?.find((candidate) => (candidate.index ?? 0) === 0);
    if (choice === undefined) return [];
    finishReason = choice.finish_reason || finishReason;
    const delta = choice.delta ?? choice.message;
    if (!delta) return [];
    for (const call of delta.tool_calls ?? []) toolCalls.add(call);
    const words = readWords(delta);
    for (const { text } of words) wordCharacters += text.length;
    return words;
  }

  function throwFailure(value: unknown): never {
    const failure = readChatFailureValue(value) ?? {};
    throw createEndpointError(failure, context);
  }

  function throwForeignAnswer(value: unknown): never {
    const failure = readChatFailureValue(value);
    if (failure !== undefined) throw createEndpointError(failure, context);
    throw createAnswerError('ENDPOINT_NOT_AN_API', context, 'the address answers with JSON that is no chat completion');
  }

  function parse(text: string): unknown {
    const parsed = parseJson(text);
    if (parsed.ok) return parsed.value;
    throw createAnswerError('STREAM_INVALID', context, `the answer is ${parsed.error.message}`);
  }

  return {
    get isComplete() {
      return isOver || finishReason !== undefined;
    },
    get size() {
      const { characters, toolCalls: count } = toolCalls.size;
      return { characters: wordCharacters + characters, toolCalls: count };
    },
    get isOver() {
      return isOver;
    },
    readFrame(frame) {
      const data = frame.data.trim();
      if (data === END_MARK) {
        isOver = true;
        return [];
      }
      // A last event without its blank line may be half of one: then the answer was cut, not wrong.
      if (data === '' || (frame.isUnterminated && !parseJson(data).ok)) return [];
      if (frame.name === 'error') throwFailure(parseJson(data).ok ? parse(data) : { error: data });
      const value = parse(data);
      // Other events of a gateway (pings, notes) are objects without anything of ours.
      return isRecord(value) ? readValue(value) : [];
    },
    readWhole(body) {
      const value = parse(body);
      if (!isRecord(value) || !('choices' in value)) throwForeignAnswer(value);
      const events = readValue(value);
      isOver = true;
      return events;
    },
    end() {
      if (!isOver && finishReason === undefined) {
        throw createAnswerError('STREAM_CUT', context, 'the answer ended before its end mark');
      }
      if (finishReason === 'error') throwFailure({ error: 'the answer ended with an error' });
      const calls = toolCalls.finish();
      return [
        ...calls.map((call) => ({ type: 'tool-call', call }) as const),
        ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
        { type: 'finish', reason: toFinishReason(finishReason, calls.length > 0) },
      ];
    },
  };
}

type WordEvent = Extract<ProviderEvent, { type: 'text-delta' | 'thinking-delta' }>;

function hasFailure(value: Readonly<Record<string, unknown>>): boolean {
  const error = value['error'];
  return (error !== undefined && error !== null && error !== '') || value['object'] === 'error';
}

function readWords(delta: ChatDelta): readonly WordEvent[] {
  // Some servers send the same thinking under both names.
  const thinking = delta.reasoning_content || delta.reasoning || '';
  const text = textOfContent(delta.content) + (delta.refusal ?? '');
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking-delta', text: thinking } as const]),
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
  ];
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function readUsage(value: unknown): Usage | undefined {
  if (!chatUsageValidator.Check(value)) return undefined;
  return {
    inputTokens: value.prompt_tokens,
    cachedTokens: value.prompt_tokens_details?.cached_tokens ?? value.prompt_cache_hit_tokens ?? 0,
    outputTokens: value.completion_tokens,
  };
}

function toFinishReason(reason: string | undefined, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'stop':
    case 'tool_calls':
    case 'function_call':
    case undefined:
      // Servers disagree on the reason of an answer with calls; the calls decide.
      return hasCalls ? 'tool-calls' : 'stop';
    default:
      return hasCalls ? 'tool-calls' : 'other';
  }
}
