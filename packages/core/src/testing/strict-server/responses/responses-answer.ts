import type { StreamFault } from '../reply.ts';
import type { Answer, AnswerContext, Frame } from '../wire-root.ts';
import { keepThought } from './check-memory.ts';

type JsonObject = Readonly<Record<string, unknown>>;

// Time has no part in any test: every answer was created at the same moment.
const CREATED_AT_S = 1_767_322_800;

/** Characters of one delta: small, so that every text of a test comes in several. */
const PIECE_CHARACTERS = 6;

/** The answer as one JSON body. */
export function buildResponsesJson(answer: Answer, context: AnswerContext): unknown {
  return endOf(answer, context, buildItems(answer, context)).response;
}

/**
 * The answer as frames, each named by its type: the beginning, every item with its pieces, and the
 * end, which alone holds usage.
 */
export function buildResponsesFrames(answer: Answer, context: AnswerContext): readonly Frame[] {
  const { faults } = context;
  const items = buildItems(answer, context);
  const begun = envelope(context, { status: 'in_progress' });
  const events: JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...itemEvents(items, has(faults, 'interleaved-tool-calls')),
  ];
  const end = endOf(answer, context, items);
  const isEndless = has(faults, 'finish-missing') || has(faults, 'done-missing');
  const ends = isEndless ? [] : has(faults, 'done-twice') ? [end, end] : [end];
  return [...events, ...ends].map((event, index): Frame => {
    const isDelta = String(event['type']).endsWith('.delta');
    const extra = isDelta && has(faults, 'obfuscation') ? { obfuscation: 'x7Q'.repeat((index % 4) + 1) } : {};
    return {
      event: String(event['type']),
      data: JSON.stringify({ ...event, sequence_number: index, ...extra }),
    };
  });
}

/** An error in the middle of a stream. */
export function responsesErrorFrame(error: unknown): Frame {
  const fields = typeof error === 'object' && error !== null ? error : { message: String(error), code: null };
  return { event: 'error', data: JSON.stringify({ param: null, ...fields, type: 'error', sequence_number: 99 }) };
}

function buildItems(answer: Answer, { number, body, faults, memory }: AnswerContext): readonly JsonObject[] {
  const words: JsonObject = {
    id: `msg_strict_${number}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }],
  };
  const calls = answer.calls.map(
    (call): JsonObject => ({
      id: `fc_strict_${call.id}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    }),
  );
  const said = [...(answer.text === '' && calls.length > 0 ? [] : [words]), ...calls];
  if (answer.reasoning === undefined && answer.opaque === undefined) return said;
  const encrypted = answer.opaque ?? Buffer.from(`thought ${number} ${answer.reasoning}`).toString('base64');
  const thought: JsonObject = {
    id: `rs_strict_${number}`,
    type: 'reasoning',
    summary: answer.reasoning === undefined ? [] : [{ type: 'summary_text', text: answer.reasoning }],
    ...(has(faults, 'signature-missing') ? {} : { encrypted_content: encrypted }),
  };
  keepThought(memory, { model: body['model'], item: thought, next: said[0] });
  return [thought, ...said];
}

function itemEvents(items: readonly JsonObject[], isInterleaved: boolean): readonly JsonObject[] {
  const perItem = items.map((item, outputIndex) => ({ item, events: eventsOf(item, outputIndex) }));
  if (!isInterleaved) return perItem.flatMap(({ events }) => events);
  const calls = perItem.filter(({ item }) => item['type'] === 'function_call');
  const rounds = Math.max(0, ...calls.map(({ events }) => events.length));
  return [
    ...perItem.filter((entry) => !calls.includes(entry)).flatMap(({ events }) => events),
    ...Array.from({ length: rounds }, (_, round) =>
      calls.flatMap(({ events }) => events.slice(round, round + 1)),
    ).flat(),
  ];
}

function eventsOf(item: JsonObject, outputIndex: number): readonly JsonObject[] {
  const place = { item_id: item['id'], output_index: outputIndex };
  return [
    { type: 'response.output_item.added', output_index: outputIndex, item: begunItem(item) },
    ...contentEvents(item, place),
    { type: 'response.output_item.done', output_index: outputIndex, item },
  ];
}

function begunItem(item: JsonObject): JsonObject {
  if (item['type'] === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item['type'] === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  // The beginning of a thought is no whole one: a client that keeps it keeps the wrong one.
  return { ...item, summary: [], ...('encrypted_content' in item && { encrypted_content: 'unfinished' }) };
}

function contentEvents(item: JsonObject, place: JsonObject): readonly JsonObject[] {
  switch (item['type']) {
    case 'message':
      return listOf(item['content']).flatMap((part, index) => {
        const at = { ...place, content_index: index };
        return [
          { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
          ...deltas('response.output_text', { ...at, logprobs: [] }, part['text']),
          { type: 'response.content_part.done', ...at, part },
        ];
      });
    case 'reasoning':
      return listOf(item['summary']).flatMap((part, index) => {
        const at = { ...place, summary_index: index };
        return [
          { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
          ...deltas('response.reasoning_summary_text', at, part['text']),
          { type: 'response.reasoning_summary_part.done', ...at, part },
        ];
      });
    default:
      return deltas('response.function_call_arguments', place, item['arguments'], 'arguments');
  }
}

function deltas(type: string, at: JsonObject, whole: unknown, key = 'text'): readonly JsonObject[] {
  return [
    ...splitText(String(whole)).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
    { type: `${type}.done`, ...at, [key]: whole },
  ];
}

interface EndEvent extends JsonObject {
  readonly type: string;
  readonly response: JsonObject;
}

function endOf(answer: Answer, context: AnswerContext, items: readonly JsonObject[]): EndEvent {
  const { failure, finishReason } = answer;
  if (failure !== undefined) {
    return { type: 'response.failed', response: envelope(context, { status: 'failed', error: failure }) };
  }
  const usage = has(context.faults, 'usage-missing') ? null : usageOf(answer);
  const transformed =
    answer.inputTransformations === undefined ? {} : { input_transformations: answer.inputTransformations };
  const whole = { output: items, usage, ...transformed };
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[finishReason ?? ''];
  if (reason === undefined) {
    return { type: 'response.completed', response: envelope(context, { status: 'completed', ...whole }) };
  }
  const details = { status: 'incomplete', incomplete_details: { reason } };
  return { type: 'response.incomplete', response: envelope(context, { ...details, ...whole }) };
}

function envelope({ body, number }: AnswerContext, fields: JsonObject): JsonObject {
  return {
    id: `resp_strict_${number}`,
    object: 'response',
    created_at: CREATED_AT_S,
    model: body['model'],
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...fields,
  };
}

function usageOf({ usage }: Answer): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function splitText(text: string): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / PIECE_CHARACTERS) }, (_, index) =>
    characters.slice(index * PIECE_CHARACTERS, (index + 1) * PIECE_CHARACTERS).join(''),
  );
}

function has(faults: readonly StreamFault[], kind: StreamFault['kind']): boolean {
  return faults.some((fault) => fault.kind === kind);
}
