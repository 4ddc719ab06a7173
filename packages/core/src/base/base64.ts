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

interface NativeBuffer {
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

function nativeBuffer(): NativeBuffer | undefined {
  return (globalThis as { Buffer?: NativeBuffer }).Buffer;
}
