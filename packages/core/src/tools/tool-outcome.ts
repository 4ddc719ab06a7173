import type { AdmittedImage } from '../attachments/admit-image.ts';
import { attachmentReference } from '../base/ids.ts';
import type { Locale } from '../base/locale.ts';
import type { Refusal } from '../base/refusal.ts';
import { refusalText } from '../content/refusal-texts.ts';
import { toolTexts } from './texts.ts';
import type { ToolOutcome } from './tool.ts';

/** A failure in the shape that every tool shares. Source: first origin document, section 5.1. */
export function failedOutcome(content: string): ToolOutcome {
  return { isError: true, content: JSON.stringify({ content, total_lines: 0 }), attachments: [] };
}

/** A refusal in the words that a model reads: what it may not read was not found. */
export function refusedOutcome(refusal: Refusal, locale: Locale): ToolOutcome {
  return failedOutcome(refusalText(refusal, locale, 'model'));
}

/**
 * The structured result of one picture. Its `content` stays one line; the reference with which the
 * picture can be viewed again, and what is shown of an animation, have fields of their own. The
 * bytes are in the store, never in the result.
 *
 * Source: first origin document, section 5.1; requirements R011 and R012.
 */
export function imageOutcome(admitted: AdmittedImage, locale: Locale): ToolOutcome {
  const { reference, frames, displayPath } = admitted;
  const texts = toolTexts[locale];
  const picture = {
    mime: reference.mediaType,
    path: displayPath,
    width: reference.widthPx,
    height: reference.heightPx,
    size_bytes: reference.sizeBytes,
  };
  const line = texts.imageRead({
    path: displayPath,
    mime: reference.mediaType,
    sizeBytes: reference.sizeBytes,
    widthPx: reference.widthPx,
    heightPx: reference.heightPx,
  });
  const content = {
    content: line,
    total_lines: 0,
    media_type: 'image',
    ...picture,
    reference: attachmentReference(reference.digest),
    ...(frames > 1 && { note: texts.firstFrame(frames) }),
  };
  return {
    isError: false,
    content: JSON.stringify(content),
    attachments: [{ ...picture, digest: reference.digest }],
  };
}
