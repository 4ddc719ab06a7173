import { type AdmittedImage, admitSource } from '../attachments/admit-image.ts';
import { type OpenSource, openSource } from '../attachments/open-source.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { KIB, MIB } from '../base/units.ts';
import { claimsImage } from '../media/formats.ts';
import { isForeignMedia, type SniffedContent, sniffContent } from '../media/sniff.ts';
import { decodeUtf8, foreignEncoding } from './read-text.ts';
import type { ToolContext } from './tool.ts';

/** A larger text is no source file; its lines can be searched instead of read. */
const TEXT_LIMIT_BYTES = 10 * MIB;

/** As much as says what a file is. */
const START_BYTES = 256 * KIB;

/** What `read_file` finds in a file that it reads. */
export type FileContent =
  | { readonly kind: 'picture'; readonly admitted: AdmittedImage }
  | { readonly kind: 'text'; readonly text: string; readonly sizeBytes: number };

/** What reading needs of a tool's context. */
export type ReadContext = Pick<ToolContext, 'access' | 'blobs' | 'limits' | 'signal'>;

/**
 * One file as `read_file` takes it: text, or a picture that is then in the store. What it is, its
 * content decides; a name that claims a picture with other content is refused (decision X2).
 *
 * Refuses with the codes of `admitImage`, and `NOT_TEXT`, `NOT_UTF8`, `TEXT_TOO_LARGE`.
 */
export async function readFileContent(path: string, context: ReadContext): Promise<Result<FileContent, Refusal>> {
  const opened = await openSource(path, context.access);
  if (!opened.ok) return opened;
  try {
    return await readOpened(opened.value, context);
  } finally {
    await opened.value.close();
  }
}

async function readOpened(source: OpenSource, context: ReadContext): Promise<Result<FileContent, Refusal>> {
  const { path: name, sizeBytes } = source;
  // Admission refuses it by the picture's own limit, without reading it.
  if (claimsImage(name)) return readPicture(source, context);
  const start = await source.readStart(START_BYTES);
  if (!start.ok) return start;
  const kind = await sniffContent(start.value);
  if (isMedia(kind)) return readPicture(source, context);
  if (sizeBytes > TEXT_LIMIT_BYTES) {
    return fail({ code: 'TEXT_TOO_LARGE', name, actual: sizeBytes, limit: TEXT_LIMIT_BYTES });
  }
  const read = await source.read({ maxBytes: TEXT_LIMIT_BYTES, signal: context.signal });
  return read.ok ? decodeText(read.value, { name, kind }) : read;
}

/** Whether admission has the last word: it takes the picture, or names what else it is. */
function isMedia(kind: SniffedContent): boolean {
  return !kind.isText && isForeignMedia(kind.mediaType);
}

/** Of the file that is open: what was looked at is what is admitted. */
async function readPicture(source: OpenSource, context: ReadContext): Promise<Result<FileContent, Refusal>> {
  const { blobs, signal, limits } = context;
  const admitted = await admitSource(source, {
    blobs,
    signal,
    limits: {
      maxBytes: limits.readFileImageBytes,
      maxPixels: limits.imagePixels,
      maxFrames: limits.imageFrames,
    },
  });
  return admitted.ok ? ok({ kind: 'picture', admitted: admitted.value }) : admitted;
}

function decodeText(
  bytes: Uint8Array,
  { name, kind }: { readonly name: string; readonly kind: SniffedContent },
): Result<FileContent, Refusal> {
  const encoding = foreignEncoding(bytes);
  if (encoding !== undefined) return fail({ code: 'NOT_UTF8', name, detail: encoding });
  const text = kind.isText || bytes.length === 0 ? decodeUtf8(bytes) : undefined;
  if (text !== undefined) return ok({ kind: 'text', text, sizeBytes: bytes.length });
  // What begins as text and ends as something else is of no kind that has a name.
  const trueType = kind.isText ? undefined : kind.mediaType;
  return fail({ code: 'NOT_TEXT', name, ...(trueType !== undefined && { trueType }) });
}
