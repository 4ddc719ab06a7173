/** Whether `bytes` holds `count` bytes from `at` on. The readers below give 0 for what is missing. */
export function hasBytes(bytes: Uint8Array, at: number, count: number): boolean {
  return at >= 0 && at + count <= bytes.length;
}

/** Unsigned, most significant byte first: PNG, JPEG, `MM` Exif. */
export function readUint16Big(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** Unsigned, most significant byte first. */
export function readUint32Big(bytes: Uint8Array, at: number): number {
  return readUint16Big(bytes, at) * 0x1_00_00 + readUint16Big(bytes, at + 2);
}

/** Unsigned, least significant byte first: GIF, WebP, `II` Exif. */
export function readUint16Little(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

/** Unsigned, least significant byte first. */
export function readUint24Little(bytes: Uint8Array, at: number): number {
  return readUint16Little(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
}

/** Unsigned, least significant byte first. */
export function readUint32Little(bytes: Uint8Array, at: number): number {
  return readUint16Little(bytes, at) + readUint16Little(bytes, at + 2) * 0x1_00_00;
}

/** `count` bytes as Latin-1 characters; shorter where the bytes end. For tags and signatures. */
export function readTag(bytes: Uint8Array, at: number, count: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + count));
}
