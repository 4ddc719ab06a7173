import { runTurn } from '@fovea/core/agent';
import { admitTurn } from '@fovea/core/attachments';
import { isAppError, isoTime, type Locale } from '@fovea/core/base';
import type { FoveaEvent, Session } from '@fovea/core/content';
import { builtInTools } from '@fovea/core/tools';
import { mergeLimits, toToolLimits } from './admission-limits.ts';
import { titleFrom } from './create-session.ts';
import { createFileAccess } from './file-access.ts';
import type { TurnInput } from './fovea.ts';
import { localizedError } from './localized-error.ts';
import { findModelByReference, toModelChoice, toModelTarget } from './resolve-model.ts';
import type { Services } from './services.ts';
import { requireStoredSession } from './stored-sessions.ts';
import { serverTexts } from './texts.ts';

/** Model calls of one turn: far above what a task needs, and an end for a model that turns in circles. */
const MAX_STEPS = 50;

/**
 * One turn of a stored session: model, admission, then the agent. A refused turn is the event
 * `turn-refused` and nothing else; nothing of it is stored but bytes that no message refers to.
 * Throws `SESSION_NOT_FOUND`, `SESSION_BUSY`, and what finding the model throws.
 */
export async function* submitTurn(input: TurnInput, services: Services): AsyncGenerator<FoveaEvent> {
  const session = await requireStoredSession(input.sessionId, services);
  const { runningSessions } = services;
  if (runningSessions.has(session.id)) {
    const message = serverTexts(services.locale).sessionBusy(session.id);
    throw localizedError('SESSION_BUSY', message, { data: { sessionId: session.id } });
  }
  runningSessions.add(session.id);
  try {
    yield* admitAndRun(input, session, services);
  } catch (error) {
    throw nameBusyProcess(error, services.locale);
  } finally {
    runningSessions.delete(session.id);
  }
}

/** The store's refusal of a second turn, in the user's language. */
function nameBusyProcess(error: unknown, locale: Locale): unknown {
  if (!isAppError(error) || error.code !== 'SESSION_BUSY') return error;
  const { sessionId, pid, host } = error.data;
  const message = serverTexts(locale).sessionBusyElsewhere({ id: String(sessionId), process: `${pid} (${host})` });
  return localizedError('SESSION_BUSY', message, { data: error.data, cause: error });
}

async function* admitAndRun(input: TurnInput, session: Session, services: Services): AsyncGenerator<FoveaEvent> {
  const { config, home, environment, locale, clock, ids, logger } = services;
  const found = await findModelByReference(input.model ?? session.model, services.resolver);
  if (!found.ok) throw found.error;
  const { channel, model } = found.value;
  const modelId = toModelChoice(channel, model).id;
  const target = await toModelTarget(found.value, await services.providers.get(channel.wireApi));
  const { blobs, turnRecords, sessions, contentGraph, approvals, fileChanges } = await services.openStore();
  const { workspace, externalFolders } = session;
  const { permissions } = config;
  const access = createFileAccess({ workspace, externalFolders, home, permissions, environment });
  const limits = mergeLimits(config.limits);
  const signal = input.signal ?? new AbortController().signal;

  const admitted = await admitTurn({
    attachments: input.attachments,
    access,
    limits,
    blobs,
    imageInput: model.imageInput,
    model: modelId,
    locale,
    signal,
  });
  if (!admitted.ok) {
    yield { type: 'turn-refused', items: admitted.error };
    return;
  }
  const events = runTurn(
    {
      session,
      turnId: ids.next('turn'),
      submissionId: input.submissionId ?? ids.next('sub'),
      text: input.text,
      images: admitted.value,
      target,
      signal,
    },
    {
      records: turnRecords,
      blobs,
      contentGraph,
      tools: builtInTools(),
      access,
      limits: toToolLimits(limits),
      approvals,
      fileChanges,
      commandEnvironment: {},
      secrets: [],
      clock,
      ids,
      random: Math.random,
      logger,
      maxSteps: MAX_STEPS,
    },
  );
  for await (const event of events) {
    if (event.type === 'turn-accepted') {
      const title = session.title === '' ? { title: titleFrom(input.text, input.attachments) } : {};
      await sessions.update(session.id, { ...title, model: modelId, updatedAt: isoTime(clock) });
    }
    if (event.type === 'turn-end') await sessions.update(session.id, { updatedAt: isoTime(clock) });
    yield event;
  }
}
