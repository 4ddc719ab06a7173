/** The four formats that leave Fovea. */
export const pictureFormats = ['png', 'jpeg', 'gif', 'webp'] as const;
export type PictureFormat = (typeof pictureFormats)[number];

/** The format that the first bytes say, or `undefined`. Sources: the signatures of the four specifications. */
export function sniffPicture(bytes: Uint8Array): PictureFormat | undefined {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpeg';
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (/^GIF8[79]a/.test(text)) return 'gif';
  return /^RIFF[\s\S]{4}WEBP/.test(text) ? 'webp' : undefined;
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}
