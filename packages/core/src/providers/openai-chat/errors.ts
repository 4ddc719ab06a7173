import type { EndpointFailure } from '../endpoint-error.ts';
import { readOpenAiFailure, readOpenAiFailureValue } from '../openai-failure.ts';

/** What a refusal says. See {@link readOpenAiFailure}. */
export function readChatFailure(body: string): EndpointFailure {
  return readOpenAiFailure(body, 'choices');
}

/** The failure that a parsed body or a frame of a stream reports; `undefined` when it reports none. */
export function readChatFailureValue(value: unknown): EndpointFailure | undefined {
  return readOpenAiFailureValue(value, 'choices');
}
