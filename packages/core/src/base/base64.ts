const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Number of base64 characters (padded, RFC 4648 section 4) for `sizeBytes` bytes. */
export function base64Length(sizeBytes: number): number {
  return Math.ceil(sizeBytes / 3) * 4;
}

/**
 * Canonical base64 (RFC 4648 section 4: standard alphabet, padded, no line breaks) of `bytes`.
 *
 * Uses the platform's encoder where there is one (Node's `Buffer`), because this stands in the hot
 * path of every request; the loop below is the same function for other platforms.
 */
export function encodeBase64(bytes: Uint8Array): string {
  const native = nativeBuffer();
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return encodeBase64Portably(bytes);
}

/** {@link encodeBase64} without the platform's encoder. */
export function encodeBase64Portably(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += 3) {
    const first = bytes[start] ?? 0;
    const second = bytes[start + 1];
    const third = bytes[start + 2];
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    pieces.push(
      ALPHABET.charAt((group >> 18) & 63),
      ALPHABET.charAt((group >> 12) & 63),
      second === undefined ? '=' : ALPHABET.charAt((group >> 6) & 63),
      third === undefined ? '=' : ALPHABET.charAt(group & 63),
    );
  }
  return pieces.join('');
}

/** Both alphabets of RFC 4648 (sections 4 and 5), with the padding at the end if there is any. */
const BASE64_TEXT = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * The bytes of base64, or `undefined` when the text is none. Takes the standard and the URL-safe
 * alphabet (RFC 4648 sections 4 and 5), with and without padding; white space is the caller's. A
 * number of characters that no bytes have (4n + 1) is a text that was cut.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!BASE64_TEXT.test(text)) return undefined;
  const length = text.endsWith('=') ? text.indexOf('=') : text.length;
  if (length % 4 === 1) return undefined;
  const native = nativeBuffer();
  if (native === undefined) return decodeBase64Portably(text);
  // A view of its own: small buffers of the platform share their memory.
  return new Uint8Array(native.from(text, 'base64'));
}

/** {@link decodeBase64} of a text that was checked, without the platform's decoder. */
export function decodeBase64Portably(text: string): Uint8Array {
  const characters = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = new Uint8Array(Math.floor((characters.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (const character of characters) {
    bits = ((bits << 6) | ALPHABET.indexOf(character)) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[at] = (bits >> bitCount) & 0xff;
    at += 1;
  }
  return bytes;
}

interface NativeBuffer {
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
  from(text: string, encoding: 'base64'): Uint8Array;
}

function nativeBuffer(): NativeBuffer | undefined {
  return (globalThis as { Buffer?: NativeBuffer }).Buffer;
}
