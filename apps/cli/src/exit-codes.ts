import type { ErrorCode } from '@fovea/core/base';
import type { TurnStatus } from '@fovea/core/content';

/** What a finished command tells the shell; fixed by `docs/reference/outside.md`. */
export const exitCodes = {
  done: 0,
  turnFailed: 1,
  usage: 2,
  refused: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the end of a turn means. */
export function exitCodeOf(status: TurnStatus): ExitCode {
  if (status === 'completed') return exitCodes.done;
  return status === 'failed' ? exitCodes.turnFailed : exitCodes.interrupted;
}

/** What an error means that ended a command. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  switch (code) {
    case 'INTERNAL':
    case 'LEASE_LOST':
      return exitCodes.turnFailed;
    case 'SUBMISSION_CONFLICT':
    case 'QUEUE_FULL':
    case 'QUEUE_READ_ONLY':
    case 'TEXT_TOO_LONG':
      return exitCodes.refused;
    default:
      return exitCodes.usage;
  }
}
