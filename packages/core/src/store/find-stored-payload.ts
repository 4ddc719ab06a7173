import { assertNever } from '../base/assert-never.ts';
import type { Message } from '../content/messages.ts';

/** Characters of base64 from which on a data URI is bytes and no example. */
const PAYLOAD_CHARACTERS = 200;

const PAYLOAD = new RegExp(
  String.raw`data:[a-z0-9.+-]+/[a-z0-9.+-]+(?:;[a-z0-9-]+=[^;,\s"']*)*;base64,[a-z0-9+/_-]{${PAYLOAD_CHARACTERS}}`,
  'i',
);

/** Whether a stored text holds bytes as a data URI (requirements R147, R184, R195). */
export function holdsPayload(text: string): boolean {
  return /;base64,/i.test(text) && PAYLOAD.test(text);
}

/**
 * Whether a message does, apart from what somebody wrote: the user's text and what `@path` named, and
 * the model's words and calls, which are kept exactly as they came.
 */
export function messageHoldsPayload(message: Message): boolean {
  switch (message.role) {
    case 'assistant':
      return false;
    case 'user':
      return holdsPayload(JSON.stringify({ ...message, content: '', references: [] }));
    case 'tool':
      return holdsPayload(JSON.stringify(message));
    default:
      return assertNever(message);
  }
}
