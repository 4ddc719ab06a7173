import type { SubmissionReceipt } from '../content/queue-item.ts';
import { encodeLine } from './codec.ts';
import type { Reader } from './database.ts';
import type { QueuePlace } from './lock-queue.ts';
import { submissionConflict } from './queue-faults.ts';
import { parseReceipt } from './queue-rows.ts';

/**
 * The receipt of a submission that was accepted; with a `contentDigest` throws `SUBMISSION_CONFLICT`
 * when it was another content.
 */
export async function readReceipt(
  reader: Reader,
  { sessionId, owner }: QueuePlace,
  { submissionId, contentDigest }: { readonly submissionId: string; readonly contentDigest?: string },
): Promise<SubmissionReceipt | undefined> {
  const row = await reader
    .selectFrom('queue_items')
    .select(['id', 'session_id', 'schema_version', 'submission_id', 'content_digest', 'turn_id', 'state'])
    .where('session_id', '=', sessionId)
    .where('submission_id', '=', encodeLine(submissionId))
    .where('owner', '=', owner)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (contentDigest !== undefined && contentDigest !== row.content_digest) {
    throw submissionConflict(sessionId, submissionId);
  }
  return parseReceipt(row);
}
