import { fail, ok, type Result } from '../base/result.ts';
import type { AttachmentRef } from '../content/attachment-ref.ts';
import type { ImageInput, UserPicture } from '../content/image-input.ts';
import { type ListedQueueItem, QUEUE_SCHEMA, type QueueItemError } from '../content/queue-item.ts';
import type { Codec } from './codec.ts';
import { addEdges, type ContentEdge } from './content-graph.ts';
import type { Writer } from './database.ts';
import type { QueuePlace } from './lock-queue.ts';
import { encodeBody } from './queue-rows.ts';

/** Takes a picture that an old item holds itself into the store. `name` is what it is called from then on. */
export type AdmitLegacyPicture = (dataUri: string, name: string) => Promise<Result<AttachmentRef, QueueItemError>>;

/** An item of an older schema, and its pictures as they are kept now, or why they are not. */
interface AdmittedItem {
  readonly item: ListedQueueItem;
  readonly imageInputs: Result<readonly ImageInput[], QueueItemError>;
}

/** The pictures of old items, admitted one after the other: each may be as large as an attachment may be. */
export async function admitItems(
  items: readonly ListedQueueItem[],
  admit: AdmitLegacyPicture,
): Promise<readonly AdmittedItem[]> {
  const admitted: AdmittedItem[] = [];
  for (const item of items) admitted.push({ item, imageInputs: await admitPictures(item.imageInputs, admit) });
  return admitted;
}

/**
 * Rewrites an item in the schema of this build, with a submission and a turn of its own. One whose
 * pictures were not taken stays as it is and says why: it is blocked when its turn comes.
 */
export async function upgradeItem(
  writer: Writer,
  { item, imageInputs }: AdmittedItem,
  { sessionId, owner, codec }: QueuePlace & { readonly codec: Codec },
): Promise<void> {
  const columns = imageInputs.ok
    ? {
        schema_version: QUEUE_SCHEMA,
        submission_id: item.submissionId,
        turn_id: item.turnId,
        body: encodeBody({ ...item, imageInputs: imageInputs.value }, codec),
        error: null,
      }
    : { error: codec.encodeJson(imageInputs.error) };
  const changed = await writer
    .updateTable('queue_items')
    .set(columns)
    .where('id', '=', item.id)
    .where('state', '=', item.state)
    .where('schema_version', '<', QUEUE_SCHEMA)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined || !imageInputs.ok) return;
  await addEdges(writer, { id: sessionId, owner }, edgesOfItem(item.id, imageInputs.value));
}

/** The edges of an item: one for each stored picture. */
export function edgesOfItem(itemId: string, imageInputs: readonly ImageInput[]): readonly ContentEdge[] {
  return imageInputs.flatMap((input) =>
    'attachment' in input ? [{ kind: 'queue-item', sourceId: itemId, digest: input.attachment.digest } as const] : [],
  );
}

async function admitPictures(
  pictures: readonly UserPicture[],
  admit: AdmitLegacyPicture,
): Promise<Result<readonly ImageInput[], QueueItemError>> {
  const inputs: ImageInput[] = [];
  for (const [index, picture] of pictures.entries()) {
    if (!('dataUri' in picture)) {
      inputs.push(picture);
      continue;
    }
    const admitted = await admit(picture.dataUri, `image-${index + 1}`);
    if (!admitted.ok) return admitted;
    inputs.push({ attachment: admitted.value });
  }
  return ok(inputs);
}

/** Where nobody is there to admit pictures. */
export const admitNone: AdmitLegacyPicture = async (_dataUri, name) =>
  fail({ code: 'BLOB_MISSING', message: `${name} was not taken into the store; remove the message and send it again` });

/** Why the turn of an item that waits cannot begin, where its upgrade did not say it. */
export function whyNotRunnable(item: ListedQueueItem): QueueItemError {
  return item.isUnreadable === true
    ? { code: 'RECORD_INVALID', message: 'the stored message is damaged and cannot be read' }
    : { code: 'BLOB_MISSING', message: 'a picture of the message was not taken into the store' };
}
