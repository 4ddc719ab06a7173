import { toAppError } from '../base/app-error.ts';
import { isoTime } from '../base/clock.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { ImageInput } from '../content/image-input.ts';
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
 * or a tool is an event. So is the loss of the session to another process, which has settled the
 * turn then: `interrupted`, with the code `LEASE_LOST`. An end that cannot be stored is told as
 * `interrupted` with the code of the fault, which is how the next holder of the session settles it.
 *
 * Throws only what the turn's beginning throws, see `TurnRecords.startTurn`. Whoever stops reading
 * the events interrupts the turn, at once also while the turn waits for something.
 */
export function runTurn(input: RunTurnInput, services: TurnServices): AsyncGenerator<FoveaEvent> {
  const leaving = new AbortController();
  const events = tellTurn(input, services, leaving);
  const close = events.return.bind(events);
  // A generator is closed when what it waits for is over: this ends the wait.
  events.return = (value) => {
    leaving.abort();
    return close(value);
  };
  return events;
}

async function* tellTurn(
  input: RunTurnInput,
  services: TurnServices,
  leaving: AbortController,
): AsyncGenerator<FoveaEvent, void> {
  const { session, turnId, submissionId, edits } = input;
  const message = createUserMessage(turnId, { ...input, imageInputs: input.images.map(toImageInput) }, services);
  await services.records.startTurn(
    { id: turnId, sessionId: session.id, submissionId, status: 'running', startedAt: message.createdAt },
    message,
    edits === undefined ? undefined : { edits },
  );
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
        isEnded = command.type === 'end-turn';
        const done = command.type === 'end-turn' ? await storeEnd(command, input, services) : command;
        happening = yield* maskEvents(performCommand(done, run), run.mask);
        if (happening !== undefined) break;
      }
      if (happening?.type === 'lost') leaving.abort();
    }
  } finally {
    leaving.abort();
    if (!isEnded) await storeEnd(endOf(state, input.signal), input, services);
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

type TurnEnd = Extract<TurnCommand, { type: 'end-turn' }>;

/** Of a turn that somebody left: only what the user asked for counts as stopped. */
function endOf(state: TurnState, { aborted }: AbortSignal): TurnEnd {
  if (state.name !== 'ended' || (state.status === 'stopped' && !aborted))
    return { type: 'end-turn', status: 'interrupted' };
  return { ...state, type: 'end-turn' };
}

/** Gives the end as it is to be told. */
async function storeEnd(end: TurnEnd, { turnId, session }: RunTurnInput, services: TurnServices): Promise<TurnEnd> {
  const { status, error } = end;
  if (error?.code === 'LEASE_LOST') return end;
  try {
    await services.records.endTurn(turnId, { status, endedAt: isoTime(services.clock), ...(error && { error }) });
    return end;
  } catch (fault) {
    const { code, message } = toAppError(fault);
    services.logger.error('turn-end-not-stored', { sessionId: session.id, turnId, code });
    return { type: 'end-turn', status: 'interrupted', error: { code, message } };
  }
}

function toImageInput(image: RunTurnInput['images'][number]): ImageInput {
  return 'digest' in image ? { attachment: image } : image;
}
