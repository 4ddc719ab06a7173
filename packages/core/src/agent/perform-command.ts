import { toAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import type { FoveaEvent } from '../content/events.ts';
import { executeCalls } from './execute-calls.ts';
import { prepareRequest } from './prepare-request.ts';
import { sendRequest } from './send-request.ts';
import type { TurnRun } from './turn-run.ts';
import { modelName } from './turn-services.ts';
import type { TurnCommand, TurnHappening } from './turn-state.ts';

/**
 * Does what the state table asks for, gives the events of it, and tells what happened: `undefined`
 * for commands after which the table has nothing to decide. What is thrown on the way is a failure
 * of the turn, or its stop.
 */
export async function* performCommand(
  command: TurnCommand,
  run: TurnRun,
): AsyncGenerator<FoveaEvent, TurnHappening | undefined> {
  switch (command.type) {
    case 'begin-step':
      yield { type: 'step-start', step: command.step, model: modelName(run.input.target) };
      return undefined;
    case 'prepare-step':
      return yield* guard(run, prepareRequest(run));
    case 'send-request':
      return yield* guard(run, sendRequest(run, command.step));
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

async function* guard(
  run: TurnRun,
  work: AsyncGenerator<FoveaEvent, TurnHappening>,
): AsyncGenerator<FoveaEvent, TurnHappening> {
  try {
    return yield* work;
  } catch (error) {
    if (run.input.signal.aborted) return { type: 'stopped' };
    const { code, message } = toAppError(error);
    run.services.logger.error('turn-failed', { sessionId: run.input.session.id, turnId: run.input.turnId, code });
    return { type: 'failed', error: { code, message } };
  }
}

function* endStep(run: TurnRun, step: number): Generator<FoveaEvent> {
  if (run.usage !== undefined) {
    yield { type: 'usage', step, model: modelName(run.input.target), ...run.usage };
    run.usage = undefined;
  }
  yield { type: 'step-end', step };
}
