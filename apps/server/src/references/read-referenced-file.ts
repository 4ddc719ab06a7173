import { type FileAccess, openSource } from '@fovea/core/attachments';
import { fail, KIB, ok, type Refusal, type Result } from '@fovea/core/base';
import type { FileReference } from '@fovea/core/content';
import { claimsImage, sniffContent } from '@fovea/core/media';
import { foreignEncoding } from '@fovea/core/tools';

/** Of a text that is shown. Source: requirement R125. */
const LONGEST_TEXT_BYTES = 64 * KIB;
/** As much as says what a file is, and one character more than is shown of a text. */
const START_BYTES = 256 * KIB;

/**
 * What a file is for the message that refers to it: a picture, by its content or because its name
 * claims so (then admission says what it really is), or a text, of which at most 64 KiB are taken.
 * Refuses anything else by its true kind with `NOT_TEXT` or `NOT_UTF8`, and as `openSource` does.
 */
export async function readReferencedFile(
  path: string,
  access: FileAccess,
): Promise<Result<FileReference | 'picture', Refusal>> {
  const opened = await openSource(path, access);
  if (!opened.ok) return opened;
  const source = opened.value;
  try {
    const start = await source.readStart(START_BYTES);
    if (!start.ok) return start;
    const { format, mediaType, isText } = await sniffContent(start.value);
    const isPicture = format !== undefined || (!isText && mediaType?.startsWith('image/') === true);
    if (isPicture || claimsImage(path)) return ok('picture');
    const encoding = foreignEncoding(start.value);
    if (encoding !== undefined) return fail({ code: 'NOT_UTF8', name: path, detail: encoding });
    const text = isText || source.sizeBytes === 0 ? decodeBeginning(start.value) : undefined;
    if (text === undefined) {
      if (isText) return fail({ code: 'NOT_UTF8', name: path });
      return fail({ code: 'NOT_TEXT', name: path, ...(mediaType !== undefined && { trueType: mediaType }) });
    }
    const isCut = source.sizeBytes > LONGEST_TEXT_BYTES;
    return ok({ kind: 'text', path: source.displayPath, text, sizeBytes: source.sizeBytes, isCut });
  } finally {
    await source.close();
  }
}

/** UTF-8 without a byte order mark, cut behind a whole character; `undefined` for another encoding. */
function decodeBeginning(bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return decoder.decode(bytes.subarray(0, LONGEST_TEXT_BYTES), { stream: bytes.length > LONGEST_TEXT_BYTES });
  } catch {
    return undefined;
  }
}
