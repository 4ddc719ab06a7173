import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { ImageSlot } from '../json-body.ts';

// What is sent. `Url` is a string on the wire; before writing it is a slot for the picture's bytes.

export interface ChatTextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ChatImagePart<Url = ImageSlot | string> {
  readonly type: 'image_url';
  readonly image_url: { readonly url: Url; readonly detail?: string };
}

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage<Url = ImageSlot | string> =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly (ChatTextPart | ChatImagePart<Url>)[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      /** Not in OpenAI's own API; see `ReasoningReplay`. */
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** The body, without the supplier fields that the user adds. `messages` is last, so that bodies share a prefix. */
export interface ChatRequestBody<Url = ImageSlot | string> {
  readonly model: string;
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly reasoning_effort?: string;
  readonly tools?: readonly ChatTool[];
  readonly messages: readonly ChatMessage<Url>[];
}

// What is received: only the fields that are used, everything optional that some server leaves out.

const Maybe = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

export const ChatToolCallDelta = Type.Object({
  index: Maybe(Type.Integer({ minimum: 0 })),
  id: Maybe(Type.String()),
  function: Maybe(
    Type.Object({
      name: Maybe(Type.String()),
      /** JSON text; a few servers send the object itself. */
      arguments: Type.Optional(Type.Unknown()),
    }),
  ),
});
export type ChatToolCallDelta = Type.Static<typeof ChatToolCallDelta>;

export const ChatDelta = Type.Object({
  /** Text; a few servers send a list of text parts. */
  content: Type.Optional(Type.Unknown()),
  refusal: Maybe(Type.String()),
  reasoning_content: Maybe(Type.String()),
  reasoning: Maybe(Type.String()),
  tool_calls: Maybe(Type.Array(ChatToolCallDelta)),
});
export type ChatDelta = Type.Static<typeof ChatDelta>;

export const ChatChunk = Type.Object({
  choices: Maybe(
    Type.Array(
      Type.Object({
        index: Maybe(Type.Number()),
        delta: Maybe(ChatDelta),
        /** Of an answer that came whole. */
        message: Maybe(ChatDelta),
        finish_reason: Maybe(Type.String()),
      }),
    ),
  ),
  /** Checked apart: an odd count is no reason to lose an answer. */
  usage: Type.Optional(Type.Unknown()),
});
export type ChatChunk = Type.Static<typeof ChatChunk>;

const Count = Type.Integer({ minimum: 0 });

export const ChatUsage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: Maybe(Type.Object({ cached_tokens: Maybe(Count) })),
  /** DeepSeek's name for the cached ones. */
  prompt_cache_hit_tokens: Maybe(Count),
});
export type ChatUsage = Type.Static<typeof ChatUsage>;

export const chatChunkValidator = Compile(ChatChunk);
export const chatUsageValidator = Compile(ChatUsage);
