import { type Digest, formatBytes, type Locale, type Refusal, type VariantChange } from '@fovea/core/base';
import { kindName, refusalText } from '@fovea/core/content';
import type { Inspection, WireVariant } from '@fovea/server';
import { sanitizeForTerminal, sanitizeLine } from './render/sanitize.ts';
import { cliTexts } from './texts.ts';

const SHOWN_DIGITS = 12;

/** One line for people about what admission says of one file. */
export function describeInspection(inspection: Inspection, locale: Locale): string {
  const texts = cliTexts(locale);
  const start = `${sanitizeLine(inspection.path)}${texts.colon}`;
  switch (inspection.verdict) {
    case 'accepted':
      return `${start}${texts.accepted}${texts.comma}${describePicture(inspection, locale)}`;
    case 'text':
      return `${start}${texts.textFile}${texts.comma}${formatBytes(inspection.sizeBytes)}`;
    case 'refused':
      return `${start}${texts.refused}${texts.colon}${describeRefusal(inspection.refusal, locale)}`;
  }
}

/** Why, without the name that stands before it; the code stands where the name stood. */
function describeRefusal(refusal: Refusal, locale: Locale): string {
  const { errorPrefix, colon } = cliTexts(locale);
  const text = refusalText(refusal, locale).slice(`${errorPrefix}${colon}`.length);
  const code = locale === 'en' ? ` (${refusal.code})` : `(${refusal.code})`;
  const name = `${colon}${sanitizeLine(refusal.name)}`;
  const at = text.indexOf(name);
  const told = at === -1 ? `${text}${code}` : `${text.slice(0, at)}${code}${text.slice(at + name.length)}`;
  return sanitizeForTerminal(told);
}

function describePicture(picture: Extract<Inspection, { verdict: 'accepted' }>, locale: Locale): string {
  const texts = cliTexts(locale);
  return [
    picture.mediaType,
    `${picture.widthPx}×${picture.heightPx}`,
    formatBytes(picture.sizeBytes),
    texts.frames(picture.frames),
    shortDigest(picture.digest),
  ].join(texts.comma);
}

/** What the endpoint would be sent instead of `original`, and what was done to it for that. */
export function describeVariant(
  original: Extract<Inspection, { verdict: 'accepted' }>,
  { reference, changes }: WireVariant,
  locale: Locale,
): string {
  const texts = cliTexts(locale);
  const size = `${reference.widthPx ?? '?'}×${reference.heightPx ?? '?'}`;
  const isSaved = reference.mediaType !== original.mediaType;
  const words = describeChanges(changes, locale, {
    sizes: [`${original.widthPx}×${original.heightPx}`, size],
    ...(isSaved && { newKind: kindName(reference.mediaType, locale) }),
  });
  const facts = [reference.mediaType, size, formatBytes(reference.sizeBytes), shortDigest(reference.digest)];
  return [...facts, ...words].join(texts.comma);
}

/** In the order in which they were made. A region or a file at the supplier is no change that can come here. */
function describeChanges(
  changes: readonly VariantChange[],
  locale: Locale,
  { sizes, newKind }: { readonly sizes: readonly [from: string, to: string]; readonly newKind?: string },
): readonly string[] {
  const words = cliTexts(locale).changes;
  const has = (change: VariantChange): boolean => changes.includes(change);
  const told: string[] = [];
  if (has('none')) told.push(words.none);
  if (has('first-frame')) told.push(words.firstFrame);
  if (has('resized') && has('padded')) told.push(words.scaledAndPadded(...sizes));
  else if (has('resized')) told.push(words.scaled(...sizes));
  else if (has('padded')) told.push(words.padded(...sizes));
  if (has('reencoded')) told.push(newKind === undefined ? words.encodedAnew : words.saved(newKind));
  if (has('metadata')) told.push(words.withoutMetadata);
  return told;
}

/** Enough to compare by eye; the whole digest is in the JSON. */
function shortDigest(digest: Digest): string {
  const start = digest.indexOf(':') + 1;
  return `${digest.slice(0, start + SHOWN_DIGITS)}…`;
}
