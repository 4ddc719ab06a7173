import { createHash } from 'node:crypto';
import { parseJson } from '../../../base/parse-json.ts';
import type { StreamFault } from '../reply.ts';
import type { Answer, AnswerContext, Frame } from '../wire-root.ts';
import { keepThoughts, type Thought } from './check-thoughts.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Characters of one delta: small, so that every text of a test comes in several. */
const PIECE_CHARACTERS = 6;

/** The answer as one JSON body. */
export function buildMessagesJson(answer: Answer, context: AnswerContext): unknown {
  const content = contentOf(answer, context).map((block) =>
    block['type'] === 'tool_use' ? { ...block, input: parseInput(String(block['input'])) } : block,
  );
  return { ...envelope(context), content, stop_reason: stopReason(answer), usage: usageOf(answer) };
}

/** The answer as frames: start, ping, every block in pieces, the stop reason with usage, and the end mark. */
export function buildMessagesFrames(answer: Answer, context: AnswerContext): readonly Frame[] {
  const { faults } = context;
  const usage = usageOf(answer);
  const message = { ...envelope(context), usage: { ...usage, output_tokens: 1 } };
  const end: JsonObject = {
    type: 'message_delta',
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    ...(has(faults, 'usage-missing') ? {} : { usage }),
  };
  const stopCount = has(faults, 'done-missing') ? 0 : has(faults, 'done-twice') ? 2 : 1;
  const events: readonly JsonObject[] = [
    { type: 'message_start', message },
    { type: 'ping' },
    ...blockEvents(contentOf(answer, context), has(faults, 'interleaved-tool-calls')),
    ...(has(faults, 'finish-missing') ? [] : [end]),
    ...Array.from({ length: stopCount }, () => ({ type: 'message_stop' })),
  ];
  return events.map((event, index) => {
    const extra = has(faults, 'obfuscation') ? { obfuscation: 'x7Q'.repeat((index % 4) + 1) } : {};
    return { event: String(event['type']), data: JSON.stringify({ ...event, ...extra }) };
  });
}

function contentOf(answer: Answer, { number, faults, memory }: AnswerContext): readonly JsonObject[] {
  const { reasoning, opaque, text, calls } = answer;
  const isUnsigned = has(faults, 'signature-missing');
  const thought = reasoning === undefined ? [] : [signedThought(reasoning, number)];
  const redacted = opaque === undefined ? [] : [{ type: 'redacted_thinking', data: opaque } as const];
  const thoughts: readonly Thought[] = [...(isUnsigned ? [] : thought), ...redacted];
  keepThoughts(
    memory,
    thoughts,
    calls.map(({ id }) => id),
  );
  return [
    ...(isUnsigned ? thought.map((block) => ({ ...block, signature: '' })) : []),
    ...thoughts,
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ];
}

/** A whole answer has no place for arguments that are no JSON. */
function parseInput(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : {};
}

/** Signatures are long: over a KiB of base64, where words would be a leak. */
function signedThought(thinking: string, number: number): Thought {
  const digest = createHash('sha512').update(`${number} ${thinking}`).digest();
  return { type: 'thinking', thinking, signature: Buffer.alloc(960, digest).toString('base64') };
}

function blockEvents(blocks: readonly JsonObject[], isInterleaved: boolean): readonly JsonObject[] {
  const perBlock = blocks.map((block, index) => [
    { type: 'content_block_start', index, content_block: emptyBlock(block) },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  if (!isInterleaved) return perBlock.flat();
  const isCall = (events: readonly JsonObject[]) => JSON.stringify(events[0]).includes('"tool_use"');
  const calls = perBlock.filter(isCall);
  const longest = Math.max(0, ...calls.map((events) => events.length));
  const inTurns = Array.from({ length: longest }, (_, round) =>
    calls.flatMap((events) => events.slice(round, round + 1)),
  );
  return [...perBlock.filter((events) => !isCall(events)), ...inTurns].flat();
}

function emptyBlock(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  const { type, text, thinking, signature, input } = block;
  switch (type) {
    case 'text':
      return splitText(String(text)).map((piece) => ({ type: 'text_delta', text: piece }));
    case 'thinking':
      return [
        ...splitText(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        ...(signature === '' ? [] : [{ type: 'signature_delta', signature }]),
      ];
    case 'tool_use':
      return splitText(String(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    default:
      return [];
  }
}

function envelope({ body, number }: AnswerContext): JsonObject {
  return {
    id: `msg_strict_${number}`,
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function stopReason({ finishReason, calls }: Answer): string {
  switch (finishReason) {
    case undefined:
      return calls.length > 0 ? 'tool_use' : 'end_turn';
    case 'stop':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      return finishReason;
  }
}

function usageOf({ usage: { inputTokens, cachedTokens, outputTokens } }: Answer): JsonObject {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
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
