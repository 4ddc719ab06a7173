import { isoTime, ok, type Result } from '@fovea/core/base';
import type { ReferenceNoticeEvent, RefusedItem, SubmissionReceipt } from '@fovea/core/content';
import type { TurnInput } from '../fovea.ts';
import type { Services } from '../services.ts';
import { requireStoredSession } from '../stored-sessions.ts';
import { digestSubmission } from './digest-submission.ts';
import { prepareSubmission } from './prepare-submission.ts';
import { settleDeadTurn } from './settle-dead-turn.ts';

export interface AcceptedSubmission {
  readonly receipt: SubmissionReceipt;
  /** What `@path` named and may not be read. */
  readonly notices: readonly ReferenceNoticeEvent[];
}

/**
 * Takes one submission into the queue of its session: it is durable when this resolves, and this
 * process works on the queue from then on. One that was accepted before is not looked at again.
 * Fails with every item that was refused. Throws as `Fovea.submit`.
 */
export async function acceptSubmission(
  input: TurnInput,
  services: Services,
): Promise<Result<AcceptedSubmission, readonly RefusedItem[]>> {
  const { ids, clock } = services;
  const store = await services.openStore('write');
  const session = await requireStoredSession(input.sessionId, services);
  const desk = (await services.openDesks()).at(session.id);
  const submissionId = input.submissionId ?? ids.next('sub');
  const named = { submissionId, contentDigest: digestSubmission(input) };
  let receipt = input.submissionId === undefined ? undefined : await store.queue.findReceipt(session.id, named);
  let notices: AcceptedSubmission['notices'] = [];
  if (receipt === undefined) {
    if (input.edits !== undefined) await store.turnRecords.requireEditable(session.id, input.edits);
    const prepared = await prepareSubmission({ ...input, submissionId }, { session, store }, services);
    if (!prepared.ok) return prepared;
    ({ notices } = prepared.value);
    await settleDeadTurn(session.id, store, services);
    receipt = await store.queue.enqueue({
      sessionId: session.id,
      itemId: ids.next('item'),
      turnId: ids.next('turn'),
      createdAt: isoTime(clock),
      contentDigest: named.contentDigest,
      submission: prepared.value.submission,
    });
  }
  if (input.approver !== undefined) desk.approvers.offer(receipt.turnId, input.approver);
  desk.hub.noteChange();
  if (receipt.state === 'done') desk.runner.wake();
  else desk.runner.own(receipt.turnId);
  return ok({ receipt, notices });
}
