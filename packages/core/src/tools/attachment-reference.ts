import { toAppError } from '../base/app-error.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { PictureReferences } from './tool.ts';

/** What a reference begins with, as notices and results print it: `attachment:0123456789ab`. */
const PREFIX = /^\s*attachment:(?:sha256:)?/i;

/** Hexadecimal digits, but fewer than name a picture. */
const TOO_SHORT = /^[0-9a-f]{1,11}$/;

/** A stored picture that a reference names. */
export interface ReferencedPicture {
  readonly bytes: Uint8Array;
  /** The name that the conversation knows it by, else the reference. */
  readonly name: string;
}

/** Whether a path is no path but a reference to a stored picture. */
export function isAttachmentReference(path: string): boolean {
  return PREFIX.test(path);
}

/**
 * Reads the picture that a reference names, if the session holds it. Refuses with `NOT_FOUND`,
 * `AMBIGUOUS_NAME` (the candidates are full references), and `UNREADABLE` when the stored bytes are
 * gone or damaged. Throws `STORE_UNAVAILABLE`.
 */
export async function readReference(
  path: string,
  references: PictureReferences | undefined,
): Promise<Result<ReferencedPicture, Refusal>> {
  const hexPrefix = path.replace(PREFIX, '').trim().toLowerCase();
  // Whatever the session holds: so few digits are met by chance.
  if (TOO_SHORT.test(hexPrefix)) return fail({ code: 'NOT_FOUND', name: path, detail: 'short-reference' });
  const target = await references?.resolve(hexPrefix);
  if (references === undefined || target === undefined || target.kind === 'none') {
    return fail({ code: 'NOT_FOUND', name: path });
  }
  if (target.kind === 'ambiguous') {
    const candidates = target.candidates.map((digest) => `attachment:${digest.slice('sha256:'.length)}`);
    return fail({ code: 'AMBIGUOUS_NAME', name: path, candidates });
  }
  try {
    return ok({ bytes: await references.read(target.digest), name: target.name ?? path.trim() });
  } catch (error) {
    const { code } = toAppError(error);
    if (code === 'BLOB_MISSING') return fail({ code: 'UNREADABLE', name: path, detail: 'its stored bytes are gone' });
    if (code === 'BLOB_DAMAGED') {
      return fail({ code: 'UNREADABLE', name: path, detail: 'its stored bytes are damaged' });
    }
    throw error;
  }
}
