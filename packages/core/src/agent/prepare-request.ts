import type { FoveaEvent } from '../content/events.ts';
import type { Message } from '../content/messages.ts';
import { buildContext } from '../context/build-context.ts';
import { chooseToolImages } from './choose-tool-images.ts';
import { prepareStep } from './prepare-step.ts';
import { createImageNotice } from './request-events.ts';
import { endpointIdOf, requestOf, type TurnRun } from './turn-run.ts';
import { modelName } from './turn-services.ts';
import type { TurnHappening } from './turn-state.ts';

/** Gathers the facts of a step and builds its request from them. */
export async function* prepareRequest(run: TurnRun): AsyncGenerator<FoveaEvent, TurnHappening> {
  const { session, target, turnId, signal } = run.input;
  const transcript = run.transcript ?? (await loadState(run));
  const prepared = await prepareStep(
    {
      sessionId: session.id,
      turnId,
      transcript,
      target,
      sentDigests: new Set(run.plan?.images.map((image) => image.digest)),
      losses: run.losses,
      signal,
    },
    run.services,
  );
  const built = buildContext({
    transcript,
    promptHead: session.promptHead,
    variants: prepared.variants,
    imageInput: target.imageInput,
    toolImages: chooseToolImages(target),
    answering: { turnId, model: modelName(target) },
    endpointId: endpointIdOf(run),
    refusedThoughtIds: run.refusedThoughtIds,
    links: { ...target.limitRow, channel: target.channel },
    locale: session.modelLocale,
  });
  run.request = { prepared, built };
  yield* tellNotices(run);
  return signal.aborted ? { type: 'stopped' } : { type: 'prepared' };
}

async function loadState(run: TurnRun): Promise<readonly Message[]> {
  const { records } = run.services;
  const sessionId = run.input.session.id;
  run.plan = await records.loadPlan(sessionId, endpointIdOf(run));
  run.isKnownEndpoint = run.plan !== undefined;
  run.transcript = [...(await records.loadTranscript(sessionId))];
  return run.transcript;
}

/** The fate of old pictures is told when the endpoint is new to the session; of new ones always. */
function* tellNotices(run: TurnRun): Generator<FoveaEvent> {
  const { target, session } = run.input;
  const { prepared, built } = requestOf(run);
  for (const notice of built.notices) {
    const event = createImageNotice(notice, { target, faults: prepared.faults, locale: session.modelLocale });
    if (event === undefined) continue;
    const isNew = [...prepared.pictures.values()].some(
      ({ digest, isOfCurrentTurn }) => isOfCurrentTurn && digest === event.digest,
    );
    if (event.kind !== 'missing' && !isNew && run.isKnownEndpoint) continue;
    const key = `${event.kind} ${event.digest ?? event.name} ${event.toolCallId ?? ''}`;
    if (run.toldNotices.has(key)) continue;
    run.toldNotices.add(key);
    yield event;
  }
}
