import type { ErrorCode } from './error-codes.ts';

/** Codes with which a file, picture or turn is refused before anything is started. */
export type RefusalCode = Extract<
  ErrorCode,
  | 'NOT_FOUND'
  | 'AMBIGUOUS_NAME'
  | 'OUTSIDE_WORKSPACE'
  | 'FORBIDDEN'
  | 'NOT_A_REGULAR_FILE'
  | 'UNREADABLE'
  | 'TOO_MANY_BYTES'
  | 'TOO_MANY_PIXELS'
  | 'TOO_MANY_FRAMES'
  | 'UNSUPPORTED_FORMAT'
  | 'NOT_AN_IMAGE'
  | 'NOT_TEXT'
  | 'NOT_UTF8'
  | 'TEXT_TOO_LARGE'
  | 'CORRUPT'
  | 'EMPTY'
  | 'CHANGED_WHILE_READING'
  | 'CANCELED'
  | 'TIMED_OUT'
  | 'TOO_MANY_ITEMS'
  | 'BATCH_TOO_LARGE'
  | 'TYPE_NOT_ALLOWED'
  | 'URL_NOT_ALLOWED'
  | 'URL_FETCH_FAILED'
  | 'MODEL_CANNOT_SEE'
  | 'DOES_NOT_FIT'
>;

/**
 * An expected refusal: a value, never thrown. Its words are made by `refusalText`, once for both
 * people and models, so that the reason is the same everywhere.
 */
export interface Refusal {
  readonly code: RefusalCode;
  /** The path or name as it was given. */
  readonly name: string;
  /** The media type that the content really has, where it was recognised: `image/heic`, `text/html`. */
  readonly trueType?: string;
  /** The figure that was found, in the unit of the code (bytes, pixels, frames, items). */
  readonly actual?: number;
  /** The limit in force, in the same unit. */
  readonly limit?: number;
  /** The picture's header says so much, for `CORRUPT`: the bytes end too early. */
  readonly truncated?: boolean;
  /**
   * What the decoder or operating system said, short and without paths of other files. For
   * `FORBIDDEN` whose list it is: `built-in` or `configured`. For `NOT_FOUND` `windows-path`, where
   * a path of Windows was given on another system, `short-reference`, where `attachment:` has fewer
   * than 12 digits, `file-not-folder`, where a file has this name without the slash at its end. For
   * `TOO_MANY_BYTES` and `TOO_MANY_PIXELS` `region-allowed`, where a region may be shown; for the
   * latter `costly-kind`, where the limit is that of a kind which costs more memory than others. For
   * `NOT_UTF8` the encoding. For `URL_NOT_ALLOWED` why:
   * `endpoint-without-urls`, `url-too-long`, `endpoint-without-files`,
   * `file-of-another-channel` or `bad-url`.
   */
  readonly detail?: string;
  /** What could have been meant, for `AMBIGUOUS_NAME`. */
  readonly candidates?: readonly string[];
}
