import { AppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { TurnStatus } from '../content/events.ts';
import type { FinishReason } from '../providers/provider.ts';

export interface TurnError {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Where a turn stands.
 *
 * - `admitted`: its message is about to be stored.
 * - `preparing`: the facts of a step are gathered and its request is built.
 * - `requesting`: the model answers.
 * - `waiting`: the request gave nothing and is sent once more after a pause.
 * - `executing`: the calls of the answer run.
 * - `ended`: for good.
 */
export type TurnState =
  | { readonly name: 'admitted'; readonly maxSteps: number }
  | LiveStep<'preparing'>
  | SendingStep<'requesting'>
  | SendingStep<'waiting'>
  | LiveStep<'executing'>
  | { readonly name: 'ended'; readonly status: TurnStatus; readonly error?: TurnError };

interface LiveStep<Name extends string> {
  readonly name: Name;
  /** From 1. */
  readonly step: number;
  readonly maxSteps: number;
}

interface SendingStep<Name extends string> extends LiveStep<Name> {
  /** How often the request was sent, from 1. */
  readonly attempt: number;
}

/** What happened. Everything that had to be durable by then is stored already. */
export type TurnHappening =
  /** The turn and its message are stored. */
  | { readonly type: 'accepted' }
  /** The request is built. */
  | { readonly type: 'prepared' }
  /** Stored bytes of the request could not be read; the step has to be prepared without them. */
  | { readonly type: 'pictures-lost' }
  /** The endpoint does not take thoughts back that it gave; the step has to be prepared without them. */
  | { readonly type: 'thoughts-refused' }
  /** The request failed before it gave anything, and may succeed after a pause. */
  | { readonly type: 'postponed'; readonly delayMs: number; readonly code: ErrorCode }
  /** The pause is over. */
  | { readonly type: 'waited' }
  /** The answer is stored, unless it holds neither words nor calls. Thinking is no words. */
  | {
      readonly type: 'answered';
      readonly callCount: number;
      readonly hasWords: boolean;
      readonly reason: FinishReason;
    }
  /** Every call of the answer has a stored result. */
  | { readonly type: 'executed' }
  /** The user stopped; what was said until then, and a result for every call, is stored. */
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: TurnError }
  /** Another process took the session over: whatever this one would write is refused. */
  | { readonly type: 'lost'; readonly error: TurnError };

/**
 * What has to be done next, in this order. The last command of a live turn gives the next happening;
 * when one before it does, something went wrong, and the rest is not done.
 */
export type TurnCommand =
  | { readonly type: 'begin-step'; readonly step: number }
  | { readonly type: 'prepare-step'; readonly step: number }
  | { readonly type: 'send-request'; readonly step: number; readonly attempt: number }
  | {
      readonly type: 'wait';
      readonly step: number;
      readonly attempt: number;
      readonly delayMs: number;
      readonly code: ErrorCode;
    }
  | { readonly type: 'execute-tools'; readonly step: number }
  | { readonly type: 'end-step'; readonly step: number }
  | { readonly type: 'end-turn'; readonly status: TurnStatus; readonly error?: TurnError };

export interface TurnTransition {
  readonly state: TurnState;
  readonly commands: readonly TurnCommand[];
}

/**
 * The state table of a turn: pure, so that every path (a stop and a failure in every state
 * included) is tested without a model, a tool or a store.
 *
 * What arrives after the end changes nothing. Throws `INTERNAL` for a happening that cannot occur
 * in a state.
 */
export function advanceTurn(state: TurnState, happening: TurnHappening): TurnTransition {
  if (state.name === 'ended') return { state, commands: [] };
  switch (happening.type) {
    case 'accepted':
      return state.name === 'admitted' ? beginStep(1, state.maxSteps) : refuse(state, happening);
    case 'prepared':
      if (state.name !== 'preparing') return refuse(state, happening);
      return sendRequest(state, 1);
    case 'pictures-lost':
    case 'thoughts-refused':
      if (state.name !== 'requesting') return refuse(state, happening);
      return prepareAgain(state);
    case 'postponed':
      return state.name === 'requesting' ? wait(state, happening) : refuse(state, happening);
    case 'waited':
      return state.name === 'waiting' ? sendRequest(state, state.attempt + 1) : refuse(state, happening);
    case 'answered':
      return state.name === 'requesting' ? afterAnswer(state, happening) : refuse(state, happening);
    case 'executed':
      return state.name === 'executing' ? afterTools(state) : refuse(state, happening);
    case 'stopped':
      return endTurn(state, 'stopped');
    case 'failed':
      return endTurn(state, 'failed', happening.error);
    case 'lost':
      return endTurn(state, 'interrupted', happening.error);
    default:
      return assertNever(happening);
  }
}

function beginStep(step: number, maxSteps: number): TurnTransition {
  return {
    state: { name: 'preparing', step, maxSteps },
    commands: [
      { type: 'begin-step', step },
      { type: 'prepare-step', step },
    ],
  };
}

function prepareAgain({ step, maxSteps }: SendingStep<'requesting'>): TurnTransition {
  return { state: { name: 'preparing', step, maxSteps }, commands: [{ type: 'prepare-step', step }] };
}

function sendRequest({ step, maxSteps }: LiveStep<string>, attempt: number): TurnTransition {
  return {
    state: { name: 'requesting', step, maxSteps, attempt },
    commands: [{ type: 'send-request', step, attempt }],
  };
}

function wait(
  state: SendingStep<'requesting'>,
  { delayMs, code }: Omit<Extract<TurnHappening, { type: 'postponed' }>, 'type'>,
): TurnTransition {
  const { step, attempt } = state;
  return { state: { ...state, name: 'waiting' }, commands: [{ type: 'wait', step, attempt, delayMs, code }] };
}

function afterAnswer(
  state: SendingStep<'requesting'>,
  { callCount, hasWords, reason }: Omit<Extract<TurnHappening, { type: 'answered' }>, 'type'>,
): TurnTransition {
  const { step, maxSteps } = state;
  if (callCount > 0) {
    return {
      state: { name: 'executing', step, maxSteps },
      commands: [{ type: 'execute-tools', step }],
    };
  }
  if (reason === 'length') {
    return endTurn(state, 'failed', {
      code: 'OUTPUT_LIMIT',
      message: 'The answer reached the output limit and ends in the middle. Raise maxOutputTokens, or ask to go on.',
    });
  }
  if (reason === 'content-filter') {
    return endTurn(state, 'failed', { code: 'CONTENT_FILTERED', message: 'The endpoint withheld the answer.' });
  }
  if (!hasWords) return endTurn(state, 'failed', { code: 'ANSWER_EMPTY', message: 'The model answered nothing.' });
  return endTurn(state, 'completed');
}

function afterTools(state: LiveStep<'executing'>): TurnTransition {
  const { step, maxSteps } = state;
  if (step >= maxSteps) {
    return endTurn(state, 'failed', {
      code: 'STEP_LIMIT',
      message: `The turn was ended after ${maxSteps} steps, the most that one turn may take. Ask to go on to continue.`,
    });
  }
  const next = beginStep(step + 1, maxSteps);
  return { state: next.state, commands: [{ type: 'end-step', step }, ...next.commands] };
}

function endTurn(state: Exclude<TurnState, { name: 'ended' }>, status: TurnStatus, error?: TurnError): TurnTransition {
  const end = { status, ...(error === undefined ? {} : { error }) };
  const closeStep: readonly TurnCommand[] = state.name === 'admitted' ? [] : [{ type: 'end-step', step: state.step }];
  return { state: { name: 'ended', ...end }, commands: [...closeStep, { type: 'end-turn', ...end }] };
}

function refuse(state: TurnState, happening: TurnHappening): never {
  throw new AppError('INTERNAL', `a turn that is ${state.name} cannot be told "${happening.type}"`);
}
