import { assertNever } from '../base/assert-never.ts';
import type { Locale } from '../base/locale.ts';
import type { ImageInputCapability, ToolImagePlacement } from '../catalog/wire-api.ts';
import type { Transcript } from '../content/messages.ts';
import { pictureKey } from '../content/picture-region.ts';
import type { RequestImage, RequestMessage } from '../content/request.ts';
import type { PromptHead } from '../content/session.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { adaptForeignCallIds } from './adapt-foreign-call-ids.ts';
import { closeOpenToolCalls } from './close-open-tool-calls.ts';
import { dropForeignThinking } from './drop-foreign-thinking.ts';
import { type AnsweringModel, findChanges } from './find-changes.ts';
import { findImageLink, type LinkAllowance } from './find-image-link.ts';
import type { ContextNotice } from './notices.ts';
import { relocateToolImages } from './relocate-tool-images.ts';
import { replaceImagesWithText } from './replace-images-with-text.ts';
import { type OriginalPicture, type RequestMessages, toRequestMessages } from './to-request-messages.ts';

export interface BuildContextInput {
  readonly transcript: Transcript;
  readonly promptHead: PromptHead;
  /** What is sent for each picture, by its `pictureKey`. Not read when `imageInput` is `no`. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  /** `unknown` is sent and learned from (decision X5). */
  readonly imageInput: ImageInputCapability;
  readonly toolImages: ToolImagePlacement;
  /** Who answers. */
  readonly answering: AnsweringModel;
  /** `endpointIdentity` of who gets the request: thinking of anybody else stays out of it. */
  readonly endpointId: string;
  /** Ids of answers whose thoughts it has refused. */
  readonly refusedThoughtIds?: ReadonlySet<string>;
  /** What it fetches itself. Absent: nothing; words stand for URLs and files. */
  readonly links?: LinkAllowance;
  /** The session's `modelLocale`. */
  readonly locale: Locale;
}

/** What one request shows the model. */
export interface BuiltContext {
  readonly messages: readonly RequestMessage[];
  /** Every picture of `messages`, in the order in which the request holds them. */
  readonly images: readonly RequestImage[];
  readonly notices: readonly ContextNotice[];
}

/**
 * The context of one step: a pure function of the transcript and of facts that were gathered
 * before. The same input gives an equal result, and a longer transcript leaves the messages of a
 * shorter one as they were, so that a prompt prefix stays the same (wire-facts rule 44).
 *
 * The order of the rules is this function; each rule has its own file.
 */
export function buildContext(input: BuildContextInput): BuiltContext {
  const { transcript, promptHead, imageInput, toolImages, locale } = input;
  const closed = closeOpenToolCalls(transcript, locale);
  const own = dropForeignThinking(closed.messages, input.endpointId, input.refusedThoughtIds);
  const messages = adaptForeignCallIds(own, input.endpointId);
  const plain = toRequestMessages({
    messages,
    promptHead,
    // A blind model gets the same words for every picture: there is nothing to look up.
    findImage: imageInput === 'no' ? standIn : (original) => variantImage(original, input.variants),
    findLink: (link) => findImageLink(link, imageInput === 'no' ? 'any' : input.links),
    changes: findChanges(messages, input.answering),
    locale,
  });
  const sighted: RequestMessages =
    imageInput === 'no' ? replaceImagesWithText(plain.messages, locale) : { messages: plain.messages, notices: [] };
  const placed = relocateToolImages(sighted.messages, { toolImages, locale });
  return {
    messages: placed,
    images: placed.flatMap(imagesOf),
    notices: [...closed.notices, ...plain.notices, ...sighted.notices],
  };
}

function variantImage(
  original: OriginalPicture,
  variants: ReadonlyMap<string, VariantRecord>,
): RequestImage | undefined {
  const variant = variants.get(pictureKey(original));
  if (variant === undefined) return undefined;
  return {
    type: 'image',
    digest: variant.digest,
    originalDigest: original.digest,
    name: original.name,
    mediaType: variant.mediaType,
    sizeBytes: variant.sizeBytes,
    widthPx: variant.widthPx,
    heightPx: variant.heightPx,
    originalWidthPx: original.widthPx,
    originalHeightPx: original.heightPx,
    ...(original.region && { region: original.region }),
    changes: variant.changes,
  };
}

/** The original itself: a blind model's request needs no variant, only the facts that its words name. */
function standIn(original: OriginalPicture): RequestImage {
  return { type: 'image', originalDigest: original.digest, ...original };
}

function imagesOf(message: RequestMessage): readonly RequestImage[] {
  switch (message.role) {
    case 'user':
      return message.parts.filter((part) => part.type === 'image');
    case 'tool':
      return message.images;
    case 'system':
    case 'assistant':
      return [];
    default:
      return assertNever(message);
  }
}
