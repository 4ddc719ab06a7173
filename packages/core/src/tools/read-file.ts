import Type from 'typebox';
import { admitSource } from '../attachments/admit-image.ts';
import { type OpenSource, openSource } from '../attachments/open-source.ts';
import { KIB, MIB } from '../base/units.ts';
import { claimsImage } from '../media/formats.ts';
import { isForeignMedia, type SniffedContent, sniffContent } from '../media/sniff.ts';
import { isAttachmentReference } from './attachment-reference.ts';
import { readActivity } from './read-activity.ts';
import { DEFAULT_LINES, decodeUtf8, excerptText, foreignEncoding, LONGEST_LINE } from './read-text.ts';
import { toolTexts } from './texts.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, imageOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'read_file';

/** A larger text is no source file; its lines can be searched instead of read. */
const TEXT_LIMIT_BYTES = 10 * MIB;

/** As much as says what a file is. */
const START_BYTES = 256 * KIB;

const Arguments = defineArguments(
  Type.Object(
    {
      path: Type.String({ minLength: 1 }),
      offset: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
);

/**
 * `read_file`: text by lines, or one picture. What a file is, its content decides; a name that
 * claims a picture with other content is refused (decision X2). For pictures `offset` and `limit`
 * are ignored.
 */
export function createReadFileTool(): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = toolTexts[locale].readFile;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: readActivity,
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, offset = 1, limit = DEFAULT_LINES } = parsed.value;
      if (isAttachmentReference(path)) return failedOutcome(toolTexts[context.locale].referenceIsNoFile(path));
      const opened = await openSource(path, context.access);
      if (!opened.ok) return refusedOutcome(opened.error, context.locale);
      try {
        return await readOpened(opened.value, { offset, limit }, context);
      } finally {
        await opened.value.close();
      }
    },
  };
}

interface LineRange {
  readonly offset: number;
  readonly limit: number;
}

async function readOpened(source: OpenSource, range: LineRange, context: ToolContext): Promise<ToolOutcome> {
  const { path, sizeBytes } = source;
  // Admission refuses it by the picture's own limit, without reading it.
  if (claimsImage(path)) return readPicture(source, context);
  const start = await source.readStart(START_BYTES);
  if (!start.ok) return refusedOutcome(start.error, context.locale);
  const kind = await sniffContent(start.value);
  if (isMedia(kind)) return readPicture(source, context);
  if (sizeBytes > TEXT_LIMIT_BYTES) {
    const texts = toolTexts[context.locale];
    return failedOutcome(texts.textTooLarge({ path, sizeBytes, limitBytes: TEXT_LIMIT_BYTES }));
  }
  const read = await source.read({ maxBytes: TEXT_LIMIT_BYTES, signal: context.signal });
  if (!read.ok) return refusedOutcome(read.error, context.locale);
  return readText(read.value, { path, kind, range }, context);
}

/** Whether admission has the last word: it takes the picture, or names what else it is. */
function isMedia(kind: SniffedContent): boolean {
  return !kind.isText && isForeignMedia(kind.mediaType);
}

/** Of the file that is open: what was looked at is what is admitted. */
async function readPicture(source: OpenSource, context: ToolContext): Promise<ToolOutcome> {
  const { blobs, signal, limits, locale } = context;
  const admitted = await admitSource(source, {
    blobs,
    signal,
    limits: {
      maxBytes: limits.readFileImageBytes,
      maxPixels: limits.imagePixels,
      maxFrames: limits.imageFrames,
    },
  });
  return admitted.ok ? imageOutcome(admitted.value, locale) : refusedOutcome(admitted.error, locale);
}

function readText(
  bytes: Uint8Array,
  file: { readonly path: string; readonly kind: SniffedContent; readonly range: LineRange },
  context: ToolContext,
): ToolOutcome {
  const texts = toolTexts[context.locale];
  const encoding = foreignEncoding(bytes);
  if (encoding !== undefined) return failedOutcome(texts.otherEncoding(file.path, encoding));
  const text = file.kind.isText || bytes.length === 0 ? decodeUtf8(bytes) : undefined;
  // What begins as text and ends as something else is of no kind that has a name.
  const trueType = file.kind.isText ? undefined : file.kind.mediaType;
  if (text === undefined) return failedOutcome(texts.binaryFile(file.path, trueType));
  const excerpt = excerptText(text, { ...file.range, cutMark: texts.lineCut(LONGEST_LINE) });
  const content = JSON.stringify({ content: excerpt.content, total_lines: excerpt.totalLines });
  return { isError: false, content, attachments: [] };
}
