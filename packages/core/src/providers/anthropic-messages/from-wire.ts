import { isRecord, parseJson } from '../../base/parse-json.ts';
import { createAnswerError, createEndpointError, type ErrorContext } from '../endpoint-error.ts';
import type { FinishReason, ProviderEvent } from '../provider.ts';
import type { AnswerReader } from '../wire-dialect.ts';
import { createBlockAssembler } from './block-assembler.ts';
import { readMessagesFailure, readMessagesFailureValue } from './errors.ts';
import { createUsageReader } from './read-usage.ts';
import { messagesAnswerValidator, messagesBlockValidator, messagesEventValidators } from './wire-schema.ts';

/**
 * Reads one answer of Messages. Text and thinking come out as they arrive; tool calls, usage and the
 * finish only after `message_stop`, so that nothing of a cut one is taken for whole.
 *
 * An event is known by the `type` inside its data; its name may be missing.
 */
export function createMessagesAnswerReader(context: ErrorContext): AnswerReader {
  const blocks = createBlockAssembler();
  const usage = createUsageReader();
  let stopReason: string | undefined;
  let isOver = false;

  function readEvent(value: Readonly<Record<string, unknown>>): readonly ProviderEvent[] {
    const failure = readMessagesFailureValue(value);
    if (failure !== undefined) throw createEndpointError(failure, context);
    switch (value['type']) {
      case 'message_start':
        usage.readStart(demand(messagesEventValidators.message_start, value).message.usage);
        return [];
      case 'content_block_start': {
        if (hasForeignType(value['content_block'])) return [];
        const { index, content_block: block } = demand(messagesEventValidators.content_block_start, value);
        return blocks.start(index, block);
      }
      case 'content_block_delta': {
        if (hasForeignType(value['delta'])) return [];
        const { index, delta } = demand(messagesEventValidators.content_block_delta, value);
        return blocks.add(index, delta);
      }
      case 'message_delta': {
        const { delta, usage: counted } = demand(messagesEventValidators.message_delta, value);
        stopReason = delta?.stop_reason ?? stopReason;
        usage.readEnd(counted);
        return [];
      }
      case 'message_stop':
        isOver = true;
        return [];
      default:
        // `content_block_stop` ends what needs no end; `ping` and what is new say nothing of the answer.
        return [];
    }
  }

  function demand<Valid>(validator: { Check(value: unknown): value is Valid }, value: unknown): Valid {
    if (validator.Check(value)) return value;
    throw createAnswerError('STREAM_INVALID', context, 'the answer holds an event of a form that is not known');
  }

  function parse(text: string): unknown {
    const parsed = parseJson(text);
    if (parsed.ok) return parsed.value;
    throw createAnswerError('STREAM_INVALID', context, `the answer is ${parsed.error.message}`);
  }

  return {
    get isComplete() {
      return isOver;
    },
    get isOver() {
      return isOver;
    },
    get size() {
      return blocks.size;
    },
    readFrame(frame) {
      const data = frame.data.trim();
      // The end mark of another wire, which gateways that speak both write behind `message_stop`.
      if (data === '' || data === '[DONE]') return [];
      // A last event without its blank line may be half of one: then the answer was cut, not wrong.
      if (frame.isUnterminated && !parseJson(data).ok) return [];
      if (frame.name === 'error') throw createEndpointError(readMessagesFailure(data), context);
      const value = parse(data);
      return isRecord(value) ? readEvent(value) : [];
    },
    readWhole(body) {
      const value = parse(body);
      const failure = readMessagesFailureValue(value);
      if (failure !== undefined) throw createEndpointError(failure, context);
      if (!messagesAnswerValidator.Check(value)) {
        throw createAnswerError('ENDPOINT_NOT_AN_API', context, 'the address answers with JSON that is no message');
      }
      stopReason = value.stop_reason ?? undefined;
      usage.readStart(value.usage);
      usage.readEnd(value.usage);
      isOver = true;
      return value.content.flatMap((block, index) =>
        messagesBlockValidator.Check(block) ? blocks.start(index, block) : [],
      );
    },
    end() {
      if (!isOver) throw createAnswerError('STREAM_CUT', context, 'the answer ended before its end mark');
      const rest = blocks.finish();
      const counted = usage.result();
      return [
        ...rest,
        ...(counted === undefined ? [] : [{ type: 'usage', usage: counted } as const]),
        { type: 'finish', reason: toFinishReason(stopReason, blocks.size.toolCalls > 0) },
      ];
    },
  };
}

const OUR_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'thinking', 'redacted_thinking', 'tool_use'],
  ...['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta'],
]);

/** Results of tools at the endpoint, citations and what is new: whatever their form, they are not ours. */
function hasForeignType(part: unknown): boolean {
  return isRecord(part) && typeof part['type'] === 'string' && !OUR_TYPES.has(part['type']);
}

function toFinishReason(reason: string | undefined, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content-filter';
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
    case undefined:
      // Servers disagree on the reason of an answer with calls; the calls decide.
      return hasCalls ? 'tool-calls' : 'stop';
    default:
      // `pause_turn` among them: it is for tools that run at the endpoint, of which none was offered.
      return hasCalls ? 'tool-calls' : 'other';
  }
}
