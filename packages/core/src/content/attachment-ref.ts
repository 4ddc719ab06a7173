import Type from 'typebox';
import type { Digest } from '../base/ids.ts';

/**
 * A file that was taken into the store. `digest` names the exact bytes; `widthPx` and `heightPx`
 * are those of the upright picture (orientation applied) and absent for other kinds of file.
 * `name` is what the user or tool called it, unchanged.
 */
export const AttachmentRef = Type.Object({
  digest: Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
  mediaType: Type.String(),
  sizeBytes: Type.Integer({ minimum: 0 }),
  widthPx: Type.Optional(Type.Integer({ minimum: 1 })),
  heightPx: Type.Optional(Type.Integer({ minimum: 1 })),
  name: Type.String(),
});
export type AttachmentRef = Type.Static<typeof AttachmentRef>;

/** An {@link AttachmentRef} of a picture: its size is always known, because it was decoded whole. */
export type ImageRef = AttachmentRef & { readonly widthPx: number; readonly heightPx: number };

export function isImageRef(reference: AttachmentRef): reference is ImageRef {
  return reference.widthPx !== undefined && reference.heightPx !== undefined;
}
