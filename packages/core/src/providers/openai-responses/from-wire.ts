import type { Logger } from '../../base/logger.ts';
import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { Usage } from '../../content/usage.ts';
import { createAnswerError, createEndpointError, type ErrorContext } from '../endpoint-error.ts';
import type { FinishReason, ProviderEvent } from '../provider.ts';
import type { AnswerReader } from '../wire-dialect.ts';
import { createAnswerItems, type TextKind } from './answer-items.ts';
import { readResponsesFailureValue } from './errors.ts';
import {
  type ResponsesWhole,
  responsesArgumentsValidator,
  responsesEndValidator,
  responsesItemEventValidator,
  responsesItemValidator,
  responsesTextValidator,
  responsesUsageValidator,
  responsesWholeValidator,
} from './wire-schema.ts';

/** Events that hold a piece of a text or the whole of it, and whose text it is. */
const TEXT_EVENTS: Readonly<Record<string, TextKind>> = {
  'response.output_text.delta': 'text',
  'response.output_text.done': 'text',
  'response.refusal.delta': 'refusal',
  'response.refusal.done': 'refusal',
  'response.reasoning_summary_text.delta': 'summary',
  'response.reasoning_summary_text.done': 'summary',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_text.done': 'reasoning',
};

/** Not sent by this wire's own service; a gateway that translates may add it. */
const FOREIGN_END_MARK = '[DONE]';

/**
 * Reads one answer of Responses. Text and thinking come out as they arrive; tool calls, usage and the
 * finish only after the answer has ended properly, so that nothing of a cut one is taken for whole.
 */
export function createResponsesAnswerReader(context: ErrorContext, logger: Logger): AnswerReader {
  const items = createAnswerItems();
  let end: { readonly reason: FinishReason; readonly isBrokenOff: boolean } | undefined;
  let usage: Usage | undefined;

  function throwUnknownForm(type: string): never {
    const name = type.slice(0, 100);
    throw createAnswerError(
      'STREAM_INVALID',
      context,
      `the answer holds an event of a form that is not known: ${name}`,
    );
  }

  function throwFailure(value: unknown): never {
    throw createEndpointError(readResponsesFailureValue(value) ?? {}, context);
  }

  function parse(text: string): unknown {
    const parsed = parseJson(text);
    if (parsed.ok) return parsed.value;
    throw createAnswerError('STREAM_INVALID', context, `the answer is ${parsed.error.message}`);
  }

  function readEvent(type: string, value: Readonly<Record<string, unknown>>): readonly ProviderEvent[] {
    const textKind = TEXT_EVENTS[type];
    if (textKind !== undefined) {
      return responsesTextValidator.Check(value) ? items.addText(textKind, value) : throwUnknownForm(type);
    }
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        return readItem(type, value);
      case 'response.function_call_arguments.delta':
      case 'response.function_call_arguments.done':
        if (!responsesArgumentsValidator.Check(value)) throwUnknownForm(type);
        items.addArguments(value);
        return [];
      case 'response.completed':
      case 'response.incomplete':
        if (!responsesEndValidator.Check(value)) throwUnknownForm(type);
        return readEnd(value.response, value['response'], type === 'response.incomplete');
      default:
        // Parts begin and end, tools of the endpoint's own, pings and notes of gateways.
        return [];
    }
  }

  function readItem(type: string, value: Readonly<Record<string, unknown>>): readonly ProviderEvent[] {
    if (!responsesItemEventValidator.Check(value)) throwUnknownForm(type);
    const item: unknown = value.item;
    if (!responsesItemValidator.Check(item)) return isOurs(value.item.type) ? throwUnknownForm(type) : [];
    const given = { item, value: value.item, outputIndex: value.output_index ?? undefined };
    if (type === 'response.output_item.done') return items.complete(given);
    items.begin(given);
    return [];
  }

  /** `value` is the response as it came. */
  function readEnd(response: ResponsesWhole, value: unknown, isIncomplete: boolean): readonly ProviderEvent[] {
    if (response.status === 'failed') throwFailure(value);
    usage = readUsage(response.usage);
    logTransformations(response.input_transformations);
    const isBrokenOff = isIncomplete || response.status === 'incomplete';
    end = { isBrokenOff, reason: isBrokenOff ? toFinishReason(response.incomplete_details?.reason) : 'stop' };
    return items.completeRest(
      (response.output ?? []).flatMap((item, index) =>
        responsesItemValidator.Check(item) ? [{ item, value: item, outputIndex: index }] : [],
      ),
    );
  }

  /** The endpoint went on without a part of the request, which is no failure and still matters. */
  function logTransformations(transformations: unknown): void {
    if (!Array.isArray(transformations) || transformations.length === 0) return;
    const [first] = transformations;
    const reason = isRecord(first) ? (first['reason'] ?? first['type']) : undefined;
    logger.warn('endpoint-changed-input', {
      channel: context.channel,
      count: transformations.length,
      ...(typeof reason === 'string' && { reason: reason.slice(0, 100) }),
    });
  }

  return {
    get isComplete() {
      return end !== undefined;
    },
    get size() {
      return items.size;
    },
    get isOver() {
      return end !== undefined;
    },
    readFrame(frame) {
      const data = frame.data.trim();
      // A last event without its blank line may be half of one: then the answer was cut, not wrong.
      if (data === '' || data === FOREIGN_END_MARK || (frame.isUnterminated && !parseJson(data).ok)) return [];
      if (frame.name === 'error') throwFailure(parseJson(data).ok ? parse(data) : { error: data });
      const value = parse(data);
      // Other events of a gateway (pings, notes) are objects without anything of ours.
      if (!isRecord(value)) return [];
      const type = typeof value['type'] === 'string' ? value['type'] : (frame.name ?? '');
      if (type === 'error' || type === 'response.failed' || hasFailure(value)) throwFailure(value);
      return readEvent(type, value);
    },
    readWhole(body) {
      const value = parse(body);
      if (!isRecord(value) || !('output' in value)) throwForeignAnswer(value, context);
      if (hasFailure(value)) throwFailure(value);
      if (!responsesWholeValidator.Check(value)) throwUnknownForm('response');
      if (value.status === 'in_progress' || value.status === 'queued') return [];
      return readEnd(value, value, false);
    },
    end() {
      if (end === undefined) {
        throw createAnswerError('STREAM_CUT', context, 'the answer ended before its end mark');
      }
      const calls = items.finish({ isBrokenOff: end.isBrokenOff });
      const hasCalls = calls.some((event) => event.type === 'tool-call');
      return [
        ...calls,
        ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
        { type: 'finish', reason: end.reason === 'stop' && hasCalls ? 'tool-calls' : end.reason },
      ];
    },
  };
}

function throwForeignAnswer(value: unknown, context: ErrorContext): never {
  const failure = readResponsesFailureValue(value);
  if (failure !== undefined) throw createEndpointError(failure, context);
  throw createAnswerError('ENDPOINT_NOT_AN_API', context, 'the address answers with JSON that is no response');
}

function isOurs(type: string): boolean {
  return type === 'message' || type === 'reasoning' || type === 'function_call';
}

function hasFailure(value: Readonly<Record<string, unknown>>): boolean {
  const error = value['error'];
  return (error !== undefined && error !== null && error !== '') || value['object'] === 'error';
}

function readUsage(value: unknown): Usage | undefined {
  if (!responsesUsageValidator.Check(value)) return undefined;
  return {
    inputTokens: value.input_tokens,
    cachedTokens: value.input_tokens_details?.cached_tokens ?? 0,
    outputTokens: value.output_tokens,
  };
}

function toFinishReason(reason: string | null | undefined): FinishReason {
  switch (reason) {
    case 'max_output_tokens':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
}
