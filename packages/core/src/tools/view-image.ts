import Type from 'typebox';
import { type VerifiedImage, verifySource } from '../attachments/admit-image.ts';
import { openSource } from '../attachments/open-source.ts';
import { toReference } from '../attachments/to-reference.ts';
import type { Refusal } from '../base/refusal.ts';
import { ok, type Result } from '../base/result.ts';
import type { ImageLimits } from '../media/image-limits.ts';
import { isWholePicture, type RegionRequest, resolveRegion } from '../media/region.ts';
import { verifyImage } from '../media/verify.ts';
import { isAttachmentReference, readReference } from './attachment-reference.ts';
import { readActivity } from './read-activity.ts';
import { toolTexts } from './texts.ts';
import type { Tool, ToolContext, ToolLimits, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, imageOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'view_image';

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
    activity: readActivity,
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, region } = parsed.value;
      const isReference = isAttachmentReference(path);
      const limits = imageLimits(context.limits, isReference || region !== undefined);
      const found = isReference
        ? await findStored(path, limits, context)
        : await findInWorkspace(path, limits, context);
      if (!found.ok) return refusedOutcome(found.error, context.locale);
      return showPicture(found.value, { region, isStored: isReference }, context);
    },
  };
}

/** A stored picture was admitted as an attachment, and of a region only the region is sent. Source: decision X1. */
function imageLimits(limits: ToolLimits, isLarge: boolean): ImageLimits {
  const { viewImageBytes, imagePixels, attachmentBytes, attachmentPixels, imageFrames: maxFrames } = limits;
  if (!isLarge) return { maxBytes: viewImageBytes, maxPixels: imagePixels, maxFrames };
  return {
    maxBytes: Math.max(attachmentBytes, viewImageBytes),
    maxPixels: Math.max(attachmentPixels, imagePixels),
    maxFrames,
  };
}

async function findInWorkspace(
  path: string,
  limits: ImageLimits,
  { access, signal }: ToolContext,
): Promise<Result<VerifiedImage, Refusal>> {
  const source = await openSource(path, access);
  if (!source.ok) return source;
  try {
    return await verifySource(source.value, { limits, signal });
  } finally {
    await source.value.close();
  }
}

async function findStored(
  path: string,
  limits: ImageLimits,
  { references, signal }: ToolContext,
): Promise<Result<VerifiedImage, Refusal>> {
  const stored = await readReference(path, references);
  if (!stored.ok) return stored;
  const { bytes, name: displayPath } = stored.value;
  const facts = await verifyImage(bytes, { name: displayPath, limits, signal });
  if (!facts.ok) return facts;
  const admitted = { reference: toReference(facts.value, displayPath), frames: facts.value.frames, displayPath };
  return ok({ bytes, admitted });
}

async function showPicture(
  { bytes, admitted }: VerifiedImage,
  { region, isStored }: { readonly region: RegionRequest | undefined; readonly isStored: boolean },
  { blobs, locale, signal }: ToolContext,
): Promise<ToolOutcome> {
  const { reference, displayPath } = admitted;
  const resolved = region === undefined ? undefined : resolveRegion(region, reference);
  if (resolved?.ok === false) return failedOutcome(toolTexts[locale].regionFault(displayPath, resolved.error));
  if (signal.aborted) return refusedOutcome({ code: 'CANCELED', name: displayPath }, locale);
  if (!isStored) await blobs.put(reference.digest, bytes);
  if (resolved === undefined || isWholePicture(resolved.value.region, reference)) return imageOutcome(admitted, locale);
  return imageOutcome(admitted, locale, resolved.value);
}
