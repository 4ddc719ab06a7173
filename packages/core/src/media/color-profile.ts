import { readTag } from './read-integer.ts';

/** Those that the four formats can have. */
const colorSpaces: ReadonlySet<string> = new Set(['RGB ', 'GRAY', 'CMYK']);

/**
 * What an embedded ICC profile means for a picture: `srgb` changes nothing, `foreign` asks for a
 * conversion, `unusable` is no profile at all and is ignored, as decoders do.
 *
 * Source: ICC.1:2022, section 7.2 (`acsp` at offset 36); the name stands in the `desc` tag as
 * ASCII (version 2) or UTF-16 (version 4).
 */
export function classifyColorProfile(profile: Uint8Array): 'srgb' | 'foreign' | 'unusable' {
  const colorSpace = readTag(profile, 16, 4);
  if (readTag(profile, 36, 4) !== 'acsp' || !colorSpaces.has(colorSpace)) return 'unusable';
  const text = Buffer.from(profile.buffer, profile.byteOffset, profile.byteLength);
  const isSrgb = text.includes('sRGB', 0, 'latin1') || text.includes('\0s\0R\0G\0B', 0, 'latin1');
  return isSrgb && colorSpace === 'RGB ' ? 'srgb' : 'foreign';
}
