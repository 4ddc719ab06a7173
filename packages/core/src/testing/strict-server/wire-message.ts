/** A tool call as it stands in a request; fields of a wrong type are empty. */
export interface WireToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A message of a request, read leniently: for checks, scripts and assertions. */
export interface WireMessage {
  readonly index: number;
  /** As it came; `undefined` when it is no string. */
  readonly role: string | undefined;
  /** Its words: the string, or its text parts, one a line. */
  readonly text: string;
  /** Types of its parts in order; empty when its content is a string or absent. */
  readonly partTypes: readonly string[];
  readonly toolCalls: readonly WireToolCall[];
  readonly toolCallId: string | undefined;
  /** The message as it came. */
  readonly value: Readonly<Record<string, unknown>>;
}
