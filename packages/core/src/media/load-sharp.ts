import type { SharpInput, Sharp as SharpInstance, SharpOptions } from 'sharp';
import { noteDecoderWarning } from './decoder-warnings.ts';
import { imageFormats } from './formats.ts';

/** The decoder and encoder, with everything switched off that pictures from strangers could reach. */
export interface Sharp {
  (options: SharpOptions): SharpInstance;
  (input: SharpInput, options?: SharpOptions): SharpInstance;
}

let loading: Promise<Sharp> | undefined;

/**
 * Loads sharp once, when it is first needed (it takes 60 ms), and sets it up: no loader but those of the
 * four formats and only from memory, no cache (every picture is decoded once), one thread a
 * picture (many pictures run side by side instead), its warnings heard.
 *
 * Source: sharp 0.35 documentation, "Global properties": block, unblock, cache, concurrency.
 */
export function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then((module) => {
    const loaded = module.default;
    loaded.block({ operation: ['VipsForeignLoad'] });
    loaded.unblock({ operation: imageFormats.map((row) => row.loader) });
    loaded.cache(false);
    loaded.concurrency(1);
    // Its types split what is one function.
    return (input: SharpInput | SharpOptions, options?: SharpOptions) =>
      loaded(input as SharpInput, options).on('warning', noteDecoderWarning);
  });
  return loading;
}
