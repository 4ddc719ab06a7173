import type { Clock } from '../base/clock.ts';

/** A QR or bar code: `kind` as people call it (`QR Code`, `EAN-13`), `text` what it says, verbatim. */
export interface FoundCode {
  readonly kind: string;
  readonly text: string;
}

/** What was recognised in one picture. Codes that were found before reading stopped are kept. */
export interface PictureReading {
  /** `timed-out`: reading stopped after the limit. `failed`: the reading process ended or refused. */
  readonly status: 'read' | 'timed-out' | 'failed';
  readonly codes: readonly FoundCode[];
  /** Recognised text, from top to bottom; an empty line stands for a wide gap. Empty when there is none. */
  readonly lines: readonly string[];
}

export interface ReadPictureInput {
  /** A whole picture as it is stored: PNG, JPEG, GIF or WebP. */
  readonly bytes: Uint8Array;
  /** How long this picture may take, without the start of the reading process. */
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once when the codes are known, which is long before the text; not at all when reading fails before. */
  readonly onCodes?: (codes: readonly FoundCode[]) => void;
}

/**
 * The port through which the offline reader gets text out of pictures.
 *
 * Contract: a picture that cannot be read is a `PictureReading`, never a rejection, and leaves the
 * reader usable. An abort rejects with the signal's reason. `close` ends every process at once and
 * may be called twice.
 */
export interface TextReader {
  read(input: ReadPictureInput): Promise<PictureReading>;
  close(): void;
}
