import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { sniffContent } from '../media/sniff.ts';
import { decodeUtf8, foreignEncoding } from './read-text.ts';

/** How lines end: with one of both everywhere, or with now this and now that. */
export type LineEnd = 'LF' | 'CRLF' | 'mixed';

/** A text file's content, and what has to stay as it is. */
export interface TextFile {
  /** Without a byte order mark. */
  readonly text: string;
  readonly hasMark: boolean;
  /** Absent: it has a single line. */
  readonly lineEnd?: LineEnd;
}

/** Refuses with `NOT_UTF8` and `NOT_TEXT`, as `read_file` does. */
export async function parseTextFile(bytes: Uint8Array, name: string): Promise<Result<TextFile, Refusal>> {
  const encoding = foreignEncoding(bytes);
  if (encoding !== undefined) return fail({ code: 'NOT_UTF8', name, detail: encoding });
  const kind = await sniffContent(bytes);
  const text = kind.isText || bytes.length === 0 ? decodeUtf8(bytes) : undefined;
  if (text === undefined) {
    const trueType = kind.isText ? undefined : kind.mediaType;
    return fail({ code: 'NOT_TEXT', name, ...(trueType !== undefined && { trueType }) });
  }
  const lineEnd = lineEndOf(text);
  return ok({ text, hasMark: bytes[0] === 0xef, ...(lineEnd && { lineEnd }) });
}

/** The bytes of a text, with the mark that the file had. */
export function encodeText(text: string, hasMark: boolean): Uint8Array {
  return new TextEncoder().encode(hasMark ? `\ufeff${text}` : text);
}

function lineEndOf(text: string): LineEnd | undefined {
  if (!text.includes('\r')) return text.includes('\n') ? 'LF' : undefined;
  return /[\r\n]/.test(text.replaceAll('\r\n', '')) ? 'mixed' : 'CRLF';
}

/** A text with the line ends of the file that it goes into; where those are mixed, as it was given. */
export function withLineEnd(text: string, lineEnd: LineEnd | undefined): string {
  if (lineEnd === undefined || lineEnd === 'mixed') return text;
  const plain = text.replaceAll('\r\n', '\n');
  return lineEnd === 'CRLF' ? plain.replaceAll('\n', '\r\n') : plain;
}

/** What no text file holds: the position of the first such character, from 1. */
export function findBadCharacter(
  text: string,
): { readonly kind: 'nul' | 'half'; readonly position: number } | undefined {
  const nul = text.indexOf('\0');
  if (nul !== -1) return { kind: 'nul', position: nul + 1 };
  const half = text.search(/\p{Surrogate}/u);
  return half === -1 ? undefined : { kind: 'half', position: half + 1 };
}
