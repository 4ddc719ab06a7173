import { isAppError } from '../base/app-error.ts';
import type { Locale } from '../base/locale.ts';
import { limitRowFor } from '../catalog/limits.ts';
import type { PictureRegion } from '../content/picture-region.ts';
import { refusalText } from '../content/refusal-texts.ts';
import type { RequestImage } from '../content/request.ts';
import { dominantColors } from '../media/colors.ts';
import { makeVariant } from '../media/variant.ts';
import { verifyImage } from '../media/verify.ts';
import type { ProviderContext } from '../providers/provider.ts';
import type { FoundCode, PictureReading, TextReader } from './text-reader.ts';
import { offlineTexts } from './texts.ts';

/** How long one picture may be read. */
export const READING_LIMIT_MS = 10_000;

/** Admission has judged these pictures; here nothing is refused for its size again. */
const noLimits = {
  maxBytes: Number.MAX_SAFE_INTEGER,
  // The decoder's own bound.
  maxPixels: 0x3fff * 0x3fff,
  maxFrames: Number.MAX_SAFE_INTEGER,
};
const SHOWN_COLORS = 4;
/** A colour that covers less is an edge or a letter. */
const LEAST_SHARE = 0.01;

export interface DescribeOptions {
  readonly reader: TextReader;
  readonly context: ProviderContext;
  readonly locale: Locale;
}

/**
 * One picture in words, piece by piece as soon as each is known: name, kind and size, colours,
 * codes, and text. The original is read, not the variant for the wire: small text is lost there.
 *
 * Rejects only when the turn is cancelled.
 */
export async function* describePicture(image: RequestImage, options: DescribeOptions): AsyncGenerator<string> {
  const texts = offlineTexts[options.locale];
  const { context } = options;
  const bytes = await readOriginal(image, context);
  if (bytes === undefined) {
    yield texts.missing(image.name);
    return;
  }
  const verified = await verifyImage(bytes, { name: image.name, limits: noLimits, signal: context.signal });
  context.signal.throwIfAborted();
  if (!verified.ok) {
    yield refusalText(verified.error, options.locale);
    return;
  }
  const { region, name } = image;
  yield texts.picture({ ...verified.value, name, ...(region && { region }) });
  const shown = region === undefined ? bytes : await cutRegion(bytes, region, context.signal);
  const colors = (await dominantColors(shown, SHOWN_COLORS)).filter(({ share }) => share >= LEAST_SHARE);
  if (colors.length > 0) yield texts.colors(colors);
  yield* describeReading(shown, options);
}

/** At full resolution, as far as the reader's own limit row goes. */
async function cutRegion(bytes: Uint8Array, region: PictureRegion, signal: AbortSignal): Promise<Uint8Array> {
  const variant = await makeVariant(bytes, limitRowFor('offline', 'offline'), { region, signal });
  return variant.bytes;
}

async function* describeReading(bytes: Uint8Array, options: DescribeOptions): AsyncGenerator<string> {
  const { reader, context, locale } = options;
  let tellCodes: (codes: readonly FoundCode[]) => void = () => undefined;
  const early = new Promise<readonly FoundCode[]>((resolve) => {
    tellCodes = resolve;
  });
  const { clock, signal } = context;
  const reading = reader.read({ bytes, limitMs: READING_LIMIT_MS, clock, signal, onCodes: tellCodes });
  const codes = await Promise.race([early, reading.then((done) => done.codes)]);
  for (const code of codes) yield `${offlineTexts[locale].code(code.kind)}\n\n${fence(code.text)}`;
  yield describeText(await reading, locale);
}

async function readOriginal(image: RequestImage, context: ProviderContext): Promise<Uint8Array | undefined> {
  try {
    return await context.readBlob(image.originalDigest);
  } catch (error) {
    if (isAppError(error) && (error.code === 'BLOB_MISSING' || error.code === 'BLOB_DAMAGED')) return undefined;
    throw error;
  }
}

function describeText(reading: PictureReading, locale: Locale): string {
  const texts = offlineTexts[locale];
  switch (reading.status) {
    case 'timed-out':
      return texts.timedOut(READING_LIMIT_MS);
    case 'failed':
      return texts.readingFailed;
    case 'read':
      return reading.lines.length === 0 ? texts.noText : `${texts.text}\n\n${fence(reading.lines.join('\n'))}`;
  }
}

/** Text from a picture is data: it stands verbatim in a fence that it cannot close. */
function fence(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(Math.max(3, longest + 1));
  return `${mark}\n${text}\n${mark}`;
}
