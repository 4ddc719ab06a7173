/**
 * What admission allows of one picture. All three bind inclusively: a picture of exactly
 * `maxPixels` pixels is taken.
 *
 * Source of the figures: decision X1.
 */
export interface ImageLimits {
  readonly maxBytes: number;
  /** Width times height of the canvas; one frame of an animation. */
  readonly maxPixels: number;
  /** Frames of an animation, announced or counted. Only the first is ever decoded. */
  readonly maxFrames: number;
}

/** The longest that one decode may take before it is given up as `TIMED_OUT`. */
export const DECODE_TIMEOUT_MS = 10_000;
