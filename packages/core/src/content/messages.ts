import Type from 'typebox';
import type { Digest } from '../base/ids.ts';
import { FileReference } from './file-reference.ts';
import { ImageInput, type UserPicture } from './image-input.ts';
import { AssistantPart, type ToolCallPart } from './parts.ts';
import { PictureRegion } from './picture-region.ts';
import { Usage } from './usage.ts';

const common = { id: Type.String(), turnId: Type.String(), createdAt: Type.String() };

/**
 * What the user sent: `content` exactly as typed, pictures and what `@path` named beside it. Nothing
 * synthetic is stored. A message that was read may hold a `LegacyPicture`; this schema, by which
 * messages are stored, refuses it. Read with `parseMessage`.
 */
export const UserMessage = Type.Object({
  ...common,
  role: Type.Literal('user'),
  content: Type.String(),
  imageInputs: Type.Unsafe<UserPicture[]>(Type.Array(ImageInput)),
  references: Type.Optional(Type.Array(FileReference)),
});
export type UserMessage = Type.Static<typeof UserMessage>;

/**
 * What a model answered in one step. `model` names who answered (`channel/model`), `endpointId` its
 * `endpointIdentity`: thinking goes back to nobody else. `status` is `interrupted` when the answer
 * is only a part, because the user stopped it.
 */
export const AssistantMessage = Type.Object({
  ...common,
  role: Type.Literal('assistant'),
  parts: Type.Array(AssistantPart),
  model: Type.String(),
  endpointId: Type.Optional(Type.String()),
  status: Type.Union([Type.Literal('completed'), Type.Literal('interrupted')]),
  usage: Type.Optional(Usage),
});
export type AssistantMessage = Type.Static<typeof AssistantMessage>;

/**
 * A picture that a tool gave. Field names are those of the first origin document, section 5.6,
 * without its `data_uri`: the bytes are in the store under `digest` (decision X8). `width` and
 * `height` are those of the upright original, also where only a `region` of it is shown.
 */
export const ToolAttachment = Type.Object({
  mime: Type.String(),
  path: Type.String(),
  digest: Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  size_bytes: Type.Integer({ minimum: 0 }),
  region: Type.Optional(PictureRegion),
});
export type ToolAttachment = Type.Static<typeof ToolAttachment>;

/**
 * A picture that the result of a tool held itself in storage revision 1. It is read, admitted in
 * memory where it is good, and never written (decision X8).
 */
export interface LegacyToolPicture {
  readonly mime: string;
  readonly path: string;
  readonly dataUri: string;
}

/** What a tool did to one file, for people: a unified diff, cut where it is long. */
export const FileDiff = Type.Object({
  /** Relative to the workspace, with forward slashes; absolute outside of it. */
  path: Type.String(),
  isNew: Type.Boolean(),
  addedLines: Type.Integer({ minimum: 0 }),
  removedLines: Type.Integer({ minimum: 0 }),
  text: Type.String(),
  isCut: Type.Boolean(),
});
export type FileDiff = Type.Static<typeof FileDiff>;

/** What belongs to a result beside its text. `legacyPictures` only where an old message was read. */
export interface ToolMetadata {
  attachments: ToolAttachment[];
  diff?: FileDiff;
  legacyPictures?: readonly LegacyToolPicture[];
}

/**
 * The answer to one tool call. `content` is text only, the neutral result (decision X4): whether a
 * model sees the pictures, gets a description or a notice is decided for each request.
 */
export const ToolMessage = Type.Object({
  ...common,
  role: Type.Literal('tool'),
  toolCallId: Type.String(),
  toolName: Type.String(),
  content: Type.String(),
  isError: Type.Boolean(),
  metadata: Type.Unsafe<ToolMetadata>(
    Type.Object({ attachments: Type.Array(ToolAttachment), diff: Type.Optional(FileDiff) }),
  ),
});
export type ToolMessage = Type.Static<typeof ToolMessage>;

/** One stored message. A transcript is a list of them, oldest first. */
export const Message = Type.Union([UserMessage, AssistantMessage, ToolMessage]);
export type Message = Type.Static<typeof Message>;

export type Transcript = readonly Message[];

/** The tool calls of an assistant message, in call order. */
export function toolCallsOf(message: AssistantMessage): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}

/** The words of an assistant message, without thinking and tool calls. */
export function textOf(message: AssistantMessage): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
