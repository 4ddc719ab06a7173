import type { Approver } from '@fovea/core/agent';
import type { QueueItem } from '@fovea/core/content';
import { createApprover } from '../create-approver.ts';

/** Who decides about the calls of a session's turns, as far as this process knows. */
export class Approvers {
  readonly #byTurn = new Map<string, Approver>();
  #ofConversation: Approver | undefined;

  /** `approver` came with the submission of the turn, and stands for whoever works on the session here. */
  offer(turnId: string, approver: Approver): void {
    this.#byTurn.set(turnId, approver);
    this.#ofConversation = approver;
  }

  /** `approver` stands for whoever works on the session here. */
  offerAlways(approver: Approver): void {
    this.#ofConversation = approver;
  }

  /** Who came with the item, what its sender allowed beforehand, or who works on the session here; else nobody. */
  find({ turnId, consent }: Pick<QueueItem, 'turnId' | 'consent'>): Approver | undefined {
    return this.#byTurn.get(turnId) ?? createApprover(consent) ?? this.#ofConversation;
  }

  forget({ turnId }: Pick<QueueItem, 'turnId'>): void {
    this.#byTurn.delete(turnId);
  }
}
