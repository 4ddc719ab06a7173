import { MIB } from '../base/units.ts';

/** What admission allows, in the names of the settings `limits.*`. */
export interface AdmissionLimits {
  /** A picture that `read_file` reads. */
  readonly readFileImageBytes: number;
  /** A picture that `view_image` reads from disk. */
  readonly viewImageBytes: number;
  /** Pixels of a picture that a tool reads, inclusive. */
  readonly imagePixels: number;
  /** Frames of any animation, announced or counted. */
  readonly imageFrames: number;
  /** One file that a user attaches. */
  readonly attachmentBytes: number;
  readonly attachmentPixels: number;
  readonly attachmentsPerMessage: number;
  /** All files of one message. */
  readonly messageBytes: number;
}

/** The limits where the configuration says nothing. Source: decision X1. */
export const defaultLimits: AdmissionLimits = {
  readFileImageBytes: 5 * MIB,
  viewImageBytes: 3 * MIB,
  imagePixels: 40_000_000,
  imageFrames: 10_000,
  attachmentBytes: 20 * MIB,
  attachmentPixels: 50_000_000,
  attachmentsPerMessage: 20,
  messageBytes: 200 * MIB,
};
