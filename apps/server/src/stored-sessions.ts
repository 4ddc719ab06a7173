import { type SessionUsage, sumSessionUsage } from '@fovea/core/agent';
import { type AppError, fail, ok, type Result } from '@fovea/core/base';
import type { ModelPrice } from '@fovea/core/catalog';
import type { Message, Session, Transcript, TurnRecord } from '@fovea/core/content';
import { builtInTools } from '@fovea/core/tools';
import { createSession, findWorkspace } from './create-session.ts';
import { createFileAccess, listExternalFolders } from './file-access.ts';
import { findPrice } from './find-price.ts';
import { localizedError } from './localized-error.ts';
import { findModelByReference } from './resolve-model.ts';
import type { Services } from './services.ts';
import { serverTexts } from './texts.ts';

/** Makes a session and stores it. Nothing is stored when the workspace or the model is wrong. */
export async function createStoredSession(
  input: { readonly workspace: string; readonly model: string },
  services: Services,
): Promise<Result<Session, AppError>> {
  const { config, home, environment, clock, ids, locale } = services;
  const workspace = await findWorkspace(input.workspace, locale);
  if (!workspace.ok) return workspace;
  const model = await findModelByReference(input.model, services.resolver);
  if (!model.ok) return fail(model.error);
  const externalFolders = listExternalFolders(config.permissions, environment);
  const access = createFileAccess({
    workspace: workspace.value,
    externalFolders,
    home,
    permissions: config.permissions,
    environment,
  });
  const session = await createSession({
    workspace: workspace.value,
    externalFolders,
    access,
    model: { id: input.model, imageInput: model.value.model.imageInput },
    config,
    tools: builtInTools(),
    secrets: services.secrets,
    clock,
    ids,
  });
  await (await services.openStore('write')).sessions.create(session);
  return ok(session);
}

/** By id or a beginning of it. Throws `AMBIGUOUS_NAME` (`data.candidates`). */
export async function findStoredSession(idOrPrefix: string, services: Services): Promise<Session | undefined> {
  const found = await (await services.openStore('read')).sessions.findByPrefix(idOrPrefix);
  if (found.ok) return found.value;
  const message = serverTexts(services.locale).sessionAmbiguous(idOrPrefix, found.error);
  throw localizedError('AMBIGUOUS_NAME', message, { data: { name: idOrPrefix, candidates: found.error } });
}

/** The session to go on with; in a workspace by whatever path it is named. */
export async function findLatestSession(
  workspace: string | undefined,
  services: Services,
): Promise<Session | undefined> {
  const { sessions } = await services.openStore('read');
  if (workspace === undefined) return sessions.latest();
  const found = await findWorkspace(workspace, services.locale);
  return found.ok ? sessions.latest(found.value) : undefined;
}

/** Throws `SESSION_NOT_FOUND`. */
export async function loadStoredTranscript(sessionId: string, services: Services): Promise<Transcript> {
  const { turnRecords } = await services.openStore('read');
  await requireStoredSession(sessionId, services);
  return (await turnRecords.loadTranscript(sessionId)).map(hidePayload);
}

/** The newest page of the messages, or the one before a message. Throws `SESSION_NOT_FOUND`, `NOT_FOUND` for `before`. */
export async function loadStoredMessages(
  sessionId: string,
  page: { readonly before?: string; readonly limit: number },
  services: Services,
): Promise<readonly Message[]> {
  const { turnRecords } = await services.openStore('read');
  await requireStoredSession(sessionId, services);
  return (await turnRecords.loadPage(sessionId, page)).map(hidePayload);
}

/** Pictures that old messages hold themselves are shown by their size: nobody wants to see base64. */
function hidePayload(message: Message): Message {
  if (message.role !== 'user') return message;
  const imageInputs = message.imageInputs.map((input) => {
    if (!('dataUri' in input)) return input;
    const { dataUri } = input;
    return {
      dataUri: `${dataUri.slice(0, dataUri.indexOf(',') + 1).slice(0, LONGEST_HEADER)}[${dataUri.length} characters]`,
    };
  });
  return { ...message, imageInputs };
}

const LONGEST_HEADER = 64;

/** Throws `SESSION_NOT_FOUND`. */
export async function listInterruptedTurns(sessionId: string, services: Services): Promise<readonly TurnRecord[]> {
  const { turnRecords } = await services.openStore('read');
  await requireStoredSession(sessionId, services);
  return turnRecords.interruptedTurns(sessionId);
}

/** Throws `SESSION_NOT_FOUND`. */
export async function requireStoredSession(id: string, services: Services): Promise<Session> {
  const session = await (await services.openStore('read')).sessions.get(id);
  if (session !== undefined) return session;
  throw localizedError('SESSION_NOT_FOUND', serverTexts(services.locale).sessionMissing(id), {
    data: { sessionId: id },
  });
}

/** Throws `SESSION_NOT_FOUND`. */
export async function sumStoredUsage(sessionId: string, services: Services): Promise<SessionUsage> {
  const transcript = await loadStoredTranscript(sessionId, services);
  const models = transcript.flatMap((message) => (message.role === 'assistant' ? [message.model] : []));
  const prices = new Map<string, ModelPrice>();
  for (const id of new Set(models)) {
    const price = await findPrice(id, services.resolver);
    if (price !== undefined) prices.set(id, price);
  }
  return sumSessionUsage(transcript, (model) => prices.get(model));
}

/** Throws `SESSION_NOT_FOUND`. */
export async function renameStoredSession(sessionId: string, title: string, services: Services): Promise<void> {
  await requireStoredSession(sessionId, services);
  await (await services.openStore('write')).sessions.update(sessionId, { title });
}
