import Type from 'typebox';
import { AttachmentRef } from './attachment-ref.ts';

/**
 * One picture of a user's message, in the order in which the user gave them: stored bytes, a URL
 * that the user asked to pass through, or a file that the user keeps at a supplier.
 *
 * Source: third origin document (ordered `image_inputs`), requirement R132.
 */
export const ImageInput = Type.Union([
  Type.Object({ attachment: AttachmentRef }),
  Type.Object({ url: Type.String() }),
  Type.Object({ file: Type.Object({ channel: Type.String(), id: Type.String() }) }),
]);
export type ImageInput = Type.Static<typeof ImageInput>;
