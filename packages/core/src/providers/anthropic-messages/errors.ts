import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { EndpointFailure } from '../endpoint-error.ts';
import { readOpenAiFailureValue } from '../openai-failure.ts';

/**
 * What a refusal says: `{type: "error", error: {type, message, details?}}`, or any form that servers
 * of OpenAI's wires use, since many endpoints speak both wires with one way to refuse.
 */
export function readMessagesFailure(body: string): EndpointFailure {
  const parsed = parseJson(body);
  if (!parsed.ok) return { words: body };
  if (typeof parsed.value === 'string') return { words: parsed.value };
  return readMessagesFailureValue(parsed.value) ?? readOtherForm(parsed.value) ?? { words: body };
}

/** The failure that a parsed body or an event of a stream reports; `undefined` when it reports none. */
export function readMessagesFailureValue(value: unknown): EndpointFailure | undefined {
  if (!isRecord(value)) return undefined;
  const error = value['error'];
  if (isRecord(error)) return { ...readOtherForm(value), ...readDetails(error['details']) };
  const isFailure = value['type'] === 'error' || (typeof error === 'string' && error !== '');
  return isFailure ? (readOtherForm(value) ?? {}) : undefined;
}

/** No answer of this wire has the key `choices`. */
function readOtherForm(value: unknown): EndpointFailure | undefined {
  return readOpenAiFailureValue(value, 'choices');
}

/** A machine code inside `details` says more than the type of the error beside it. */
function readDetails(details: unknown): Pick<EndpointFailure, 'code' | 'paths' | 'maxSidePx'> {
  if (!isRecord(details)) return {};
  const { error_code: code, paths, max_side_length_pixels: maxSidePx } = details;
  return {
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(Array.isArray(paths) && { paths: paths.filter((path) => typeof path === 'string') }),
    ...(typeof maxSidePx === 'number' && { maxSidePx }),
  };
}
