import { setImmediate } from 'node:timers/promises';
import type { Sharp as SharpInstance } from 'sharp';
import { buildColorProfile } from './build-color-profile.ts';
import { type ColorSpace, isSrgb, toSrgbSample } from './color-space.ts';
import { openPipeline } from './decode.ts';
import type { ImageLayout } from './image-layout.ts';
import type { Sharp } from './load-sharp.ts';
import { withConvertedPalette, withoutColors, withProfile } from './rewrite-png-colors.ts';

/**
 * A sharp pipeline over a picture's stored pixels that have been, or will be, converted to sRGB: what
 * the decoder does with an embedded profile where it does it well, and ourselves where it does nothing
 * or loses much: chunks of a PNG that name a colour space, grey samples, and samples of 16 bits.
 *
 * The conversion comes before anything else: averages of unconverted samples are other colours.
 */
export async function openConverted(sharp: Sharp, bytes: Uint8Array, layout: ImageLayout): Promise<SharpInstance> {
  const { colors } = layout;
  const maxPixels = layout.storedWidthPx * layout.storedHeightPx;
  const isDeep = layout.needsConversion === 'depth';
  if (colors === undefined) return openPipeline(sharp, bytes, maxPixels);
  if (colors === 'profile') {
    const pipeline = openPipeline(sharp, bytes, maxPixels);
    return isDeep ? applyProfileNow(sharp, pipeline) : pipeline;
  }
  if (isSrgb(colors)) return openPipeline(sharp, withoutColors(bytes), maxPixels);
  const colorType = bytes[25] ?? 0;
  if (colorType === 3 || (colorType === 0 && !isDeep)) {
    return openPipeline(sharp, withConvertedPalette(bytes, colors), maxPixels);
  }
  if (colorType === 0 || colorType === 4) {
    return convertGray(sharp, openPipeline(sharp, withoutColors(bytes), maxPixels), { colors, isDeep });
  }
  const pipeline = openPipeline(sharp, withProfile(bytes, buildColorProfile(colors)), maxPixels);
  return isDeep ? applyProfileNow(sharp, pipeline) : pipeline;
}

/**
 * With 16 bits the decoder brings a profile's colours to P3 and then takes them for sRGB. Only the
 * profile of an output is applied as it should be, so this is one: 8-bit sRGB, in memory.
 */
async function applyProfileNow(sharp: Sharp, pipeline: SharpInstance): Promise<SharpInstance> {
  const { data, info } = await pipeline
    .toColourspace('srgb')
    .withIccProfile('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return fromRaw(sharp, data, info);
}

/** Samples that are converted before others get their turn. */
const SAMPLES_A_TURN = 4_000_000;

/** With a table of all samples: the decoder is up to ten levels wrong near black, and lost with 16 bits. */
async function convertGray(
  sharp: Sharp,
  pipeline: SharpInstance,
  { colors, isDeep }: { readonly colors: ColorSpace; readonly isDeep: boolean },
): Promise<SharpInstance> {
  const { data, info } = await pipeline
    .toColourspace(isDeep ? 'grey16' : 'b-w')
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) : data;
  const largest = isDeep ? 65_535 : 255;
  const grays = Uint8Array.from({ length: largest + 1 }, (_, sample) =>
    toSrgbSample(colors.toLinear(sample / largest)),
  );
  // In place: what is written has been read.
  const converted = data.subarray(0, samples.length);
  for (let start = 0; start < samples.length; start += SAMPLES_A_TURN) {
    const end = Math.min(samples.length, start + SAMPLES_A_TURN);
    for (let at = start; at < end; at += 1) {
      const sample = samples[at] ?? 0;
      const isAlpha = info.channels === 2 && at % 2 === 1;
      converted[at] = isAlpha ? Math.round((sample * 255) / largest) : (grays[sample] ?? 0);
    }
    await setImmediate();
  }
  return fromRaw(sharp, converted, info);
}

function fromRaw(
  sharp: Sharp,
  data: Buffer,
  { width, height, channels }: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 },
): SharpInstance {
  return sharp(data, { raw: { width, height, channels } });
}
