import type { ErrorCode } from '../base/error-codes.ts';
import type { TurnStatus } from './events.ts';

/** One accepted submission. A row that still says `running` after its process died was interrupted. */
export interface TurnRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly submissionId: string;
  readonly status: 'running' | TurnStatus;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}
