import {
  createSecretMask,
  findNewInstructions,
  type RunTurnInput,
  runTurn,
  type TurnServices,
} from '@fovea/core/agent';
import { admitLegacyPictures, type FileAccess } from '@fovea/core/attachments';
import { isoTime } from '@fovea/core/base';
import type { FileReference, FoveaEvent, Session } from '@fovea/core/content';
import type { Store } from '@fovea/core/store';
import { builtInTools } from '@fovea/core/tools';
import { imageLimitsFor, mergeLimits, toToolLimits } from './admission-limits.ts';
import { admitAttachments } from './admit-attachments.ts';
import { claimSession, nameBusyProcess } from './claim-session.ts';
import { pickChildEnvironment } from './config/child-environment.ts';
import { titleFrom } from './create-session.ts';
import { createFileAccess } from './file-access.ts';
import type { TurnAttachment, TurnInput } from './fovea.ts';
import { readInstructions } from './read-instructions.ts';
import { resolveReferences } from './references/resolve-references.ts';
import { findModelByReference, toModelChoice, toModelTarget } from './resolve-model.ts';
import type { Services } from './services.ts';
import { requireStoredSession } from './stored-sessions.ts';

/** Model calls of one turn: far above what a task needs, and an end for a model that turns in circles. */
const MAX_STEPS = 50;

/**
 * One turn of a stored session: model, what `@path` names, admission, then the agent. A refused turn is the event
 * `turn-refused` and nothing else; nothing of it is stored but bytes that no message refers to.
 * Throws `SESSION_NOT_FOUND`, `SESSION_BUSY`, and what finding the model throws.
 */
export async function* submitTurn(input: TurnInput, services: Services): AsyncGenerator<FoveaEvent> {
  const session = await requireStoredSession(input.sessionId, services);
  const release = claimSession(session.id, services);
  try {
    yield* admitAndRun(input, session, services);
  } catch (error) {
    throw nameBusyProcess(error, services.locale);
  } finally {
    release();
  }
}

async function* admitAndRun(input: TurnInput, session: Session, services: Services): AsyncGenerator<FoveaEvent> {
  const { config, home, environment, locale, clock, ids } = services;
  const found = await findModelByReference(input.model ?? session.model, services.resolver);
  if (!found.ok) throw found.error;
  const { channel, model } = found.value;
  const modelId = toModelChoice(channel, model).id;
  const target = await toModelTarget(found.value, await services.providers.get(channel.wireApi));
  const store = await services.openStore();
  const { workspace, externalFolders } = session;
  const { permissions } = config;
  const access = createFileAccess({ workspace, externalFolders, home, permissions, environment });
  const signal = input.signal ?? new AbortController().signal;

  const named = await resolveReferences(input.referencesIn ?? input.text, {
    ...{ access, locale, signal },
    attachments: input.attachments.filter((attachment) => typeof attachment === 'string'),
  });
  const attachments = [...input.attachments, ...named.pictures];
  const admitted = await admitAttachments({
    ...{ attachments, access, locale, signal },
    limits: mergeLimits(config.limits),
    blobs: store.blobs,
    target: { ...target, model: modelId },
  });
  if (!admitted.ok) {
    yield { type: 'turn-refused', items: admitted.error };
    return;
  }
  const references = await gatherReferences(named.references, { session, access, store }, services);
  const turn: RunTurnInput = {
    session,
    turnId: ids.next('turn'),
    submissionId: input.submissionId ?? ids.next('sub'),
    text: input.text,
    images: admitted.value,
    ...(references.length > 0 && { references }),
    target,
    signal,
  };
  const { approver } = input;
  const turnServices = { ...createTurnServices(store, access, services), ...(approver && { approver }) };
  for await (const event of runTurn(turn, turnServices)) {
    if (event.type === 'turn-accepted') {
      const title = session.title === '' ? { title: titleFrom(input.text, attachments.map(nameOf)) } : {};
      await store.sessions.update(session.id, { ...title, model: modelId, updatedAt: isoTime(clock) });
    }
    if (event.type === 'turn-end') await store.sessions.update(session.id, { updatedAt: isoTime(clock) });
    yield event;
    if (event.type === 'turn-accepted') yield* named.notices;
  }
}

function nameOf(attachment: TurnAttachment): string {
  if (typeof attachment === 'string') return attachment;
  return 'url' in attachment ? attachment.url : attachment.file.id;
}

/** What the message refers to, and the workspace's instructions where they changed; without keys, as everything that is stored. */
async function gatherReferences(
  named: readonly FileReference[],
  { session, access, store }: { readonly session: Session; readonly access: FileAccess; readonly store: Store },
  { secrets }: Services,
): Promise<readonly FileReference[]> {
  const mask = createSecretMask(secrets);
  const transcript = await store.turnRecords.loadTranscript(session.id);
  const current = mask.value(await readInstructions(access));
  const instructions = findNewInstructions(current, { session, transcript });
  return [...(instructions === undefined ? [] : [instructions]), ...mask.value(named)];
}

function createTurnServices(store: Store, access: FileAccess, services: Services): TurnServices {
  const { config, environment, secrets, clock, ids, logger } = services;
  const { blobs, turnRecords, contentGraph, approvals, fileChanges } = store;
  const limits = mergeLimits(config.limits);
  return {
    records: withLegacyPictures(turnRecords, store, imageLimitsFor('attachment', limits)),
    blobs,
    contentGraph,
    tools: builtInTools(),
    access,
    limits: toToolLimits(limits),
    approvals,
    fileChanges,
    commandEnvironment: pickChildEnvironment(environment, config.commands.environment),
    secrets,
    clock,
    ids,
    random: Math.random,
    logger,
    maxSteps: MAX_STEPS,
  };
}

/** Pictures that old messages hold themselves are attachments for the turn, and stay in their rows as they are. */
function withLegacyPictures(
  records: Store['turnRecords'],
  { blobs }: Pick<Store, 'blobs'>,
  limits: ReturnType<typeof imageLimitsFor>,
): TurnServices['records'] {
  return {
    startTurn: (turn, message, place) => records.startTurn(turn, message, place),
    noteEffects: (turnId) => records.noteEffects(turnId),
    joinSteering: (turn, toMessage) => records.joinSteering(turn, toMessage),
    appendMessages: (sessionId, messages) => records.appendMessages(sessionId, messages),
    endTurn: (turnId, end) => records.endTurn(turnId, end),
    loadTranscript: async (sessionId) => {
      return admitLegacyPictures(await records.loadTranscript(sessionId), { limits, blobs });
    },
    findVariant: (originalDigest, variantKey) => records.findVariant(originalDigest, variantKey),
    saveVariant: (sessionId, record) => records.saveVariant(sessionId, record),
    holdVariant: (sessionId, record) => records.holdVariant(sessionId, record),
    takeRequestNumber: (sessionId) => records.takeRequestNumber(sessionId),
    loadPlan: (sessionId, endpointId) => records.loadPlan(sessionId, endpointId),
    savePlan: (plan) => records.savePlan(plan),
  };
}
