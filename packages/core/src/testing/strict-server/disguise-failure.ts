import type { CheckFailure } from './check-failure.ts';
import type { Personality } from './personality.ts';
import { type Reply, replyText } from './reply.ts';

const HTTP_CHECKS: ReadonlySet<CheckFailure['check']> = new Set([
  'path',
  'method',
  'content-type',
  'auth',
  'body-limit',
  'json',
]);

/**
 * The answer with status 200 in which some endpoints and proxies hide a refusal: an error inside the
 * stream, or the error as the words of the model. `undefined`: it is answered with its own status.
 */
export function disguiseFailure(
  failure: CheckFailure,
  personality: Personality | undefined,
  isStreamed: boolean,
): Reply | undefined {
  if (personality?.failsAs === undefined || HTTP_CHECKS.has(failure.check)) return undefined;
  if (personality.failsAs === 'text') {
    return replyText(`[Error: ${failure.status} ${JSON.stringify({ message: failure.message })}]`);
  }
  if (!isStreamed) return undefined;
  return replyText('', { faults: [{ kind: 'error-frame', afterFrames: 0, error: failure.message }] });
}
