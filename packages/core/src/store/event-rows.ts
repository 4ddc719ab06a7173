import type { Selectable } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { SequencedEvent, StepSnapshotEvent } from '../content/events.ts';
import { parseEvent } from '../content/parse-event.ts';
import type { Codec } from './codec.ts';
import { check, decode, invalidRow, type Place } from './parse-row.ts';
import type { SessionEventsTable, StepSnapshotsTable } from './tables.ts';

/** What a running step said so far. `seq` is that of the last event that is in it. */
export interface StoredSnapshot extends Omit<StepSnapshotEvent, 'type'> {
  readonly seq: number;
  readonly turnId: string;
}

const SnapshotBody = Type.Object({ text: Type.String(), thinking: Type.String() });

const snapshotValidator = Compile(SnapshotBody);

/** Throws `RECORD_INVALID`. */
export function parseEventRow(row: Omit<Selectable<SessionEventsTable>, 'owner'>, codec: Codec): SequencedEvent {
  const place: Place = { table: 'session_events', id: `${row.session_id}/${row.seq}` };
  const event = parseEvent(decode(codec, row.body, place));
  if (!event.ok) throw invalidRow(place);
  return { seq: row.seq, sessionId: row.session_id, turnId: row.turn_id, event: event.value };
}

/** Throws `RECORD_INVALID`. */
export function parseSnapshotRow(row: Omit<Selectable<StepSnapshotsTable>, 'owner'>, codec: Codec): StoredSnapshot {
  const place: Place = { table: 'step_snapshots', id: `${row.turn_id}/${row.step}` };
  const { text, thinking } = check(snapshotValidator, place, decode(codec, row.body, place));
  return { seq: row.seq, turnId: row.turn_id, step: row.step, text, thinking };
}
