import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { ImageSlot } from '../json-body.ts';

// What is sent. `Data` is a string on the wire; before writing it is a slot for the picture's bytes.

export interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral' };
}

export interface MessagesTextBlock extends CacheMark {
  readonly type: 'text';
  readonly text: string;
}

export type MessagesImageSource<Data = ImageSlot> =
  | { readonly type: 'base64'; readonly media_type: MessagesMediaType; readonly data: Data }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'file'; readonly file_id: string };

export type MessagesMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export interface MessagesImageBlock<Data = ImageSlot> extends CacheMark {
  readonly type: 'image';
  readonly source: MessagesImageSource<Data>;
}

export interface MessagesToolResultBlock<Data = ImageSlot> extends CacheMark {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly (MessagesTextBlock | MessagesImageBlock<Data>)[];
  readonly is_error?: true;
}

export interface MessagesToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type MessagesThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

export type MessagesUserBlock<Data = ImageSlot> =
  | MessagesTextBlock
  | MessagesImageBlock<Data>
  | MessagesToolResultBlock<Data>;

export type MessagesAssistantBlock = MessagesTextBlock | MessagesToolUseBlock | MessagesThinkingBlock;

export type MessagesTurn<Data = ImageSlot> =
  | { readonly role: 'user'; readonly content: readonly MessagesUserBlock<Data>[] }
  | { readonly role: 'assistant'; readonly content: readonly MessagesAssistantBlock[] };

export interface MessagesTool extends CacheMark {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The body, without the supplier fields that the user adds. `messages` is last, so that bodies share a prefix. */
export interface MessagesRequestBody<Data = ImageSlot> {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly temperature?: number;
  readonly output_config?: { readonly effort: string };
  readonly tools?: readonly MessagesTool[];
  readonly system?: string | readonly MessagesTextBlock[];
  readonly messages: readonly MessagesTurn<Data>[];
}

// What is received: only the fields that are used, everything optional that some server leaves out.

const Maybe = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A block as it starts in a stream, or whole. */
export const MessagesBlock = Type.Object({
  type: Type.String(),
  text: Maybe(Type.String()),
  thinking: Maybe(Type.String()),
  signature: Maybe(Type.String()),
  data: Maybe(Type.String()),
  id: Maybe(Type.String()),
  name: Maybe(Type.String()),
  input: Type.Optional(Type.Unknown()),
});
export type MessagesBlock = Type.Static<typeof MessagesBlock>;

export const MessagesDelta = Type.Object({
  type: Type.String(),
  text: Maybe(Type.String()),
  thinking: Maybe(Type.String()),
  signature: Maybe(Type.String()),
  partial_json: Maybe(Type.String()),
});
export type MessagesDelta = Type.Static<typeof MessagesDelta>;

const Index = Type.Integer({ minimum: 0 });

/** Events of a stream by their `type`; others (`ping`, what is new) say nothing of ours. */
export const messagesEventValidators = {
  message_start: Compile(Type.Object({ message: Type.Object({ usage: Type.Optional(Type.Unknown()) }) })),
  content_block_start: Compile(Type.Object({ index: Index, content_block: MessagesBlock })),
  content_block_delta: Compile(Type.Object({ index: Index, delta: MessagesDelta })),
  message_delta: Compile(
    Type.Object({
      delta: Maybe(Type.Object({ stop_reason: Maybe(Type.String()) })),
      /** Checked apart: an odd count is no reason to lose an answer. */
      usage: Type.Optional(Type.Unknown()),
    }),
  ),
};

export const messagesBlockValidator = Compile(MessagesBlock);

/** An answer that came whole. */
export const messagesAnswerValidator = Compile(
  Type.Object({
    /** Each checked apart: one that is not known is read over. */
    content: Type.Array(Type.Unknown()),
    stop_reason: Maybe(Type.String()),
    usage: Type.Optional(Type.Unknown()),
  }),
);

const Count = Type.Integer({ minimum: 0 });

/** At the start and at the end of an answer; what is absent at the end is as it was at the start. */
export const MessagesUsage = Type.Object({
  input_tokens: Maybe(Count),
  cache_creation_input_tokens: Maybe(Count),
  cache_read_input_tokens: Maybe(Count),
  output_tokens: Maybe(Count),
});
export type MessagesUsage = Type.Static<typeof MessagesUsage>;

export const messagesUsageValidator = Compile(MessagesUsage);
