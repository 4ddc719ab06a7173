import type { SequencedEvent, TurnRecord } from '@fovea/core/content';
import type { Store, StoredEvents } from '@fovea/core/store';
import type { SessionLedger } from './session-ledger.ts';

/**
 * One look at what another process told of a session: its rows, as far as they are new, and of turns
 * that have ended meanwhile what is missing, from their messages. Throws `STORE_UNAVAILABLE`.
 */
export async function* readElsewhere(
  {
    sessionId,
    ledger,
    listTurns,
  }: {
    readonly sessionId: string;
    readonly ledger: SessionLedger;
    /** The turns that matter, in their order. */
    readonly listTurns: () => Promise<readonly TurnRecord[]>;
  },
  store: Pick<Store, 'events' | 'turns'>,
): AsyncGenerator<SequencedEvent> {
  // The rows before the turns: a turn that ended in between has left its messages.
  const rows = toEvents(sessionId, await store.events.readAfter(sessionId, ledger.lastSeq));
  for (const turn of await listTurns()) {
    if (ledger.isEnded(turn.id)) continue;
    for (const row of rows) if (row.turnId === turn.id) yield* ledger.tell(row);
    if (turn.status !== 'running') yield* ledger.tellRest(turn, await store.turns.messagesOf(turn));
  }
}

/** Rows and snapshots in the order in which they were told. */
export function toEvents(sessionId: string, { events, snapshots }: StoredEvents): readonly SequencedEvent[] {
  const grown = snapshots.map(({ seq, turnId, step, text, thinking }): SequencedEvent => {
    return { seq, sessionId, turnId, event: { type: 'step-snapshot', step, text, thinking } };
  });
  return [...events, ...grown].sort((one, other) => one.seq - other.seq);
}
