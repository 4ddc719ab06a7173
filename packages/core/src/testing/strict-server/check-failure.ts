/**
 * What the server checks, in the order in which it does: first what all wires have in common, then
 * the checks of the wire. `blind` is a personality's refusal of pictures as such.
 */
export type CheckId =
  | 'path'
  | 'method'
  | 'content-type'
  | 'auth'
  | 'body-limit'
  | 'json'
  | 'unknown-key'
  | 'shape'
  | 'inner-key'
  | 'blind'
  | 'order'
  | 'reasoning'
  | 'tools'
  | `c${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14}`
  | `r${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`
  | `a${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19}`;

/** The first check that a request failed, with the answer that it got. */
export interface CheckFailure {
  readonly check: CheckId;
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  /** Machine-readable facts, where the wire has a place for them. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a check says when it refuses; status 400, no param and no code unless given. */
export interface CheckRefusal {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  readonly type?: string;
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A refusal with what it leaves out. */
export function toFailure(check: CheckId, refusal: CheckRefusal): CheckFailure {
  return {
    check,
    status: refusal.status ?? 400,
    type: refusal.type ?? 'invalid_request_error',
    message: refusal.message,
    param: refusal.param ?? null,
    code: refusal.code ?? null,
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
  };
}
