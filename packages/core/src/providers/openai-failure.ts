import { isRecord, parseJson } from '../base/parse-json.ts';
import type { EndpointFailure } from './endpoint-error.ts';

/** The key that an answer of a wire has and a failure has not. */
export type AnswerKey = 'choices' | 'output';

/**
 * What a refusal says, in any of the forms that servers of OpenAI's wires use: OpenAI's `{error: {...}}`,
 * a bare string as `error` (LM Studio), a list of one error (Google), `message` or `detail` at the top
 * (vLLM, FastAPI), a router's copy of the provider's words in `metadata.raw`, or no JSON at all.
 */
export function readOpenAiFailure(body: string, answerKey: AnswerKey): EndpointFailure {
  const parsed = parseJson(body);
  if (!parsed.ok) return { words: body };
  if (typeof parsed.value === 'string') return { words: parsed.value };
  return readOpenAiFailureValue(parsed.value, answerKey) ?? { words: body };
}

/** The failure that a parsed body or a frame of a stream reports; `undefined` when it reports none. */
export function readOpenAiFailureValue(value: unknown, answerKey: AnswerKey): EndpointFailure | undefined {
  if (Array.isArray(value)) return readOpenAiFailureValue(value[0], answerKey);
  if (!isRecord(value)) return undefined;
  const error = value['error'];
  if (typeof error === 'string' && error !== '') return { words: error, ...machineFields(value) };
  if (isRecord(error)) return { words: wordsOf(error), ...machineFields(error) };
  const isErrorObject = value['object'] === 'error' || value['type'] === 'error' || !(answerKey in value);
  const words = wordsOf(value);
  return isErrorObject && words !== '' ? { words, ...machineFields(value) } : undefined;
}

function wordsOf(error: Readonly<Record<string, unknown>>): string {
  const message = firstText(error['message'], error['msg'], error['detail']);
  const metadata = error['metadata'];
  const raw = isRecord(metadata) ? textOf(metadata['raw']) : '';
  return raw === '' || message.includes(raw) ? message : `${message} ${raw}`.trim();
}

function machineFields(error: Readonly<Record<string, unknown>>): Omit<EndpointFailure, 'words'> {
  const code = error['code'];
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? code : undefined;
  // An event of the type `error` says no more with its type than that it is one.
  const type = error['type'] === 'error' ? undefined : error['type'];
  const machineCode = typeof code === 'string' && code !== '' ? code : firstText(type);
  const param = error['param'];
  return {
    ...(machineCode !== '' && { code: machineCode }),
    ...(status !== undefined && { status }),
    ...(typeof param === 'string' && param !== '' && { param }),
  };
}

function firstText(...candidates: readonly unknown[]): string {
  return candidates.map(textOf).find((text) => text !== '') ?? '';
}

/** Words, or a list of complaints as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) || isRecord(value) ? JSON.stringify(value) : '';
}
