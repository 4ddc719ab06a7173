import { type ColorSpace, matrixToD50, srgbPrimaries, transpose, WHITE_D50 } from './color-space.ts';

const HEADER = 128;
const TAG_ENTRY = 12;
/** Every sample of 8 bits is one of its points. */
const CURVE_POINTS = 16 * 255 + 1;

/**
 * A profile that says to any decoder what a colour space is: primaries and one curve, nothing else.
 * Primaries of no screen count as those of sRGB.
 *
 * Source: ICC.1:2022, sections 7 (header, tag table), 8.3.3 (required tags), 10.6, 10.15 and 10.31 (types).
 */
export function buildColorProfile(space: ColorSpace): Uint8Array {
  const toD50 = matrixToD50(space.primaries) ?? matrixToD50(srgbPrimaries);
  if (toD50 === undefined) throw new RangeError('sRGB has primaries');
  const [red, green, blue] = transpose(toD50);
  const curve = curveTag(space.toLinear);
  const name = textTag('Fovea');
  return assemble([
    ['desc', name],
    ['cprt', name],
    ['wtpt', xyzTag(WHITE_D50)],
    ['rXYZ', xyzTag(red)],
    ['gXYZ', xyzTag(green)],
    ['bXYZ', xyzTag(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]);
}

/** Tags with the same data share it. */
function assemble(tags: readonly (readonly [name: string, data: Buffer])[]): Uint8Array {
  const places = new Map<Buffer, number>();
  let end = HEADER + 4 + tags.length * TAG_ENTRY;
  for (const [, data] of tags) {
    if (places.has(data)) continue;
    places.set(data, end);
    end += Math.ceil(data.length / 4) * 4;
  }
  const profile = Buffer.alloc(end);
  writeHeader(profile);
  profile.writeUInt32BE(tags.length, HEADER);
  for (const [index, [name, data]] of tags.entries()) {
    const entry = HEADER + 4 + index * TAG_ENTRY;
    const at = places.get(data) ?? 0;
    profile.write(name, entry, 'latin1');
    profile.writeUInt32BE(at, entry + 4);
    profile.writeUInt32BE(data.length, entry + 8);
    data.copy(profile, at);
  }
  return profile;
}

/** Of a screen's profile, version 4.3. */
function writeHeader(profile: Buffer): void {
  profile.writeUInt32BE(profile.length, 0);
  profile.writeUInt32BE(0x04_30_00_00, 8);
  profile.write('mntrRGB XYZ ', 12, 'latin1');
  // The date has to be one; the same bytes each time need the same one.
  profile.writeUInt16BE(2000, 24);
  profile.writeUInt16BE(1, 26);
  profile.writeUInt16BE(1, 28);
  profile.write('acsp', 36, 'latin1');
  for (const [axis, value] of WHITE_D50.entries()) writeFixed(profile, 68 + axis * 4, value);
}

function xyzTag(values: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ', 'latin1');
  for (const [axis, value] of values.entries()) writeFixed(tag, 8 + axis * 4, value);
  return tag;
}

function curveTag(toLinear: (sample: number) => number): Buffer {
  const tag = Buffer.alloc(12 + CURVE_POINTS * 2);
  tag.write('curv', 'latin1');
  tag.writeUInt32BE(CURVE_POINTS, 8);
  for (let point = 0; point < CURVE_POINTS; point += 1) {
    const light = toLinear(point / (CURVE_POINTS - 1));
    tag.writeUInt16BE(Math.round(Math.min(1, Math.max(0, light)) * 65_535), 12 + point * 2);
  }
  return tag;
}

/** In one language: its record of 12 bytes, then the text. */
function textTag(text: string): Buffer {
  const tag = Buffer.alloc(28 + text.length * 2);
  tag.write('mluc', 'latin1');
  tag.writeUInt32BE(1, 8);
  tag.writeUInt32BE(12, 12);
  tag.write('enUS', 16, 'latin1');
  tag.writeUInt32BE(text.length * 2, 20);
  tag.writeUInt32BE(28, 24);
  for (const [index, character] of [...text].entries()) tag.writeUInt16BE(character.charCodeAt(0), 28 + index * 2);
  return tag;
}

/** Signed, 16 bits before the point and 16 behind it. */
function writeFixed(bytes: Buffer, at: number, value: number): void {
  bytes.writeInt32BE(Math.round(value * 65_536), at);
}
