import Type from 'typebox';

/** Words, in any message. */
export const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() });
export type TextPart = Type.Static<typeof TextPart>;

/**
 * What a model thought before it answered. `signature` is an endpoint's own proof; `opaque` is what
 * it wants back unread: the data of a redacted thought (Anthropic Messages), or a whole reasoning
 * item as JSON text (Responses). Both are returned unmodified, and never sent to another endpoint
 * or model (wire-facts rules 38, 39 and 42).
 */
export const ThinkingPart = Type.Object({
  type: Type.Literal('thinking'),
  text: Type.String(),
  signature: Type.Optional(Type.String()),
  opaque: Type.Optional(Type.String()),
});
export type ThinkingPart = Type.Static<typeof ThinkingPart>;

/**
 * A model's request to run a tool. `arguments` is the JSON text exactly as the model wrote it (an
 * empty text means `{}`); it is parsed once, where the tool is executed.
 */
export const ToolCallPart = Type.Object({
  type: Type.Literal('tool-call'),
  toolCallId: Type.String(),
  name: Type.String(),
  arguments: Type.String(),
});
export type ToolCallPart = Type.Static<typeof ToolCallPart>;

/** The parts of an assistant message, in the order in which the model gave them. */
export const AssistantPart = Type.Union([TextPart, ThinkingPart, ToolCallPart]);
export type AssistantPart = Type.Static<typeof AssistantPart>;
