import type { Selectable } from 'kysely';
import { assertNever } from '../base/assert-never.ts';
import type { TurnStatus } from '../content/events.ts';
import type { QueueHold } from '../content/queue-item.ts';
import type { Writer } from './database.ts';
import { lockQueue } from './lock-queue.ts';
import { holdQueue } from './queue-writes.ts';
import type { Tables } from './tables.ts';

/**
 * What waits behind a turn that did not end well waits on until the user goes on: it was written in
 * the expectation of that turn's answer. In the transaction that ends the turn, so that no crash in
 * between lets it run.
 */
export async function holdBehind(
  writer: Writer,
  turn: Pick<Selectable<Tables['turns']>, 'session_id' | 'owner' | 'has_effects'>,
  status: TurnStatus,
): Promise<void> {
  const because = reasonToHold(status, turn.has_effects === 1);
  if (because === undefined) return;
  await lockQueue(writer, { sessionId: turn.session_id, owner: turn.owner });
  await holdQueue(writer, turn.session_id, because);
}

function reasonToHold(status: TurnStatus, mayHaveChanged: boolean): QueueHold | undefined {
  switch (status) {
    case 'completed':
      return undefined;
    case 'failed':
    case 'stopped':
      return status;
    case 'interrupted':
      return mayHaveChanged ? 'interrupted' : undefined;
    default:
      return assertNever(status);
  }
}
