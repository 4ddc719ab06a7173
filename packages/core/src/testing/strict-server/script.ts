import type { Reply } from './reply.ts';
import type { StrictRequest } from './strict-request.ts';

/** Decides at the time of the request. `history` holds the requests before it. */
export type ReplyFunction = (request: StrictRequest, history: readonly StrictRequest[]) => Reply | Promise<Reply>;

export type ScriptStep = Reply | ReplyFunction;

/** One step a request, in order, or a function for all of them. */
export type Script = readonly ScriptStep[] | ReplyFunction;
