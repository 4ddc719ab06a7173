import Type from 'typebox';

/**
 * What a user's `@path` named when the message was sent, stored beside the text, which stays
 * exactly as typed (decision X15): the text of a file, at most 64 KiB of it, or the names in a
 * folder, at most 100 of them. A picture is no reference: it becomes an attachment. `instructions`
 * are those of the workspace, where they are no longer what the conversation was told last.
 *
 * `path` is relative to the workspace, or below an alias, with forward slashes.
 */
export const FileReference = Type.Union([
  Type.Object({
    kind: Type.Literal('text'),
    path: Type.String(),
    text: Type.String(),
    /** Of the whole file. */
    sizeBytes: Type.Integer({ minimum: 0 }),
    /** `text` is only the beginning. */
    isCut: Type.Boolean(),
  }),
  Type.Object({
    kind: Type.Literal('folder'),
    path: Type.String(),
    /** Sorted; folders end with a slash. */
    names: Type.Array(Type.String()),
    /** All entries, also those that are not named here. */
    entryCount: Type.Integer({ minimum: 0 }),
  }),
  Type.Object({
    kind: Type.Literal('instructions'),
    path: Type.String(),
    /** Empty: the file is gone. */
    text: Type.String(),
    isCut: Type.Boolean(),
  }),
]);
export type FileReference = Type.Static<typeof FileReference>;
