import { isRecord } from '../../base/parse-json.ts';
import type { EndpointFailure } from '../endpoint-error.ts';
import { readOpenAiFailure, readOpenAiFailureValue } from '../openai-failure.ts';

/** What a refusal says. See {@link readOpenAiFailure}. */
export function readResponsesFailure(body: string): EndpointFailure {
  return readOpenAiFailure(body, 'output');
}

/**
 * The failure that a frame of a stream reports: an `error` event, whose fields stand beside its type
 * or in an `error` of their own, a whole response with an `error`, or the error object of a gateway;
 * `undefined` when it reports none.
 */
export function readResponsesFailureValue(value: unknown): EndpointFailure | undefined {
  const response = isRecord(value) ? value['response'] : undefined;
  return readOpenAiFailureValue(isRecord(response) ? response : value, 'output');
}
