import Type from 'typebox';
import { type AdmittedImage, type VerifiedImage, verifySource } from '../attachments/admit-image.ts';
import { type OpenSource, openSource } from '../attachments/open-source.ts';
import { toReference } from '../attachments/to-reference.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { KIB } from '../base/units.ts';
import { findImageFormat } from '../media/formats.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { isWholePicture, type RegionRequest, resolveRegion } from '../media/region.ts';
import { verifyImage } from '../media/verify.ts';
import { argumentActivity } from './argument-activity.ts';
import { isAttachmentReference, readReference } from './attachment-reference.ts';
import { toolTexts } from './texts.ts';
import type { Tool, ToolContext, ToolLimits, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, imageOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'view_image';

/** As much as holds the size of a picture in its header. */
const START_BYTES = 256 * KIB;

const Region = Type.Object(
  { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() },
  { additionalProperties: false },
);
const Arguments = defineArguments(
  Type.Object({ path: Type.String({ minLength: 1 }), region: Type.Optional(Region) }, { additionalProperties: false }),
);

/**
 * `view_image`: one picture of the workspace or of this conversation (decision X3), or a region of
 * it at full resolution (requirement R199). Anything else, SVG too, is refused with its true kind.
 */
export function createViewImageTool(): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = toolTexts[locale].viewImage;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('READ', 'path'),
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, region } = parsed.value;
      const isReference = isAttachmentReference(path);
      const isWhole = region === undefined;
      const found = isReference ? await findStored(path, context) : await findInWorkspace(path, { isWhole }, context);
      if (!found.ok) return refusedOutcome(found.error, context.locale);
      return showPicture(found.value, { region, isStored: isReference }, context);
    },
  };
}

/** Of a whole picture from disk. Source: decision X1. */
function wholeLimits({ viewImageBytes, imagePixels, imageFrames }: ToolLimits): ImageLimits {
  return { maxBytes: viewImageBytes, maxPixels: imagePixels, maxFrames: imageFrames };
}

/** A stored picture was admitted as an attachment, and of a region only the region is sent. Source: decision X1. */
function partLimits(limits: ToolLimits): ImageLimits {
  const { viewImageBytes, imagePixels, attachmentBytes, attachmentPixels, imageFrames: maxFrames } = limits;
  return {
    maxBytes: Math.max(attachmentBytes, viewImageBytes),
    maxPixels: Math.max(attachmentPixels, imagePixels),
    maxFrames,
  };
}

async function findInWorkspace(
  path: string,
  { isWhole }: { readonly isWhole: boolean },
  { access, limits, signal }: ToolContext,
): Promise<Result<VerifiedImage, Refusal>> {
  const source = await openSource(path, access);
  if (!source.ok) return source;
  try {
    const imageLimits = isWhole ? wholeLimits(limits) : partLimits(limits);
    const verified = await verifySource(source.value, { limits: imageLimits, signal });
    if (verified.ok || !isWhole) return verified;
    return fail(await tellOfRegion(verified.error, source.value, partLimits(limits)));
  } finally {
    await source.value.close();
  }
}

/** Says that a region may be shown of what is too large as a whole, if it may: the header tells. */
async function tellOfRegion(refusal: Refusal, source: OpenSource, limits: ImageLimits): Promise<Refusal> {
  if (refusal.code !== 'TOO_MANY_BYTES' && refusal.code !== 'TOO_MANY_PIXELS') return refusal;
  // A limit of its kind binds for a region as well: all of it would be decoded.
  if (refusal.detail !== undefined) return refusal;
  const start = await source.readStart(START_BYTES);
  const size = start.ok ? findImageFormat(start.value)?.readSize(start.value) : undefined;
  if (size?.ok !== true || source.sizeBytes > limits.maxBytes) return refusal;
  const pixels = size.value.storedWidthPx * size.value.storedHeightPx;
  return pixels > limits.maxPixels ? refusal : { ...refusal, detail: 'region-allowed' };
}

async function findStored(
  path: string,
  { references, limits, signal }: ToolContext,
): Promise<Result<VerifiedImage, Refusal>> {
  const stored = await readReference(path, references);
  if (!stored.ok) return stored;
  const { bytes, name: displayPath } = stored.value;
  const facts = await verifyImage(bytes, { name: displayPath, limits: partLimits(limits), signal });
  if (!facts.ok) return facts;
  const admitted = { reference: toReference(facts.value, displayPath), frames: facts.value.frames, displayPath };
  return ok({ bytes, admitted });
}

async function showPicture(
  { bytes, admitted }: VerifiedImage,
  { region, isStored }: { readonly region: RegionRequest | undefined; readonly isStored: boolean },
  { blobs, limits, locale, signal }: ToolContext,
): Promise<ToolOutcome> {
  const { reference, displayPath } = admitted;
  const resolved = region === undefined ? undefined : resolveRegion(region, reference);
  if (resolved?.ok === false) return failedOutcome(toolTexts[locale].regionFault(displayPath, resolved.error));
  const isWhole = resolved === undefined || isWholePicture(resolved.value.region, reference);
  const refusal = isWhole && !isStored ? refuseWhole(admitted, wholeLimits(limits)) : undefined;
  if (refusal !== undefined) return refusedOutcome(refusal, locale);
  if (signal.aborted) return refusedOutcome({ code: 'CANCELED', name: displayPath }, locale);
  if (!isStored) await blobs.put(reference.digest, bytes);
  return isWhole ? imageOutcome(admitted, locale) : imageOutcome(admitted, locale, resolved.value);
}

/** A region that is the whole picture is held to what a whole picture may be. */
function refuseWhole({ reference, displayPath }: AdmittedImage, limits: ImageLimits): Refusal | undefined {
  const { sizeBytes, mediaType: trueType } = reference;
  const pixels = reference.widthPx * reference.heightPx;
  const facts = { name: displayPath, trueType, detail: 'region-allowed' };
  if (sizeBytes > limits.maxBytes) {
    return { code: 'TOO_MANY_BYTES', ...facts, actual: sizeBytes, limit: limits.maxBytes };
  }
  if (pixels <= limits.maxPixels) return undefined;
  return { code: 'TOO_MANY_PIXELS', ...facts, actual: pixels, limit: limits.maxPixels };
}
