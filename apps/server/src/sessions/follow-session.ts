import type { Clock } from '@fovea/core/base';
import type { SequencedEvent, TurnRecord } from '@fovea/core/content';
import type { Store } from '@fovea/core/store';
import type { Services } from '../services.ts';
import { readElsewhere, toEvents } from './follow-elsewhere.ts';
import { Inbox } from './inbox.ts';
import type { SessionDesk } from './session-desk.ts';
import type { SessionNews } from './session-hub.ts';
import { SessionLedger } from './session-ledger.ts';
import { LOOK_AGAIN_MS } from './session-runner.ts';

/** Something that was told, or a moment to look what else has changed. */
export type Followed = { readonly type: 'event'; readonly told: SequencedEvent } | { readonly type: 'look' };

export interface FollowOptions {
  readonly desk: SessionDesk;
  readonly sessionId: string;
  /** Of the last event that is known already; absent: what was told until now is not wanted. */
  readonly after: number | undefined;
  /** The turns that are wanted, asked for each time; absent: all, but those that have ended already. */
  readonly turnIds?: () => readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Everything that a session tells, whoever runs it. Turns of this process come from its hub; while
 * none runs here, what other processes tell is looked for. Throws `STORE_UNAVAILABLE`, and what the
 * work on the session here fails with.
 */
export async function* followSession(options: FollowOptions, services: Services): AsyncGenerator<Followed> {
  const { desk, sessionId, after, signal } = options;
  const store = await services.openStore('read');
  const inbox = new Inbox<SessionNews>();
  const isHere = desk.runner.turn !== undefined;
  const unsubscribe = desk.hub.subscribe(isHere ? after : desk.hub.lastSeq, inbox.push);
  signal.addEventListener('abort', inbox.close, { once: true });
  if (signal.aborted) inbox.close();
  try {
    const ledger = new SessionLedger(sessionId, after);
    const listTurns = await chooseTurns(options, { store, ledger });
    const elsewhere = { sessionId, ledger, listTurns };
    if (!isHere) {
      yield* inside(await joinElsewhere(options, { store, ledger }));
      yield* outside(readElsewhere(elsewhere, store));
    }
    const hasChanged = createChangeWatch(store);
    while (!inbox.isClosed) {
      const news = await nextNews(inbox, services.clock);
      if (news?.type === 'failed') throw news.error;
      if (news?.type === 'event') {
        // Where another process worked on the session until now, the end of its turn comes first.
        if (news.told.event.type === 'turn-accepted') yield* outside(readElsewhere(elsewhere, store));
        yield* inside(ledger.tell(news.told));
      } else if (news !== undefined) {
        yield { type: 'look' };
      } else if (!inbox.isClosed && desk.runner.turn === undefined) {
        if (await hasChanged()) yield* outside(readElsewhere(elsewhere, store));
        // Also without a change: a process that dies writes nothing.
        yield { type: 'look' };
      }
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', inbox.close);
  }
}

function* inside(events: Iterable<SequencedEvent>): Generator<Followed> {
  for (const told of events) yield { type: 'event', told };
}

async function* outside(events: AsyncIterable<SequencedEvent>): AsyncGenerator<Followed> {
  for await (const told of events) yield { type: 'event', told };
}

/** The next news of this process; `undefined` when it is time to look at the others. */
async function nextNews(inbox: Inbox<SessionNews>, clock: Clock): Promise<SessionNews | undefined> {
  const waiting = new AbortController();
  const look = clock.sleep(LOOK_AGAIN_MS, waiting.signal).catch(() => undefined);
  await Promise.race([inbox.arrival(), look]);
  waiting.abort();
  return inbox.take();
}

/** Whether another process has written since it was last asked; at first it counts as such. */
function createChangeWatch({ events }: Pick<Store, 'events'>): () => Promise<boolean> {
  let last: number | undefined;
  return async () => {
    const mark = await events.changeMark();
    const hasChanged = mark === undefined || mark !== last;
    last = mark;
    return hasChanged;
  };
}

/** The turns that are wanted, as they stand each time; those that have ended already are closed in the ledger. */
async function chooseTurns(
  { sessionId, turnIds }: FollowOptions,
  { store, ledger }: { readonly store: Pick<Store, 'turns'>; readonly ledger: SessionLedger },
): Promise<() => Promise<readonly TurnRecord[]>> {
  const { turns } = store;
  if (turnIds !== undefined) {
    return async () => (await Promise.all(turnIds().map((id) => turns.find(id)))).filter((turn) => turn !== undefined);
  }
  let since = (await turns.newest(sessionId))?.startedAt ?? '';
  for (const turn of await turns.since(sessionId, since)) if (turn.status !== 'running') ledger.close(turn.id);
  return async () => {
    const found = await turns.since(sessionId, since);
    if (found.every(({ status }) => status !== 'running')) since = found.at(-1)?.startedAt ?? since;
    return found;
  };
}

async function joinElsewhere(
  { sessionId, after }: FollowOptions,
  { store, ledger }: { readonly store: Pick<Store, 'events'>; readonly ledger: SessionLedger },
): Promise<readonly SequencedEvent[]> {
  if (after === 0) return [];
  return ledger.join(toEvents(sessionId, await store.events.readAfter(sessionId, 0)), after);
}
