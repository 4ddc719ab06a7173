import { toAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import { costOf } from '../catalog/cost-of.ts';
import type { FoveaEvent } from '../content/events.ts';
import { executeCalls } from './execute-calls.ts';
import { joinSteering } from './join-steering.ts';
import { prepareRequest } from './prepare-request.ts';
import { sendRequest } from './send-request.ts';
import { failed, type TurnRun } from './turn-run.ts';
import { modelName } from './turn-services.ts';
import type { TurnCommand, TurnHappening } from './turn-state.ts';

/**
 * Does what the state table asks for, gives the events of it, and tells what happened: `undefined`
 * for commands after which the table has nothing to decide. What is thrown on the way is a failure
 * of the turn, its stop, or the loss of its session.
 */
export async function* performCommand(
  command: TurnCommand,
  run: TurnRun,
): AsyncGenerator<FoveaEvent, TurnHappening | undefined> {
  switch (command.type) {
    case 'begin-step':
      return yield* guard(run, beginStep(run, command.step));
    case 'prepare-step':
      return yield* guard(run, prepareRequest(run));
    case 'send-request':
      return yield* guard(run, sendRequest(run, command));
    case 'wait':
      return yield* guard(run, waitToRetry(run, command));
    case 'execute-tools':
      return yield* guard(run, executeCalls(run));
    case 'end-step':
      yield* endStep(run, command.step);
      return undefined;
    case 'end-turn':
      yield { type: 'turn-end', status: command.status, ...(command.error && { error: command.error }) };
      return undefined;
    default:
      return assertNever(command);
  }
}

async function* beginStep(run: TurnRun, step: number): AsyncGenerator<FoveaEvent, undefined> {
  yield { type: 'step-start', step, model: modelName(run.input.target) };
  if (step > 1) await joinSteering(run);
  return undefined;
}

async function* guard<Value>(
  run: TurnRun,
  work: AsyncGenerator<FoveaEvent, Value>,
): AsyncGenerator<FoveaEvent, Value | TurnHappening> {
  try {
    return yield* work;
  } catch (error) {
    const failure = toAppError(error);
    if (run.input.signal.aborted && failure.code !== 'LEASE_LOST') return { type: 'stopped' };
    const { session, turnId } = run.input;
    run.services.logger.error('turn-failed', { sessionId: session.id, turnId, code: failure.code });
    return failed(run, failure);
  }
}

/** A stop ends the pause at once. */
async function* waitToRetry(
  run: TurnRun,
  { step, attempt, delayMs, code }: Omit<Extract<TurnCommand, { type: 'wait' }>, 'type'>,
): AsyncGenerator<FoveaEvent, TurnHappening> {
  yield { type: 'retry', step, attempt, delayMs, code };
  await run.services.clock.sleep(delayMs, run.input.signal);
  return { type: 'waited' };
}

function* endStep(run: TurnRun, step: number): Generator<FoveaEvent> {
  const { target } = run.input;
  if (run.usage !== undefined) {
    const cost = target.price === undefined ? undefined : costOf(run.usage, target.price);
    yield { type: 'usage', step, model: modelName(target), ...run.usage, ...(cost && { cost }) };
    run.usage = undefined;
  }
  yield { type: 'step-end', step };
}
