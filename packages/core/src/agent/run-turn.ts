import { isoTime } from '../base/clock.ts';
import type { FoveaEvent } from '../content/events.ts';
import { performCommand } from './perform-command.ts';
import type { SecretMask } from './secret-mask.ts';
import { createTurnRun, createUserMessage } from './turn-run.ts';
import type { RunTurnInput, TurnServices } from './turn-services.ts';
import { advanceTurn, type TurnCommand, type TurnHappening, type TurnState } from './turn-state.ts';

/**
 * Runs one admitted turn to its end and tells of it in events; `turn-end` is the last.
 *
 * What is stored is a valid conversation at every moment: the user's message first, an answer when
 * it is whole, a result for each call as soon as it is there. A failure of the model, the endpoint
 * or a tool is an event; throws only when the turn's own row cannot be written. Whoever stops
 * reading the events interrupts the turn.
 */
export async function* runTurn(input: RunTurnInput, services: TurnServices): AsyncGenerator<FoveaEvent> {
  const { session, turnId, submissionId } = input;
  const startedAt = isoTime(services.clock);
  await services.records.startTurn(
    { id: turnId, sessionId: session.id, submissionId, status: 'running', startedAt },
    createUserMessage(input, { id: services.ids.next('msg'), createdAt: startedAt }),
  );
  const leaving = new AbortController();
  const run = createTurnRun({ ...input, signal: AbortSignal.any([input.signal, leaving.signal]) }, services);
  let state: TurnState = { name: 'admitted', maxSteps: services.maxSteps };
  let happening: TurnHappening | undefined = { type: 'accepted' };
  let isEnded = false;
  try {
    yield { type: 'turn-accepted', sessionId: session.id, turnId, submissionId };
    while (happening !== undefined) {
      const transition = advanceTurn(state, happening);
      state = transition.state;
      happening = undefined;
      for (const command of transition.commands) {
        if (command.type === 'end-turn') {
          isEnded = true;
          await storeEnd(command, input, services);
        }
        happening = yield* maskEvents(performCommand(command, run), run.mask);
      }
    }
  } finally {
    leaving.abort();
    if (!isEnded) await storeEnd(state.name === 'ended' ? state : { status: 'interrupted' }, input, services);
  }
}

/** The last filter before anything is told; deltas have passed it, where their pieces still made sense. */
async function* maskEvents<Value>(
  events: AsyncGenerator<FoveaEvent, Value | undefined>,
  mask: SecretMask,
): AsyncGenerator<FoveaEvent, Value | undefined> {
  try {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      const { type } = next.value;
      yield type === 'text-delta' || type === 'thinking-delta' ? next.value : mask.value(next.value);
    }
  } finally {
    await events.return(undefined);
  }
}

async function storeEnd(
  { status, error }: Pick<Extract<TurnCommand, { type: 'end-turn' }>, 'status' | 'error'>,
  { turnId }: RunTurnInput,
  { records, clock }: TurnServices,
): Promise<void> {
  await records.endTurn(turnId, { status, endedAt: isoTime(clock), ...(error === undefined ? {} : { error }) });
}
