import { AppError } from '../base/app-error.ts';
import { QUEUE_ITEMS, QUEUE_TEXT_BYTES } from '../content/queue-item.ts';

export function queueReadOnly(sessionId: string): AppError {
  return new AppError(
    'QUEUE_READ_ONLY',
    `a newer Fovea wrote the queue of the session ${sessionId}: it can be read, and not be changed or run`,
    { data: { sessionId } },
  );
}

export function queueItemNotFound(sessionId: string, itemId: string): AppError {
  return new AppError('QUEUE_ITEM_NOT_FOUND', `no message with the id ${itemId} waits in the session ${sessionId}`, {
    data: { sessionId, itemId },
  });
}

export function submissionConflict(sessionId: string, submissionId: string): AppError {
  return new AppError('SUBMISSION_CONFLICT', `other content was submitted as ${submissionId} before`, {
    data: { sessionId, submissionId },
  });
}

/** Throws `TEXT_TOO_LONG` (`data`: `actual` and `limit`, in bytes). */
export function refuseLongText(text: string): void {
  const actual = Buffer.byteLength(text);
  if (actual <= QUEUE_TEXT_BYTES) return;
  throw new AppError('TEXT_TOO_LONG', `the text has ${actual} bytes, and a message may have ${QUEUE_TEXT_BYTES}`, {
    data: { actual, limit: QUEUE_TEXT_BYTES },
  });
}

export function queueFull(sessionId: string): AppError {
  return new AppError('QUEUE_FULL', `${QUEUE_ITEMS} messages wait in the session ${sessionId}: no more may`, {
    data: { sessionId, limit: QUEUE_ITEMS },
  });
}
