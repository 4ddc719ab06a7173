import { decodeBase64, encodeBase64 } from './base64.ts';
import { fail, ok, type Result } from './result.ts';

/** What a data URI carries. The label is a claim: only the bytes tell what they are. */
export interface DataUri {
  /** Lower case, without parameters; `text/plain` when the URI names none (RFC 2397 section 2). */
  readonly mediaType: string;
  /** As written, by their names in lower case; `base64` is none of them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/**
 * Why a text is no data URI that can be read: it is another text, it has no comma, its payload is
 * no base64 (or was cut), its percent-encoding is broken, or it is larger than was allowed.
 */
export type DataUriFault =
  | { readonly kind: 'not-a-data-uri' | 'no-payload' | 'bad-base64' | 'bad-percent-encoding' }
  | { readonly kind: 'too-large'; readonly sizeBytes: number };

const SCHEME = /^\s*data:/i;

/** Whether a text claims to be a data URI. */
export function isDataUri(text: string): boolean {
  return SCHEME.test(text);
}

/**
 * Reads a data URI as tolerantly as is safe: white space around it and in its base64, parameters in
 * any order (quoted ones too), `;base64` in any case and place, either alphabet, missing padding,
 * and base64 that was percent-encoded. What it does not do is guess: a character that belongs to no
 * alphabet, or a number of characters that no bytes have, is a fault.
 *
 * `maxBytes` is checked before anything is decoded. Source: RFC 2397; RFC 4648 sections 4 and 5.
 */
export function parseDataUri(
  text: string,
  options: { readonly maxBytes?: number } = {},
): Result<DataUri, DataUriFault> {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined) return fail({ kind: 'not-a-data-uri' });
  const comma = findComma(text, scheme.length);
  if (comma === -1) return fail({ kind: 'no-payload' });
  const header = readHeader(text.slice(scheme.length, comma));
  const payload = text.slice(comma + 1);
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const bytes = header.isBase64 ? readBase64(payload, maxBytes) : readPercentEncoded(payload.trim(), maxBytes);
  if (!bytes.ok) return bytes;
  return ok({ mediaType: header.mediaType, parameters: header.parameters, bytes: bytes.value });
}

/** The canonical data URI of bytes: standard alphabet, padded, no parameters, no white space. */
export function formatDataUri({ mediaType, bytes }: Pick<DataUri, 'mediaType' | 'bytes'>): string {
  return `data:${mediaType};base64,${encodeBase64(bytes)}`;
}

/** The comma that ends the header: the first one outside quotes. A quote that is never closed is none. */
function findComma(text: string, start: number): number {
  const first = text.indexOf(',', start);
  let isQuoted = false;
  for (let at = start; first !== -1 && at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (character === ',' && !isQuoted) return at;
  }
  return first;
}

interface Header {
  readonly mediaType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly isBase64: boolean;
}

function readHeader(header: string): Header {
  const [type = '', ...rest] = (header.match(/(?:"[^"]*"|[^;"]|")+/g) ?? []).map((piece) => piece.trim());
  // A header may begin with its parameters: `data:;base64,`.
  const pieces = header.trimStart().startsWith(';') ? [type, ...rest] : rest;
  const mediaType = pieces.length === rest.length ? type.toLowerCase() : '';
  const named = pieces.filter((piece) => piece.toLowerCase() !== 'base64').map(readParameter);
  return {
    mediaType: mediaType === '' ? 'text/plain' : mediaType,
    parameters: Object.fromEntries(named),
    isBase64: pieces.some((piece) => piece.toLowerCase() === 'base64'),
  };
}

function readParameter(piece: string): [string, string] {
  const equals = piece.indexOf('=');
  if (equals === -1) return [piece.toLowerCase(), ''];
  const value = piece.slice(equals + 1).trim();
  return [piece.slice(0, equals).trim().toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
}

function readBase64(payload: string, maxBytes: number): Result<Uint8Array, DataUriFault> {
  const unescaped = payload.includes('%') ? unescapeText(payload) : payload;
  if (unescaped === undefined) return fail({ kind: 'bad-percent-encoding' });
  const text = unescaped.replace(/\s+/g, '');
  const sizeBytes = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  if (sizeBytes > maxBytes) return fail({ kind: 'too-large', sizeBytes });
  const bytes = decodeBase64(text);
  return bytes === undefined ? fail({ kind: 'bad-base64' }) : ok(bytes);
}

function unescapeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Bytes, not characters: `%FF` is the byte 255. Characters that should have been encoded are UTF-8. */
function readPercentEncoded(payload: string, maxBytes: number): Result<Uint8Array, DataUriFault> {
  if (/%(?![0-9a-f]{2})/i.test(payload)) return fail({ kind: 'bad-percent-encoding' });
  const raw = new TextEncoder().encode(payload);
  const escapes = payload.match(/%[0-9a-f]{2}/gi)?.length ?? 0;
  const sizeBytes = raw.length - 2 * escapes;
  if (sizeBytes > maxBytes) return fail({ kind: 'too-large', sizeBytes });
  const bytes = new Uint8Array(sizeBytes);
  let from = 0;
  for (let to = 0; to < sizeBytes; to += 1) {
    const isEscape = raw[from] === PERCENT;
    bytes[to] = isEscape ? hexValue(raw[from + 1]) * 16 + hexValue(raw[from + 2]) : (raw[from] ?? 0);
    from += isEscape ? 3 : 1;
  }
  return ok(bytes);
}

const PERCENT = 0x25;

/** Of an ASCII digit or letter that is known to be hexadecimal. */
function hexValue(code: number | undefined): number {
  return Number.parseInt(String.fromCharCode(code ?? 0), 16);
}
