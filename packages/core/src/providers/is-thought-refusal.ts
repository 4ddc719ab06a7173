import type { AppError } from '../base/app-error.ts';

/** How endpoints say that they do not know a thought as their own any more. */
const REFUSING_WORDS: readonly RegExp[] = [
  // Messages: "messages.1.content.0: Invalid `signature` in `thinking` block", also of `data` and redacted ones.
  /\binvalid\b.{0,20}\b(?:signature|data)\b.{0,20}\b(?:redacted_)?thinking\b/i,
  // Messages: thoughts of the latest answer.
  /\bthinking\b.{0,60}\bblocks\b.{0,60}\bcannot be modified\b/i,
  // Responses: of another organization, or older than the endpoint's own keys.
  /\bencrypted content\b.{0,400}\bcould not be (?:verified|decrypted|parsed)\b/i,
  // Responses: an item by its id, where nothing is stored.
  /\bItem with id\b.{0,10}\brs_\w+.{0,10}\bnot found\b/i,
];
const REFUSING_CODE = /^invalid_encrypted_content$/i;

/**
 * Whether an endpoint refused a request because of a thought that it is given back: its proof is no
 * longer valid, as after a change of the account behind the same address. Without old thoughts the
 * request may be accepted; as it is it never will be. Decides by the endpoint's words alone.
 *
 * Source: openai/codex 8119, Wei-Shaw/sub2api 3038, openclaw/openclaw 94534, lbjlaq/Antigravity-Manager 498.
 */
export function isThoughtRefusal({ code, data }: AppError): boolean {
  if (code !== 'ENDPOINT_REFUSED' && code !== 'ENDPOINT_FAILED' && code !== 'ENDPOINT_NOT_FOUND') return false;
  const { endpointCode, endpointMessage } = data;
  if (typeof endpointCode === 'string' && REFUSING_CODE.test(endpointCode)) return true;
  return typeof endpointMessage === 'string' && REFUSING_WORDS.some((words) => words.test(endpointMessage));
}
