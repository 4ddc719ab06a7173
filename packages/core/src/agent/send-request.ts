import { type AppError, toAppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { ModelRequest } from '../content/request.ts';
import { isThoughtRefusal } from '../providers/is-thought-refusal.ts';
import { holdsForeignPicture } from './foreign-pictures.ts';
import { createRequestEvent, isSamePlan, planOf } from './request-events.ts';
import { decideRetry } from './retry-policy.ts';
import { runStep } from './run-step.ts';
import { storeAnswer, storeStoppedAnswer } from './store-answer.ts';
import { endpointIdOf, failed, requestOf, type TurnRun } from './turn-run.ts';
import type { TurnHappening } from './turn-state.ts';

/**
 * Sends the prepared request once and stores what came back, as far as it is worth keeping. A
 * request that gave nothing is `postponed` where it may succeed unchanged.
 */
export async function* sendRequest(
  run: TurnRun,
  { step, attempt }: { readonly step: number; readonly attempt: number },
): AsyncGenerator<FoveaEvent, TurnHappening> {
  const { input, services } = run;
  const { session, target, signal } = input;
  const request = await services.records.takeRequestNumber(session.id);
  const { prepared, built } = requestOf(run);
  const lost = new Map<Digest, ErrorCode>();
  run.hasForeignPicture ||= holdsForeignPicture(built.messages);
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
    mask: run.mask,
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
  if (outcome.end.error.code === 'LEASE_LOST') return failed(run, outcome.end.error);
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
  if (outcome.parts.length === 0 && giveUpThoughts(run, outcome.end.error)) return { type: 'thoughts-refused' };
  return retryOrFail(run, { error: outcome.end.error, attempt, hasGivenNothing: outcome.parts.length === 0 });
}

/** Whether the request was refused for its thoughts, and can go without them. Those that come later are others. */
function giveUpThoughts(run: TurnRun, error: AppError): boolean {
  if (!isThoughtRefusal(error)) return false;
  const endpointId = endpointIdOf(run);
  const sent = (run.transcript ?? []).filter(
    (message) =>
      message.role === 'assistant' &&
      message.endpointId === endpointId &&
      !run.refusedThoughtIds.has(message.id) &&
      message.parts.some(({ type }) => type === 'thinking'),
  );
  for (const { id } of sent) run.refusedThoughtIds.add(id);
  if (sent.length === 0) return false;
  run.services.logger.warn('thoughts-refused', {
    sessionId: run.input.session.id,
    code: error.code,
    count: sent.length,
  });
  return true;
}

function retryOrFail(
  run: TurnRun,
  {
    error,
    attempt,
    hasGivenNothing,
  }: { readonly error: AppError; readonly attempt: number; readonly hasGivenNothing: boolean },
): TurnHappening {
  if (!hasGivenNothing) return failed(run, error);
  const decision = decideRetry({ attempt, error, random: run.services.random() });
  if (decision.type === 'retry') return { type: 'postponed', delayMs: decision.delayMs, code: error.code };
  return failed(run, error, decision.note);
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

function isLostBlob(code: ErrorCode): boolean {
  return code === 'BLOB_MISSING' || code === 'BLOB_DAMAGED';
}
