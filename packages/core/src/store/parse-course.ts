import type { Selectable } from 'kysely';
import type { Message } from '../content/messages.ts';
import { nameOldResults } from '../content/name-old-results.ts';
import type { Codec } from './codec.ts';
import { parseMessageRow } from './records.ts';
import type { MessagesTable } from './tables.ts';

/**
 * Rows of a course, newest first, as messages, oldest first. Old results get their calls only where
 * the message that made the calls is among them. Throws as `parseMessageRow`.
 */
export function parseCourse(
  rows: readonly Pick<Selectable<MessagesTable>, 'session_id' | 'seq' | 'id' | 'turn_id' | 'revision' | 'body'>[],
  codec: Codec,
): readonly Message[] {
  return nameOldResults(rows.map((row) => parseMessageRow(row, codec)).reverse());
}
