import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { EndpointFailure } from '../endpoint-error.ts';
import { readChatFailureValue } from '../openai-chat/errors.ts';

/**
 * What a refusal says: `{type: "error", error: {type, message, details?}}`, or any form that servers
 * of Chat Completions use, since many endpoints speak both wires with one way to refuse.
 */
export function readMessagesFailure(body: string): EndpointFailure {
  const parsed = parseJson(body);
  if (!parsed.ok) return { words: body };
  if (typeof parsed.value === 'string') return { words: parsed.value };
  return readMessagesFailureValue(parsed.value) ?? readChatFailureValue(parsed.value) ?? { words: body };
}

/** The failure that a parsed body or an event of a stream reports; `undefined` when it reports none. */
export function readMessagesFailureValue(value: unknown): EndpointFailure | undefined {
  if (!isRecord(value)) return undefined;
  const error = value['error'];
  if (isRecord(error)) return { ...readChatFailureValue(value), ...readDetails(error['details']) };
  const isFailure = value['type'] === 'error' || (typeof error === 'string' && error !== '');
  return isFailure ? (readChatFailureValue(value) ?? {}) : undefined;
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
