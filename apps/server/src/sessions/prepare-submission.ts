import { createSecretMask } from '@fovea/core/agent';
import { ok, type Result } from '@fovea/core/base';
import type {
  ImageInput,
  ImageLink,
  ImageRef,
  ReferenceNoticeEvent,
  RefusedItem,
  Session,
  Submission,
} from '@fovea/core/content';
import type { Store } from '@fovea/core/store';
import { mergeLimits } from '../admission-limits.ts';
import { admitAttachments } from '../admit-attachments.ts';
import { createFileAccess } from '../file-access.ts';
import type { TurnInput } from '../fovea.ts';
import { resolveReferences } from '../references/resolve-references.ts';
import { findModelByReference, toModelChoice, toModelTarget } from '../resolve-model.ts';
import type { Services } from '../services.ts';

/** A submission that can be stored, and what its sender is told beside the receipt. */
export interface PreparedSubmission {
  readonly submission: Submission;
  /** What `@path` named and may not be read. */
  readonly notices: readonly ReferenceNoticeEvent[];
}

/**
 * Freezes what was submitted: the model is found, what `@path` names is read, and every picture is
 * admitted and stored, all or nothing. Fails with every item that was refused; then nothing is
 * stored but bytes that nothing refers to. Throws what finding the model throws.
 */
export async function prepareSubmission(
  input: TurnInput & { readonly submissionId: string },
  { session, store }: { readonly session: Session; readonly store: Pick<Store, 'blobs'> },
  services: Services,
): Promise<Result<PreparedSubmission, readonly RefusedItem[]>> {
  const { config, home, environment, locale, secrets } = services;
  const found = await findModelByReference(input.model ?? session.model, services.resolver);
  if (!found.ok) throw found.error;
  const { channel, model } = found.value;
  const modelId = toModelChoice(channel, model).id;
  const target = await toModelTarget(found.value, await services.providers.get(channel.wireApi));
  const { workspace, externalFolders } = session;
  const access = createFileAccess({ workspace, externalFolders, home, permissions: config.permissions, environment });
  const signal = input.signal ?? new AbortController().signal;
  const named = await resolveReferences(input.referencesIn ?? input.text, {
    ...{ access, locale, signal },
    attachments: input.attachments.filter((attachment) => typeof attachment === 'string'),
  });
  const admitted = await admitAttachments({
    ...{ access, locale, signal },
    attachments: [...input.attachments, ...named.pictures],
    limits: mergeLimits(config.limits),
    blobs: store.blobs,
    target: { ...target, model: modelId },
  });
  if (!admitted.ok) return admitted;
  const submission: Submission = {
    submissionId: input.submissionId,
    intent: input.intent ?? 'follow-up',
    text: input.text,
    imageInputs: admitted.value.map(toImageInput),
    references: createSecretMask(secrets).value(named.references),
    model: modelId,
    consent: input.consent ?? 'none',
    ...(input.edits === undefined ? {} : { edits: input.edits }),
  };
  return ok({ submission, notices: named.notices });
}

function toImageInput(image: ImageRef | ImageLink): ImageInput {
  return 'digest' in image ? { attachment: image } : image;
}
