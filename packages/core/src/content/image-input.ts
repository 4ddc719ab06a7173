import Type from 'typebox';
import { AttachmentRef } from './attachment-ref.ts';

/**
 * One picture of a user's message, in the order in which the user gave them: stored bytes, an
 * http(s) URL that the user asked to pass through, or a file that the user keeps at a supplier,
 * which belongs to `channel` and to no other (requirement R049).
 *
 * Source: third origin document (ordered `image_inputs`), requirement R132.
 */
export const ImageInput = Type.Union([
  Type.Object({ attachment: AttachmentRef }),
  Type.Object({ url: Type.String({ pattern: '^[hH][tT][tT][pP][sS]?://' }) }),
  Type.Object({ file: Type.Object({ channel: Type.String(), id: Type.String() }) }),
]);
export type ImageInput = Type.Static<typeof ImageInput>;

/** An {@link ImageInput} that names a picture without holding it: nothing of it is stored. */
export type ImageLink = Exclude<ImageInput, { readonly attachment: unknown }>;

/**
 * A picture of an old message, which held its bytes itself. It is read, admitted in memory where it
 * is good, and never written: the schemas of stored messages do not know it (decision X8).
 */
export interface LegacyPicture {
  readonly dataUri: string;
}

/** A picture of a user's message that was read: as it is written now, or as it was written long ago. */
export type UserPicture = ImageInput | LegacyPicture;
