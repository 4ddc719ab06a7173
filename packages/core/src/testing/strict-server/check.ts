import type { AnswerMemory } from './answer-memory.ts';
import { type CheckFailure, type CheckId, type CheckRefusal, toFailure } from './check-failure.ts';
import type { Personality } from './personality.ts';
import type { RequestPicture } from './request-picture.ts';
import type { WireMessage } from './wire-message.ts';

/** A request as the checks of a wire see it. */
export interface CheckInput {
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it came. */
  readonly rawText: string;
  readonly personality: Personality;
  readonly messages: readonly WireMessage[];
  readonly pictures: readonly RequestPicture[];
  /** Lower-case names, with keys. */
  readonly headers: Readonly<Record<string, string>>;
  /** What this server's answers gave to be brought back. */
  readonly memory: AnswerMemory;
}

/** One row of a wire's table of checks. */
export interface Check {
  readonly id: CheckId;
  readonly run: (input: CheckInput) => CheckRefusal | undefined;
}

/** The first failure of a table of checks, or `undefined` when the request passes all. */
export function runChecks(checks: readonly Check[], input: CheckInput): CheckFailure | undefined {
  for (const check of checks) {
    const refusal = check.run(input);
    if (refusal !== undefined) return toFailure(check.id, refusal);
  }
  return undefined;
}
