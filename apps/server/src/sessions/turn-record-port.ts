import type { TurnServices } from '@fovea/core/agent';
import { admitLegacyPictures } from '@fovea/core/attachments';
import type { Store } from '@fovea/core/store';
import type { imageLimitsFor } from '../admission-limits.ts';

/** What the process learns of a turn while it writes its records. */
export interface TurnWatch {
  /** Its caller has left: then it is not stopped but interrupted. */
  readonly isLeft: boolean;
  /** Waiting messages have become part of the turn. */
  noteJoined(): void;
}

/**
 * The records of one turn as the agent sees them. Pictures that old messages hold themselves are
 * attachments for the turn, and stay in their rows as they are.
 */
export function createTurnRecordPort(
  records: Store['turnRecords'],
  options: {
    readonly blobs: Store['blobs'];
    readonly limits: ReturnType<typeof imageLimitsFor>;
    readonly watch: TurnWatch;
  },
): TurnServices['records'] {
  const { blobs, limits, watch } = options;
  return {
    startTurn: (turn, message, place) => records.startTurn(turn, message, place),
    noteEffects: (turnId) => records.noteEffects(turnId),
    async joinSteering(turn, toMessage) {
      const joined = await records.joinSteering(turn, toMessage);
      if (joined.length > 0) watch.noteJoined();
      return joined;
    },
    appendMessages: (sessionId, messages) => records.appendMessages(sessionId, messages),
    endTurn: (turnId, end) => records.endTurn(turnId, { ...end, status: statusOf(end.status, watch) }),
    loadTranscript: async (sessionId) => {
      return admitLegacyPictures(await records.loadTranscript(sessionId), {
        ...{ limits, blobs },
        keep: (pictures) => records.keepOldPictures(sessionId, pictures),
      });
    },
    findVariant: (originalDigest, variantKey) => records.findVariant(originalDigest, variantKey),
    saveVariant: (sessionId, record) => records.saveVariant(sessionId, record),
    holdVariant: (sessionId, record) => records.holdVariant(sessionId, record),
    takeRequestNumber: (sessionId) => records.takeRequestNumber(sessionId),
    loadPlan: (sessionId, endpointId) => records.loadPlan(sessionId, endpointId),
    savePlan: (plan) => records.savePlan(plan),
  };
}

/** A turn whose caller left is ended as if it was stopped, and counts as interrupted. */
export function statusOf<Status extends string>(
  status: Status,
  { isLeft }: Pick<TurnWatch, 'isLeft'>,
): Status | 'interrupted' {
  return isLeft && status === 'stopped' ? 'interrupted' : status;
}
