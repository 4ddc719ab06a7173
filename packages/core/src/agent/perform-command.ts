import { AppError, toAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import { isoTime } from '../base/clock.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { FoveaEvent, ToolResultEvent } from '../content/events.ts';
import { type AssistantMessage, type Message, type ToolMessage, textOf, toolCallsOf } from '../content/messages.ts';
import type { AssistantPart } from '../content/parts.ts';
import type { ModelRequest } from '../content/request.ts';
import { buildContext } from '../context/build-context.ts';
import { takeFreshCallId } from '../context/take-fresh-call-id.ts';
import { endpointIdentity } from '../providers/endpoint-identity.ts';
import type { ToolContext } from '../tools/tool.ts';
import { chooseToolImages } from './choose-tool-images.ts';
import { type ExecutedCall, executeTools, planCalls } from './execute-tools.ts';
import { createPictureReferences } from './picture-references.ts';
import { prepareStep } from './prepare-step.ts';
import { createImageNotice, createRequestEvent, isSamePlan, planOf } from './request-events.ts';
import { runStep, type StepOutcome } from './run-step.ts';
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

async function* prepareRequest(run: TurnRun): AsyncGenerator<FoveaEvent, TurnHappening> {
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
    endpointId: endpointIdOf(run),
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

async function* sendRequest(run: TurnRun, step: number): AsyncGenerator<FoveaEvent, TurnHappening> {
  const { input, services } = run;
  const { session, target, signal } = input;
  const request = await services.records.takeRequestNumber(session.id);
  const { prepared, built } = requestOf(run);
  const lost = new Map<Digest, ErrorCode>();
  const outcome = yield* runStep({
    provider: target.provider,
    request: modelRequest(run),
    endpoint: target.endpoint,
    context: {
      signal,
      clock: services.clock,
      logger: services.logger,
      readBlob: async (digest) => {
        try {
          return await services.blobs.get(digest);
        } catch (error) {
          const { code } = toAppError(error);
          if (isLostBlob(code)) lost.set(digest, code);
          throw error;
        }
      },
    },
    requestNumber: request,
    onRequestSent: async (bodyBytes) => {
      const { images } = built;
      const event = createRequestEvent({
        ...{ request, turnId: input.turnId, step, bodyBytes, target, images, previousPlan: run.plan },
        ...prepared,
      });
      await keepPlan(run);
      return event;
    },
  });
  run.usage = outcome.usage;
  if (outcome.end.type === 'finished') return await storeAnswer(run, outcome, outcome.end.reason);
  if (signal.aborted) {
    await storeStoppedAnswer(run, outcome);
    return { type: 'stopped' };
  }
  if (lost.size > 0 && outcome.parts.length === 0) {
    for (const [digest, lossCode] of lost) {
      run.losses.set(digest, { count: (run.losses.get(digest)?.count ?? 0) + 1, code: lossCode });
    }
    return { type: 'pictures-lost' };
  }
  const { code, message } = outcome.end.error;
  return { type: 'failed', error: { code, message } };
}

function modelRequest(run: TurnRun): ModelRequest {
  const { target, session } = run.input;
  const { maxOutputTokens, temperature, reasoningEffort, extraBody } = target;
  return {
    model: target.model,
    messages: requestOf(run).built.messages,
    tools: session.promptHead.tools,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(extraBody === undefined ? {} : { extraBody }),
  };
}

async function keepPlan(run: TurnRun): Promise<void> {
  const plan = planOf(requestOf(run).built.images, {
    sessionId: run.input.session.id,
    endpointId: endpointIdOf(run),
  });
  if (isSamePlan(plan, run.plan)) return;
  run.plan = plan;
  await run.services.records.savePlan(plan);
}

async function storeAnswer(
  run: TurnRun,
  outcome: StepOutcome,
  reason: Extract<StepOutcome['end'], { type: 'finished' }>['reason'],
): Promise<TurnHappening> {
  const answer = answerMessage(run, withFreshCallIds(outcome.parts, run.transcript ?? []), outcome);
  const calls = toolCallsOf(answer);
  const hasWords = textOf(answer).trim() !== '';
  if (calls.length > 0 || hasWords) await append(run, answer);
  run.answer = answer;
  return { type: 'answered', callCount: calls.length, hasWords, reason };
}

/** Words that the user saw are kept; calls that were never run are not. */
async function storeStoppedAnswer(run: TurnRun, outcome: StepOutcome): Promise<void> {
  const parts = outcome.parts.filter((part) => part.type !== 'tool-call');
  const answer: AssistantMessage = { ...answerMessage(run, parts, outcome), status: 'interrupted' };
  if (textOf(answer).trim() !== '') await append(run, answer);
}

function answerMessage(run: TurnRun, parts: readonly AssistantPart[], { usage }: StepOutcome): AssistantMessage {
  const { services, input } = run;
  return {
    id: services.ids.next('msg'),
    turnId: input.turnId,
    createdAt: isoTime(services.clock),
    role: 'assistant',
    parts: [...parts],
    model: modelName(input.target),
    endpointId: endpointIdOf(run),
    status: 'completed',
    ...(usage === undefined ? {} : { usage }),
  };
}

function withFreshCallIds(parts: readonly AssistantPart[], transcript: readonly Message[]): readonly AssistantPart[] {
  const usedIds = new Set<string>();
  for (const message of transcript) {
    if (message.role !== 'assistant') continue;
    for (const call of toolCallsOf(message)) usedIds.add(call.toolCallId);
  }
  return parts.map((part) => {
    return part.type === 'tool-call' ? { ...part, toolCallId: takeFreshCallId(part.toolCallId, usedIds) } : part;
  });
}

async function* executeCalls(run: TurnRun): AsyncGenerator<FoveaEvent, TurnHappening> {
  const { services, input } = run;
  const locale = input.session.modelLocale;
  const calls = run.answer === undefined ? [] : toolCallsOf(run.answer);
  const planned = planCalls(calls, { tools: services.tools, locale });
  for (const item of planned) {
    const { toolCallId, name, arguments: toolArguments } = item.call;
    const activity = 'tool' in item ? item.tool.activity?.(item.toolArguments) : undefined;
    yield { type: 'tool-call', toolCallId, name, arguments: toolArguments, ...(activity && { activity }) };
  }
  const { access, blobs, limits, logger } = services;
  const references = createPictureReferences(
    { sessionId: input.session.id, transcript: run.transcript ?? [] },
    services,
  );
  const context: ToolContext = { access, blobs, limits, locale, signal: input.signal, references };
  for await (const executed of executeTools(planned, { context, logger })) {
    const message = toolMessage(run, executed);
    await append(run, message);
    yield toolResultEvent(message);
  }
  return input.signal.aborted ? { type: 'stopped' } : { type: 'executed' };
}

function toolMessage({ services, input }: TurnRun, { call, outcome }: ExecutedCall): ToolMessage {
  return {
    id: services.ids.next('msg'),
    turnId: input.turnId,
    createdAt: isoTime(services.clock),
    role: 'tool',
    toolCallId: call.toolCallId,
    toolName: call.name,
    content: outcome.content,
    isError: outcome.isError,
    metadata: { attachments: [...outcome.attachments] },
  };
}

function toolResultEvent({ toolCallId, isError, content, metadata }: ToolMessage): ToolResultEvent {
  const [first] = metadata.attachments;
  return {
    type: 'tool-result',
    toolCallId,
    isError,
    result: content,
    ...(first && {
      preview: {
        media_type: 'image',
        mime: first.mime,
        digest: first.digest,
        width: first.width,
        height: first.height,
      },
    }),
    attachments: metadata.attachments,
  };
}

function* endStep(run: TurnRun, step: number): Generator<FoveaEvent> {
  if (run.usage !== undefined) {
    yield { type: 'usage', step, model: modelName(run.input.target), ...run.usage };
    run.usage = undefined;
  }
  yield { type: 'step-end', step };
}

async function append(run: TurnRun, message: Message): Promise<void> {
  await run.services.records.appendMessages(run.input.session.id, [message]);
  run.transcript?.push(message);
}

function requestOf(run: TurnRun): NonNullable<TurnRun['request']> {
  if (run.request === undefined) throw new AppError('INTERNAL', 'no request is prepared');
  return run.request;
}

function endpointIdOf({ input }: TurnRun): string {
  const { endpoint, model } = input.target;
  return endpointIdentity({ wireApi: endpoint.wireApi, baseUrl: endpoint.baseUrl, model });
}

function isLostBlob(code: ErrorCode): boolean {
  return code === 'BLOB_MISSING' || code === 'BLOB_DAMAGED';
}
