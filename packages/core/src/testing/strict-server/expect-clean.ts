import type { CheckId } from './check-failure.ts';
import type { StrictServer } from './start-strict-server.ts';

/**
 * Throws with all details when the server saw a leak, a broken prefix, a failed check that neither
 * the script nor `allow.checks` names, or a request that the script did not foresee.
 */
export function expectClean(
  server: StrictServer,
  allow: { readonly checks?: readonly CheckId[]; readonly prefixBreaks?: boolean } = {},
): void {
  const faults = [
    ...server.problems,
    ...server.leaks.map((leak) => `leak in request ${leak.request}: ${leak.kind} at ${leak.place}: ${leak.excerpt}`),
    ...(allow.prefixBreaks ? [] : server.prefixBreaks).map(
      (found) =>
        `prefix broken between requests ${found.previousRequest} and ${found.request}: ` +
        `${found.place}, byte ${found.byteOffset}: ${found.before} -> ${found.after}`,
    ),
    ...server.requests.flatMap(({ index, failure, isFailureExpected }) =>
      failure === undefined || isFailureExpected || allow.checks?.includes(failure.check)
        ? []
        : [`request ${index} failed ${failure.check}: ${failure.status} ${failure.message}`],
    ),
  ];
  if (faults.length > 0) throw new Error(`the strict server is not clean:\n${faults.join('\n')}`);
}
