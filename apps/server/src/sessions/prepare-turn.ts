import {
  type Approver,
  createSecretMask,
  findNewInstructions,
  type RunTurnInput,
  type TurnServices,
} from '@fovea/core/agent';
import type { FileAccess } from '@fovea/core/attachments';
import { type AppError, ok, type Result } from '@fovea/core/base';
import { type FileReference, type ImageInput, isImageRef, type QueueItem, type Session } from '@fovea/core/content';
import type { LeasedStore, Store } from '@fovea/core/store';
import { builtInTools } from '@fovea/core/tools';
import { imageLimitsFor, mergeLimits, toToolLimits } from '../admission-limits.ts';
import { pickChildEnvironment } from '../config/child-environment.ts';
import { findWorkspace } from '../create-session.ts';
import { createFileAccess } from '../file-access.ts';
import { readInstructions } from '../read-instructions.ts';
import { findModelByReference, toModelTarget } from '../resolve-model.ts';
import type { Services } from '../services.ts';
import { createTurnRecordPort, type TurnWatch } from './turn-record-port.ts';

/** Model calls of one turn: far above what a task needs, and an end for a model that turns in circles. */
const MAX_STEPS = 50;

/** A queue item that can run, with everything that its turn needs. */
export interface PreparedTurn {
  readonly input: RunTurnInput;
  readonly services: TurnServices;
}

export interface PrepareTurnOptions {
  readonly session: Session;
  readonly store: Store;
  readonly leased: LeasedStore;
  readonly approver: Approver | undefined;
  readonly watch: TurnWatch;
  readonly signal: AbortSignal;
}

/** Fails with what blocks the item: its model or workspace is gone. Throws `STORE_UNAVAILABLE`. */
export async function prepareTurn(
  item: QueueItem,
  options: PrepareTurnOptions,
  services: Services,
): Promise<Result<PreparedTurn, AppError>> {
  const { session, store, leased, signal } = options;
  const { config, home, environment } = services;
  const found = await findModelByReference(item.model, services.resolver);
  if (!found.ok) return found;
  const workspace = await findWorkspace(session.workspace, services.locale);
  if (!workspace.ok) return workspace;
  const target = await toModelTarget(found.value, await services.providers.get(found.value.channel.wireApi));
  const { externalFolders } = session;
  const { permissions } = config;
  const access = createFileAccess({
    ...{ externalFolders, home, permissions, environment },
    workspace: session.workspace,
  });
  const references = [...(await gatherInstructions(item, { session, access, store }, services)), ...item.references];
  return ok({
    input: {
      ...{ session, target, signal },
      turnId: item.turnId,
      submissionId: item.submissionId,
      text: item.text,
      images: item.imageInputs.flatMap(toPicture),
      ...(references.length > 0 && { references }),
      ...(item.edits !== undefined && { edits: item.edits }),
    },
    services: createTurnServices({ ...options, access, leased }, services),
  });
}

function toPicture(input: ImageInput): RunTurnInput['images'] {
  if (!('attachment' in input)) return [input];
  return isImageRef(input.attachment) ? [input.attachment] : [];
}

/** The workspace's instructions where they changed; without keys, as everything that is stored. */
async function gatherInstructions(
  { edits }: QueueItem,
  { session, access, store }: { readonly session: Session; readonly access: FileAccess; readonly store: Store },
  { secrets }: Services,
): Promise<readonly FileReference[]> {
  const current = createSecretMask(secrets).value(await readInstructions(access));
  const messages = await store.turnRecords.loadTranscript(session.id);
  const end = messages.findIndex(({ id }) => id === edits);
  const transcript = end === -1 ? messages : messages.slice(0, end);
  const instructions = findNewInstructions(current, { session, transcript });
  return instructions === undefined ? [] : [instructions];
}

function createTurnServices(
  { store, leased, approver, watch, access }: PrepareTurnOptions & { readonly access: FileAccess },
  services: Services,
): TurnServices {
  const { config, environment, secrets, clock, ids, logger } = services;
  const { blobs, contentGraph } = store;
  const limits = mergeLimits(config.limits);
  return {
    ...{ blobs, contentGraph, access, secrets, clock, ids, logger },
    records: createTurnRecordPort(leased.turnRecords, { blobs, limits: imageLimitsFor('attachment', limits), watch }),
    tools: builtInTools(),
    limits: toToolLimits(limits),
    approvals: leased.approvals,
    fileChanges: leased.fileChanges,
    commandEnvironment: pickChildEnvironment(environment, config.commands.environment),
    random: Math.random,
    maxSteps: MAX_STEPS,
    ...(approver === undefined ? {} : { approver }),
  };
}
