import type { FoveaEvent, QueueEvent } from '@fovea/core/content';
import type { Fovea } from '@fovea/server';
import type { CommandContext } from './command-context.ts';
import { queueTexts } from './queue-texts.ts';

/**
 * Passes the events of one turn on and says on standard error, once each: why it has to wait, that
 * earlier messages stay held, and what became of it when the user left before its end.
 */
export async function* tellWaiting(events: AsyncIterable<FoveaEvent>, place: WaitingPlace): AsyncGenerator<FoveaEvent> {
  const { sessionId, context } = place;
  const texts = queueTexts(context.locale);
  const say = createSpeaker();
  let turnId = '';
  let hasBegun = false;
  let hasEnded = false;
  for await (const event of events) {
    switch (event.type) {
      case 'turn-accepted':
        ({ turnId } = event);
        break;
      case 'reference-notice':
        break;
      case 'turn-refused':
        hasEnded = true;
        break;
      case 'queue':
        for (const line of await waitingLines(turnId, event, place)) say(line);
        break;
      case 'turn-end':
        hasEnded = true;
        if (!hasBegun && event.status === 'stopped' && event.error === undefined) say(texts.takenBack);
        break;
      default:
        hasBegun = true;
    }
    yield event;
  }
  if (!hasEnded && turnId !== '') say(hasBegun ? texts.goesOnElsewhere(sessionId) : texts.staysWaiting(sessionId));
}

/** Says each kind of line once: a line whose number changed is no news. */
function createSpeaker(): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    const kind = line.replace(/\d+/g, '');
    if (said.has(kind)) return;
    said.add(kind);
    process.stderr.write(`${line}\n`);
  };
}

interface WaitingPlace {
  readonly sessionId: string;
  readonly fovea: Fovea;
  readonly context: CommandContext;
}

/**
 * The same events; calls `leave` when the message is held and nobody is there to let it go on: a
 * script would wait for ever.
 */
export async function* leaveWhenHeld(events: AsyncIterable<FoveaEvent>, leave: () => void): AsyncGenerator<FoveaEvent> {
  let turnId = '';
  for await (const event of events) {
    yield event;
    if (event.type === 'turn-accepted') ({ turnId } = event);
    if (event.type === 'queue' && process.stderr.isTTY !== true && heldTurnIds(event).has(turnId)) leave();
  }
}

async function waitingLines(turnId: string, event: QueueEvent, place: WaitingPlace): Promise<readonly string[]> {
  const { held } = event;
  const texts = queueTexts(place.context.locale);
  const heldIds = heldTurnIds(event);
  if (held !== undefined && heldIds.has(turnId)) return [texts.heldSelf(held.because, place.sessionId)];
  const position = positionOf(turnId, event, heldIds);
  const count = held?.count ?? 0;
  return [
    ...(position > 1 ? [await waitingLine(position, place)] : []),
    ...(count > 0 ? [texts.heldBehind(count, place.sessionId)] : []),
  ];
}

/** Held items are the first of those that wait. */
function heldTurnIds({ items, held }: QueueEvent): ReadonlySet<string> {
  const queued = items.filter(({ state }) => state === 'queued');
  return new Set(queued.slice(0, held?.count ?? 0).map((item) => item.turnId));
}

/** How many come before it and run, plus one; held ones let it pass. */
function positionOf(turnId: string, { items }: QueueEvent, heldIds: ReadonlySet<string>): number {
  const going = items.filter(
    (item) => item.state === 'running' || (item.state === 'queued' && !heldIds.has(item.turnId)),
  );
  return going.findIndex((item) => item.turnId === turnId) + 1;
}

async function waitingLine(position: number, { sessionId, fovea, context }: WaitingPlace): Promise<string> {
  const texts = queueTexts(context.locale);
  const holder = await fovea.findSessionHolder(sessionId);
  if (holder === undefined || holder.isHere) return texts.behindOthers(position);
  return texts.behindProcess(String(holder.pid), position);
}
