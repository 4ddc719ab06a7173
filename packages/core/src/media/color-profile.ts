import { readTag } from './read-integer.ts';

/**
 * What an embedded ICC profile means for a picture: `srgb` changes nothing, `foreign` asks for a
 * conversion, `unusable` is no profile at all and is ignored, as decoders do.
 *
 * Source: ICC.1:2022, section 7.2 (`acsp` at offset 36); the name stands in the `desc` tag as
 * ASCII (version 2) or UTF-16 (version 4).
 */
export function classifyColorProfile(profile: Uint8Array): 'srgb' | 'foreign' | 'unusable' {
  if (readTag(profile, 36, 4) !== 'acsp') return 'unusable';
  const text = Buffer.from(profile.buffer, profile.byteOffset, profile.byteLength);
  const isSrgb = text.includes('sRGB', 0, 'latin1') || text.includes('\0s\0R\0G\0B', 0, 'latin1');
  return isSrgb && readTag(profile, 16, 4) === 'RGB ' ? 'srgb' : 'foreign';
}
