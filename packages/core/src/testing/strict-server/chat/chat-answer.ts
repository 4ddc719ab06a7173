import { isRecord } from '../../../base/parse-json.ts';
import type { StreamFault } from '../reply.ts';
import type { Answer, AnswerContext, Frame } from '../wire-root.ts';

// Time has no part in any test: every answer was created at the same moment.
const CREATED_AT_S = 1_767_322_800;

/** Characters of one delta: small, so that every text of a test comes in several. */
const PIECE_CHARACTERS = 6;

/** The answer as one JSON body. */
export function buildChatJson(answer: Answer, context: AnswerContext): unknown {
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    ...envelope(context, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' && calls.length > 0 ? null : answer.text,
          ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usageOf(answer),
  };
}

/**
 * The answer as frames: role, pieces of reasoning and text, tool calls in pieces, the finish
 * reason, usage where it was asked for, and the end mark.
 */
export function buildChatFrames(answer: Answer, context: AnswerContext): readonly Frame[] {
  const { faults } = context;
  const chunks: Record<string, unknown>[] = [
    delta({ role: 'assistant', content: '' }),
    ...splitText(answer.reasoning ?? '').map((piece) => delta({ reasoning_content: piece })),
    ...splitText(answer.text).map((piece) => delta({ content: piece })),
    ...callDeltas(answer, has(faults, 'interleaved-tool-calls')),
  ];
  if (!has(faults, 'finish-missing')) chunks.push(delta({}, finishReason(answer)));
  const isUsageAsked =
    isRecord(context.body['stream_options']) && context.body['stream_options']['include_usage'] === true;
  if (isUsageAsked && !has(faults, 'usage-missing')) chunks.push({ choices: [], usage: usageOf(answer) });

  const frames = chunks.map((chunk, index): Frame => {
    const extra = has(faults, 'obfuscation') ? { obfuscation: 'x7Q'.repeat((index % 4) + 1) } : {};
    const usage = isUsageAsked ? { usage: null } : {};
    return { data: JSON.stringify({ ...envelope(context, 'chat.completion.chunk'), ...usage, ...chunk, ...extra }) };
  });
  const doneCount = has(faults, 'done-missing') ? 0 : has(faults, 'done-twice') ? 2 : 1;
  return [...frames, ...Array.from({ length: doneCount }, () => ({ data: '[DONE]' }))];
}

function callDeltas(answer: Answer, isInterleaved: boolean): Record<string, unknown>[] {
  const perCall = answer.calls.map((call, index) => [
    delta({
      tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
    }),
    ...splitText(call.arguments).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  if (!isInterleaved) return perCall.flat();
  const longest = Math.max(0, ...perCall.map((deltas) => deltas.length));
  return Array.from({ length: longest }, (_, round) =>
    perCall.flatMap((deltas) => deltas.slice(round, round + 1)),
  ).flat();
}

function delta(value: Readonly<Record<string, unknown>>, reason: string | null = null): Record<string, unknown> {
  return { choices: [{ index: 0, delta: value, logprobs: null, finish_reason: reason }] };
}

function envelope({ body, number }: AnswerContext, object: string): Record<string, unknown> {
  return { id: `chatcmpl-strict-${number}`, object, created: CREATED_AT_S, model: body['model'] };
}

function finishReason(answer: Answer): string {
  return answer.finishReason ?? (answer.calls.length > 0 ? 'tool_calls' : 'stop');
}

function usageOf({ usage }: Answer): Record<string, unknown> {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
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
