import type { AdmittedImage } from '../attachments/admit-image.ts';
import { attachmentReference } from '../base/ids.ts';
import type { Locale } from '../base/locale.ts';
import type { Refusal } from '../base/refusal.ts';
import { refusalText } from '../content/refusal-texts.ts';
import type { ResolvedRegion } from '../media/region.ts';
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
 * bytes are in the store, never in the result. Sizes are those of the original, also where only a
 * `region` of it is shown.
 *
 * Source: first origin document, section 5.1; requirements R011, R012 and R199.
 */
export function imageOutcome(admitted: AdmittedImage, locale: Locale, shown?: ResolvedRegion): ToolOutcome {
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
  const region = shown?.region;
  const notes = [
    ...(frames > 1 ? [texts.firstFrame(frames)] : []),
    ...(shown?.isClipped === true ? [texts.regionClipped] : []),
  ];
  const content = {
    content: region === undefined ? line : texts.regionRead(line, region),
    total_lines: 0,
    media_type: 'image',
    ...picture,
    reference: attachmentReference(reference.digest),
    ...(region && { region }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
  return {
    isError: false,
    content: JSON.stringify(content),
    attachments: [{ ...picture, digest: reference.digest, ...(region && { region }) }],
  };
}
