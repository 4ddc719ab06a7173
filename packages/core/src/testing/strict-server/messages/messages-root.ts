import { isRecord } from '../../../base/parse-json.ts';
import type { CheckFailure } from '../check-failure.ts';
import type { WireRoot } from '../wire-root.ts';
import { buildMessagesFrames, buildMessagesJson } from './messages-answer.ts';
import { messagesChecks } from './messages-checks.ts';
import { isPictureSlot, readMessages, readPictureSlots, sliceMessagesHistory } from './read-messages-body.ts';

/** Anthropic Messages, as in wire-facts section 3. */
export const messagesRoot: WireRoot = {
  path: '/messages',
  historyKey: 'messages',
  checks: messagesChecks,
  readMessages,
  readPictureSlots,
  isPictureSlot,
  isSpokenBy: ({ messages }) => messages !== undefined,
  sliceHistory: sliceMessagesHistory,
  errorBody: (failure, requestId) => ({
    type: 'error',
    error: {
      type: errorType(failure),
      message: failure.message,
      ...(failure.details === undefined ? {} : { details: failure.details }),
    },
    request_id: requestId,
  }),
  errorFrame: (error) => {
    const { type = 'api_error', message = '' } = isRecord(error) ? error : {};
    return { event: 'error', data: JSON.stringify({ type: 'error', error: { type, message } }) };
  },
  isStreamed: (body) => body['stream'] === true,
  buildFrames: buildMessagesFrames,
  buildJson: buildMessagesJson,
};

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function errorType({ type, status }: CheckFailure): string {
  return type === 'invalid_request_error' ? (errorTypes[status] ?? type) : type;
}
