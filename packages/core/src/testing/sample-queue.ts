import type { AttachmentRef } from '../content/attachment-ref.ts';
import type { Submission } from '../content/queue-item.ts';
import type { NewQueueItem } from '../store/queue-writes.ts';
import { sampleDigest } from './sample-records.ts';

/** A picture whose bytes are nowhere. */
export function sampleAttachment(character: string): AttachmentRef {
  return {
    digest: sampleDigest(character),
    mediaType: 'image/png',
    sizeBytes: 123,
    widthPx: 10,
    heightPx: 20,
    name: `${character}.png`,
  };
}

/** `item_<name>` of the session `ses_1`, with the submission `sub_<name>` and the turn `turn_<name>`. */
export function sampleQueueItem(name: string, changes: Partial<Submission> = {}): NewQueueItem {
  return {
    sessionId: 'ses_1',
    itemId: `item_${name}`,
    turnId: `turn_${name}`,
    createdAt: '2026-01-02T00:00:00.000Z',
    contentDigest: `digest of ${name}`,
    submission: {
      submissionId: `sub_${name}`,
      intent: 'follow-up',
      text: `Message ${name}`,
      imageInputs: [],
      references: [],
      model: 'offline/reader',
      consent: 'none',
      ...changes,
    },
  };
}
