import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { ImageSlot } from '../json-body.ts';

// What is sent. `Url` is a string on the wire; before writing it is a slot for the picture's bytes.

export interface ResponsesTextPart {
  readonly type: 'input_text';
  readonly text: string;
}

/** Exactly one of `image_url` and `file_id`. */
export type ResponsesImagePart<Url = ImageSlot | string> = {
  readonly type: 'input_image';
  readonly detail?: string;
} & (
  | { readonly image_url: Url; readonly file_id?: undefined }
  | { readonly file_id: string; readonly image_url?: undefined }
);

export type ResponsesInputPart<Url = ImageSlot | string> = ResponsesTextPart | ResponsesImagePart<Url>;

export interface ResponsesUserItem<Url = ImageSlot | string> {
  readonly type: 'message';
  readonly role: 'user' | 'system';
  readonly content: readonly ResponsesInputPart<Url>[];
}

/** Without the id that it had in an answer: nothing is stored at the endpoint that an id could name. */
export interface ResponsesAssistantItem {
  readonly type: 'message';
  readonly role: 'assistant';
  readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
}

export interface ResponsesCallItem {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ResponsesOutputItem<Url = ImageSlot | string> {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string | readonly ResponsesInputPart<Url>[];
}

/** As the endpoint gave it. */
export type ResponsesReasoningItem = Readonly<Record<string, unknown>> & { readonly type: 'reasoning' };

export type ResponsesInputItem<Url = ImageSlot | string> =
  | ResponsesUserItem<Url>
  | ResponsesAssistantItem
  | ResponsesReasoningItem
  | ResponsesCallItem
  | ResponsesOutputItem<Url>;

export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: false;
}

/** The body, without the supplier fields that the user adds. `input` is last, so that bodies share a prefix. */
export interface ResponsesRequestBody<Url = ImageSlot | string> {
  readonly model: string;
  readonly stream: true;
  readonly store: boolean;
  readonly include: readonly ['reasoning.encrypted_content'];
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly reasoning?: { readonly effort: string };
  readonly tools?: readonly ResponsesTool[];
  readonly instructions?: string;
  readonly input: readonly ResponsesInputItem<Url>[];
}

// What is received: only the fields that are used, everything optional that some server leaves out.

const Maybe = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));

const Index = Maybe(Type.Integer({ minimum: 0 }));

/** A piece of a text, or all of it. */
export const ResponsesTextEvent = Type.Object({
  item_id: Maybe(Type.String()),
  output_index: Index,
  content_index: Index,
  summary_index: Index,
  delta: Maybe(Type.String()),
  text: Maybe(Type.String()),
  refusal: Maybe(Type.String()),
});
export type ResponsesTextEvent = Type.Static<typeof ResponsesTextEvent>;

export const ResponsesArgumentsEvent = Type.Object({
  item_id: Maybe(Type.String()),
  output_index: Index,
  delta: Maybe(Type.String()),
  arguments: Maybe(Type.String()),
});
export type ResponsesArgumentsEvent = Type.Static<typeof ResponsesArgumentsEvent>;

const Part = Type.Object({ type: Maybe(Type.String()), text: Maybe(Type.String()), refusal: Maybe(Type.String()) });

/** An item of an answer of a type that matters here; others may have any form. */
export const ResponsesItem = Type.Object({
  type: Type.Union([Type.Literal('message'), Type.Literal('reasoning'), Type.Literal('function_call')]),
  id: Maybe(Type.String()),
  status: Maybe(Type.String()),
  call_id: Maybe(Type.String()),
  name: Maybe(Type.String()),
  /** JSON text; a few servers send the object itself. */
  arguments: Type.Optional(Type.Unknown()),
  content: Maybe(Type.Array(Part)),
  summary: Maybe(Type.Array(Part)),
});
export type ResponsesItem = Type.Static<typeof ResponsesItem>;

export const ResponsesItemEvent = Type.Object({ output_index: Index, item: Type.Object({ type: Type.String() }) });
export type ResponsesItemEvent = Type.Static<typeof ResponsesItemEvent>;

export const ResponsesWhole = Type.Object({
  status: Maybe(Type.String()),
  incomplete_details: Maybe(Type.Object({ reason: Maybe(Type.String()) })),
  output: Maybe(Type.Array(Type.Unknown())),
  /** Checked apart: an odd count is no reason to lose an answer. */
  usage: Type.Optional(Type.Unknown()),
  /** Not in every version of the API: what the endpoint left out of the request. */
  input_transformations: Type.Optional(Type.Unknown()),
});
export type ResponsesWhole = Type.Static<typeof ResponsesWhole>;

export const ResponsesEndEvent = Type.Object({ response: ResponsesWhole });

const Count = Type.Integer({ minimum: 0 });

export const ResponsesUsage = Type.Object({
  input_tokens: Count,
  output_tokens: Count,
  input_tokens_details: Maybe(Type.Object({ cached_tokens: Maybe(Count) })),
});
export type ResponsesUsage = Type.Static<typeof ResponsesUsage>;

export const responsesTextValidator = Compile(ResponsesTextEvent);
export const responsesArgumentsValidator = Compile(ResponsesArgumentsEvent);
export const responsesItemValidator = Compile(ResponsesItem);
export const responsesItemEventValidator = Compile(ResponsesItemEvent);
export const responsesWholeValidator = Compile(ResponsesWhole);
export const responsesEndValidator = Compile(ResponsesEndEvent);
export const responsesUsageValidator = Compile(ResponsesUsage);
