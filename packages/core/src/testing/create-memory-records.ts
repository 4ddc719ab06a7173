import { Compile } from 'typebox/compile';
import type { ApprovalRecords, FileChangeRecords, TurnRecords } from '../agent/ports.ts';
import { AppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import type { FileChangeRecord } from '../content/file-change-record.ts';
import { Message } from '../content/messages.ts';
import type { QueueItem } from '../content/queue-item.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';

/** {@link TurnRecords} in memory, with windows for assertions. */
export interface MemoryRecords extends TurnRecords {
  /** Every turn, in the order in which they were started. */
  turns(): readonly TurnRecord[];
  /** Adds an item that waits to join the running turn of its session. */
  steer(item: QueueItem): void;
  /** Of which it is noted that they may have changed something. */
  turnsWithEffects(): readonly string[];
  /** Every variant, in the order in which they were saved. */
  variants(): readonly VariantRecord[];
  /** What the session's content graph reaches: digests of its messages, variants and file changes, sorted. */
  reachableDigests(sessionId: string): readonly Digest[];
  readonly approvals: ApprovalRecords;
  readonly fileChanges: FileChangeRecords;
}

const messageCheck = Compile(Message);

/**
 * Records that behave like the store's without one: what is read is a copy, an invalid message or
 * an id that is already there is refused with `RECORD_INVALID`, a second running turn of a session
 * with `SESSION_BUSY`, and each method changes all or nothing. What an edit leaves behind is gone.
 */
export function createMemoryRecords(): MemoryRecords {
  const turns = new Map<string, TurnRecord>();
  const messages = new Map<string, Message[]>();
  const messageIds = new Set<string>();
  const variants = new Map<string, VariantRecord>();
  const edges = new Map<string, Set<Digest>>();
  const requestNumbers = new Map<string, number>();
  const plans = new Map<string, RequestPlan>();
  const turnsWithEffects = new Set<string>();
  let steering: readonly QueueItem[] = [];
  const approvals = new Set<string>();
  const fileChanges: { readonly change: FileChangeRecord; isSettled: boolean }[] = [];

  function storeMessages(sessionId: string, added: readonly Message[]): void {
    const stored = added.map(checkMessage);
    const ids = new Set(stored.map((message) => message.id));
    const taken = stored.find((message) => messageIds.has(message.id));
    if (taken !== undefined || ids.size !== stored.length) {
      throw new AppError('RECORD_INVALID', 'a message with this id is already stored', { data: { id: taken?.id } });
    }
    for (const message of stored) {
      messageIds.add(message.id);
      ensure(messages, sessionId, () => []).push(message);
      for (const digest of digestsOf(message)) ensure(edges, sessionId, () => new Set<Digest>()).add(digest);
    }
  }

  /** What came after the message is on another course then, which nobody asks these records for. */
  function goBackBefore(sessionId: string, messageId: string): void {
    const course = messages.get(sessionId) ?? [];
    const place = course.findIndex(({ id, role }) => id === messageId && role === 'user');
    if (place === -1) throw new AppError('NOT_FOUND', 'no message has this id', { data: { sessionId, messageId } });
    course.splice(place);
  }

  function refuseWhileRunning(sessionId: string): void {
    const running = [...turns.values()].find((turn) => turn.sessionId === sessionId && turn.status === 'running');
    if (running === undefined) return;
    throw new AppError('SESSION_BUSY', 'a turn of this session is running', {
      data: { sessionId, turnId: running.id },
    });
  }

  return {
    async startTurn(turn, message, place) {
      refuseWhileRunning(turn.sessionId);
      if (turns.has(turn.id)) {
        throw new AppError('RECORD_INVALID', 'a turn with this id is already stored', { data: { id: turn.id } });
      }
      if (place?.edits !== undefined) goBackBefore(turn.sessionId, place.edits);
      storeMessages(turn.sessionId, [message]);
      turns.set(turn.id, structuredClone(turn));
    },
    async noteEffects(turnId) {
      turnsWithEffects.add(turnId);
    },
    async joinSteering({ sessionId }, toMessage) {
      const added = steering.filter((item) => item.sessionId === sessionId).map(toMessage);
      storeMessages(sessionId, added);
      steering = steering.filter((item) => item.sessionId !== sessionId);
      return structuredClone(added);
    },
    async appendMessages(sessionId, added) {
      storeMessages(sessionId, added);
    },
    async endTurn(turnId, end) {
      const turn = turns.get(turnId);
      if (turn === undefined) throw new AppError('RECORD_INVALID', 'no turn has this id', { data: { id: turnId } });
      turns.set(turnId, structuredClone({ ...turn, ...end }));
    },
    async loadTranscript(sessionId) {
      return structuredClone(messages.get(sessionId) ?? []);
    },
    async findVariant(originalDigest, variantKey) {
      return structuredClone(variants.get(variantId(originalDigest, variantKey)));
    },
    async saveVariant(sessionId, record) {
      const id = variantId(record.originalDigest, record.variantKey);
      const kept = variants.get(id) ?? structuredClone(record);
      variants.set(id, kept);
      ensure(edges, sessionId, () => new Set<Digest>()).add(kept.digest);
    },
    async holdVariant(sessionId, record) {
      const isThere = variants.get(variantId(record.originalDigest, record.variantKey))?.digest === record.digest;
      if (isThere) ensure(edges, sessionId, () => new Set<Digest>()).add(record.digest);
      return isThere;
    },
    async takeRequestNumber(sessionId) {
      const number = (requestNumbers.get(sessionId) ?? 0) + 1;
      requestNumbers.set(sessionId, number);
      return number;
    },
    async loadPlan(sessionId, endpointId) {
      return structuredClone(plans.get(planId(sessionId, endpointId)));
    },
    async savePlan(plan) {
      plans.set(planId(plan.sessionId, plan.endpointId), structuredClone(plan));
    },
    approvals: {
      isRemembered: async (sessionId, key) => approvals.has(`${sessionId} ${key}`),
      async remember(sessionId, key) {
        approvals.add(`${sessionId} ${key}`);
      },
    },
    fileChanges: {
      async note(change) {
        const seq = fileChanges.filter((noted) => noted.change.sessionId === change.sessionId).length + 1;
        fileChanges.push({ change: structuredClone({ ...change, seq }), isSettled: false });
        const { sessionId, beforeDigest } = change;
        if (beforeDigest !== undefined) ensure(edges, sessionId, () => new Set<Digest>()).add(beforeDigest);
      },
      async lastUnsettled(sessionId) {
        const unsettled = fileChanges
          .filter(({ change, isSettled }) => change.sessionId === sessionId && !isSettled)
          .map(({ change }) => change);
        const turnId = unsettled.at(-1)?.turnId;
        return structuredClone(unsettled.filter((change) => change.turnId === turnId));
      },
      async settle({ sessionId, seq }) {
        for (const noted of fileChanges) {
          if (noted.change.sessionId === sessionId && noted.change.seq === seq) noted.isSettled = true;
        }
      },
    },
    steer(item) {
      steering = [...steering, structuredClone(item)];
    },
    turnsWithEffects: () => [...turnsWithEffects],
    turns: () => structuredClone([...turns.values()]),
    variants: () => structuredClone([...variants.values()]),
    reachableDigests: (sessionId) => [...(edges.get(sessionId) ?? [])].sort(),
  };
}

function checkMessage(message: Message): Message {
  if (!messageCheck.Check(message)) {
    const [first] = messageCheck.Errors(message);
    throw new AppError('RECORD_INVALID', `not a message: ${first?.instancePath ?? ''} ${first?.message ?? ''}`);
  }
  return structuredClone(message);
}

function digestsOf(message: Message): readonly Digest[] {
  if (message.role === 'tool') return message.metadata.attachments.map((attachment) => attachment.digest);
  if (message.role === 'assistant') return [];
  return message.imageInputs.flatMap((input) => ('attachment' in input ? [input.attachment.digest] : []));
}

function variantId(originalDigest: Digest, variantKey: string): string {
  return `${originalDigest} ${variantKey}`;
}

function planId(sessionId: string, endpointId: string): string {
  return `${sessionId} ${endpointId}`;
}

function ensure<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
