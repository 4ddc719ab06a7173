import { type AdmittedImage, admitImage, type BlobSink, type FileAccess } from '@fovea/core/attachments';
import { AppError, type Digest, fail, ok, type Refusal, type Result } from '@fovea/core/base';
import { findLimitRow, limitRows } from '@fovea/core/catalog';
import { readFileContent, type ToolLimits } from '@fovea/core/tools';
import { imageLimitsFor, mergeLimits, toToolLimits } from './admission-limits.ts';
import { findWorkspace } from './create-session.ts';
import { createFileAccess, listExternalFolders } from './file-access.ts';
import type { Inspection, InspectOptions, WireVariant } from './fovea.ts';
import { localizedError } from './localized-error.ts';
import type { Services } from './services.ts';
import { serverTexts } from './texts.ts';

interface Inspector {
  readonly access: FileAccess;
  readonly as: InspectOptions['as'];
  readonly imageLimits: { readonly maxBytes: number; readonly maxPixels: number; readonly maxFrames: number };
  readonly toolLimits: ToolLimits;
  readonly signal: AbortSignal;
}

/** What admission says of files, one after the other: a decoded picture may take hundreds of megabytes. */
export async function inspectFiles(
  paths: readonly string[],
  options: InspectOptions,
  services: Services,
): Promise<readonly Inspection[]> {
  const inspector = await createInspector(options, services);
  const inspections: Inspection[] = [];
  for (const path of paths) inspections.push(await inspectFile(path, inspector));
  return inspections;
}

async function createInspector(options: InspectOptions, services: Services): Promise<Inspector> {
  const { config, home, environment, locale } = services;
  const workspace = await findWorkspace(options.workspace, locale);
  if (!workspace.ok) throw workspace.error;
  const limits = mergeLimits(config.limits);
  return {
    access: createFileAccess({
      workspace: workspace.value,
      externalFolders: listExternalFolders(config.permissions, environment),
      home,
      permissions: config.permissions,
      environment,
    }),
    as: options.as,
    imageLimits: imageLimitsFor(options.as, limits),
    toolLimits: toToolLimits(limits),
    signal: options.signal ?? new AbortController().signal,
  };
}

/** What admission says of one file, by the very functions that tools and attachments go through. Stores nothing. */
async function inspectFile(path: string, inspector: Inspector): Promise<Inspection> {
  const { access, as, imageLimits, toolLimits, signal } = inspector;
  if (as !== 'read-file') {
    const admitted = await admitImage({ path, access, limits: imageLimits, blobs: forgetfulSink, signal });
    return admitted.ok ? acceptedPicture(path, admitted.value) : { verdict: 'refused', path, refusal: admitted.error };
  }
  const read = await readFileContent(path, { access, blobs: forgetfulSink, limits: toolLimits, signal });
  if (!read.ok) return { verdict: 'refused', path, refusal: read.error };
  if (read.value.kind === 'text') return { verdict: 'text', path, sizeBytes: read.value.sizeBytes };
  return acceptedPicture(path, read.value.admitted);
}

function acceptedPicture(path: string, { reference, frames }: AdmittedImage): Inspection {
  const { mediaType, widthPx, heightPx, sizeBytes, digest } = reference;
  return { verdict: 'accepted', path, mediaType, widthPx, heightPx, sizeBytes, frames, digest };
}

/** What would go to the endpoint `options.endpoint` instead of the picture. Throws `USAGE` for an unknown row. */
export async function makeWireVariant(
  path: string,
  options: InspectOptions,
  services: Services,
): Promise<Result<WireVariant, Refusal>> {
  const { endpoint = 'unknown' } = options;
  const row = findLimitRow(endpoint);
  if (row === undefined) {
    const known = limitRows.map((one) => one.id);
    throw localizedError('USAGE', serverTexts(services.locale).unknownLimitRow(endpoint, known), {
      data: { endpoint, known },
    });
  }
  const { access, imageLimits, signal } = await createInspector(options, services);
  const kept = keepingSink();
  const admitted = await admitImage({ path, access, limits: imageLimits, blobs: kept, signal });
  if (!admitted.ok) return fail(admitted.error);
  const { reference } = admitted.value;
  const original = kept.take(reference.digest);
  const { makeVariant } = await import('@fovea/core/media');
  const variant = await makeVariant(original, row, { signal });
  const { bytes, digest, mediaType, sizeBytes, widthPx, heightPx, changes } = variant;
  return ok({ bytes, reference: { digest, mediaType, sizeBytes, widthPx, heightPx, name: reference.name }, changes });
}

/** Inspecting must leave no trace. */
const forgetfulSink: BlobSink = { put: () => Promise.resolve() };

/** Keeps bytes in memory for as long as one call needs them. */
function keepingSink(): BlobSink & { take(digest: Digest): Uint8Array } {
  const kept = new Map<Digest, Uint8Array>();
  return {
    put: (digest, bytes) => {
      kept.set(digest, bytes);
      return Promise.resolve();
    },
    take: (digest) => {
      const bytes = kept.get(digest);
      if (bytes === undefined) throw new AppError('INTERNAL', 'admission kept no bytes');
      return bytes;
    },
  };
}
