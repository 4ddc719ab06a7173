import { type Digest, formatBytes, type Locale, type Refusal } from '@fovea/core/base';
import { type AttachmentRef, kindName, refusalText } from '@fovea/core/content';
import type { Inspection } from '@fovea/server';
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
  variant: AttachmentRef,
  locale: Locale,
): string {
  const texts = cliTexts(locale);
  const facts = [
    variant.mediaType,
    `${variant.widthPx ?? '?'}×${variant.heightPx ?? '?'}`,
    formatBytes(variant.sizeBytes),
    shortDigest(variant.digest),
  ];
  return [...facts, ...describeChanges(original, variant, locale)].join(texts.comma);
}

/** Told from the facts of both pictures. */
function describeChanges(
  original: Extract<Inspection, { verdict: 'accepted' }>,
  variant: AttachmentRef,
  locale: Locale,
): readonly string[] {
  const { changes } = cliTexts(locale);
  const { widthPx = original.widthPx, heightPx = original.heightPx } = variant;
  if (original.digest === variant.digest) return [changes.none];
  const told: string[] = [];
  const isSameSize = original.widthPx === widthPx && original.heightPx === heightPx;
  const isPadded = !isSameSize && widthPx >= original.widthPx && heightPx >= original.heightPx;
  const sizes = [`${original.widthPx}×${original.heightPx}`, `${widthPx}×${heightPx}`] as const;
  if (isPadded) told.push(changes.padded(...sizes));
  else if (!isSameSize) told.push(changes.scaled(...sizes));
  if (original.mediaType !== variant.mediaType) told.push(changes.saved(kindName(variant.mediaType, locale)));
  if (original.frames > 1) told.push(changes.firstFrame);
  return told.length === 0 ? [changes.rewritten] : told;
}

/** Enough to compare by eye; the whole digest is in the JSON. */
function shortDigest(digest: Digest): string {
  const start = digest.indexOf(':') + 1;
  return `${digest.slice(0, start + SHOWN_DIGITS)}…`;
}
