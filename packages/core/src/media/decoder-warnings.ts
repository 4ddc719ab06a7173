/**
 * Damage that the decoder only warned of. It checks for warnings of a JPEG when it is asked for the
 * next lines, so that those of the last lines come when the picture is already called good.
 *
 * The decoder keeps its warnings in one list for the whole process and gives them to whichever
 * picture ends next: a new one means that one of those that were being decoded is damaged.
 *
 * Source: sharp 0.35 documentation, "Constructor", event `warning`; libvips, jpeg2vips.
 */
let damageCount = 0;

/** What follows this sentence is of no use: the decoder's last words of whichever picture spoke last. */
const JPEG_WARNED = /^read gave \d+ warnings/;

/** To be called with every warning of every picture. */
export function noteDecoderWarning(warning: string): void {
  if (JPEG_WARNED.test(warning)) damageCount += 1;
}

/** How often damage was warned of in this process. */
export function countDamageWarnings(): number {
  return damageCount;
}
