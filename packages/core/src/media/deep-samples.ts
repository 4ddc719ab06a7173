/** How the samples of 16 bits of a PNG become bytes of RGB or RGBA. */
export interface DeepSamples {
  /** Of the PNG: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. */
  readonly channels: number;
  readonly resultChannels: 3 | 4;
  /** The colour that is transparent, sample by sample. */
  readonly transparent?: readonly number[];
}

/**
 * The upper bytes of one row of samples, grey three times, alpha where the result has it. Into the
 * place of `result` that begins at `to`.
 */
export function narrowSamples(
  samples: Uint8Array,
  { channels, resultChannels, transparent }: DeepSamples,
  { result, to }: { readonly result: Uint8Array; readonly to: number },
): void {
  const pixelBytes = channels * 2;
  const green = channels >= 3 ? 2 : 0;
  const alpha = channels === 2 ? 2 : channels === 4 ? 6 : -1;
  let out = to;
  for (let at = 0; at < samples.length; at += pixelBytes) {
    result[out] = samples[at] ?? 0;
    result[out + 1] = samples[at + green] ?? 0;
    result[out + 2] = samples[at + green * 2] ?? 0;
    if (resultChannels === 4) {
      if (alpha >= 0) result[out + 3] = samples[at + alpha] ?? 0;
      else result[out + 3] = isTransparent(samples, at, transparent) ? 0 : 255;
    }
    out += resultChannels;
  }
}

function isTransparent(samples: Uint8Array, at: number, transparent: readonly number[] | undefined): boolean {
  if (transparent === undefined) return false;
  return transparent.every((sample, index) => {
    const place = at + index * 2;
    return (((samples[place] ?? 0) << 8) | (samples[place + 1] ?? 0)) === sample;
  });
}
