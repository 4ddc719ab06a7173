/**
 * Every error code of Fovea, with what it means. The union {@link ErrorCode} is derived from this
 * table, and `docs/reference/errors.md` is generated from it.
 *
 * Names of refusals are part of the outside interface (see `docs/reference/outside.md`): a code is
 * never renamed, only added.
 */
export const errorCodes = {
  // Refusals of admission: nothing was started, nothing was changed.
  NOT_FOUND: 'No file, folder or stored picture has this name.',
  AMBIGUOUS_NAME: 'Several files or sessions could be meant; the candidates are listed.',
  OUTSIDE_WORKSPACE: 'The path leaves the workspace. A model is told that it was not found.',
  FORBIDDEN: 'The path is on the list of forbidden files. A model is told that it was not found.',
  NOT_A_REGULAR_FILE: 'A folder, pipe, device or socket where a file was expected.',
  UNREADABLE: 'The operating system refused to open or read the file.',
  TOO_MANY_BYTES: 'The file is larger than the limit in force.',
  TOO_MANY_PIXELS: 'The picture has more pixels than the limit in force.',
  TOO_MANY_FRAMES: 'The animation has more frames than the limit in force.',
  UNSUPPORTED_FORMAT: 'A recognised picture, video, audio or document format that is not taken.',
  NOT_AN_IMAGE: 'The content is no picture: text, HTML, JSON or unknown bytes.',
  NOT_TEXT: 'The content is no text, where text was to be read.',
  NOT_UTF8: 'The text is in another encoding than UTF-8.',
  TEXT_TOO_LARGE: 'The text is larger than texts are read.',
  CORRUPT: 'The picture is truncated or cannot be decoded.',
  EMPTY: 'The file has no bytes.',
  CHANGED_WHILE_READING: 'The file changed while it was read.',
  CANCELED: 'The operation was cancelled.',
  TIMED_OUT: 'The operation took longer than its limit.',
  TOO_MANY_ITEMS: 'More attachments than one message may have.',
  BATCH_TOO_LARGE: 'The attachments of one message are too large in sum.',
  TYPE_NOT_ALLOWED: 'This kind of file may not be attached.',
  URL_NOT_ALLOWED: 'This URL may not be fetched.',
  URL_FETCH_FAILED: 'The URL could not be fetched.',
  MODEL_CANNOT_SEE: 'The model takes no pictures, and nothing is set up to describe them.',
  RECOGNITION_FAILED: 'The picture could not be described.',
  DOES_NOT_FIT: 'The pictures of this turn do not fit into the limits of the endpoint.',
  UNSUPPORTED_REVISION: 'The record was written by a newer Fovea.',
  // Wrong usage or configuration.
  USAGE: 'The command line is wrong.',
  CONFIG_INVALID: 'The configuration has an error; its file, line and key are named.',
  NO_MODEL_CHOSEN: 'Several models could answer and none was chosen.',
  UNKNOWN_CHANNEL: 'No channel has this name.',
  UNKNOWN_MODEL: 'The channel has no such model.',
  UNKNOWN_WIRE_API: 'This build does not speak the wire API of the channel.',
  KEY_MISSING: 'The key of the channel is not set.',
  SESSION_NOT_FOUND: 'No session has this id.',
  SESSION_BUSY: 'Another process is running a turn of this session.',
  SUBMISSION_CONFLICT: 'Another submission with other content was accepted under this id.',
  QUEUE_FULL: 'As many messages wait in the session as may wait.',
  QUEUE_READ_ONLY: 'The queue of the session was written by a newer Fovea and can only be read.',
  QUEUE_ITEM_NOT_FOUND: 'No message with this id waits in the session.',
  TEXT_TOO_LONG: 'The text is longer than a message may be.',
  // The endpoint or the model failed the turn.
  ENDPOINT_UNREACHABLE: 'No connection to the endpoint.',
  ENDPOINT_UNAUTHORIZED: 'The endpoint refused the key.',
  ENDPOINT_NOT_FOUND: 'The endpoint does not know the address or the model.',
  ENDPOINT_RATE_LIMITED: 'The endpoint asks to wait.',
  ENDPOINT_REFUSED: 'The endpoint refused the request.',
  ENDPOINT_FAILED: 'The endpoint reported an error of its own.',
  ENDPOINT_NOT_AN_API: 'The endpoint answered with something that is not its wire API, such as a web page.',
  STREAM_CUT: 'The answer ended before its end mark.',
  STREAM_IDLE: 'The endpoint sent nothing for longer than the idle limit.',
  STREAM_INVALID: 'The answer could not be understood.',
  OUTPUT_LIMIT: 'The answer reached the output limit.',
  ANSWER_EMPTY: 'The model answered neither words nor tool calls.',
  CONTENT_FILTERED: 'The endpoint withheld the answer.',
  STEP_LIMIT: 'The turn needed more steps than allowed.',
  // Tools.
  UNKNOWN_TOOL: 'No tool has this name.',
  INVALID_ARGUMENTS: 'The arguments of a tool call do not match its schema.',
  TOOL_FAILED: 'A tool ended with an error.',
  // The store.
  BLOB_MISSING: 'Stored bytes are missing.',
  BLOB_DAMAGED: 'Stored bytes do not match their digest.',
  STORE_UNAVAILABLE: 'The store could not be opened or written.',
  RECORD_INVALID: 'A stored record is not valid.',
  LEASE_LOST: 'Another process took the session over; this one may not write to it any more.',
  BOTH_IMAGE_FIELDS: 'A message has both `imageInputs` and the older `images`.',
  // Everything that should not happen.
  INTERNAL: 'A fault of Fovea itself.',
} as const;

/** One of the codes of {@link errorCodes}. Errors are told apart by it, never by their class or text. */
export type ErrorCode = keyof typeof errorCodes;
