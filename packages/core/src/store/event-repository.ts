import type { Writer } from './database.ts';

/** Deletes what a turn told. */
export async function deleteEvents(
  writer: Writer,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
): Promise<void> {
  for (const table of ['session_events', 'step_snapshots'] as const) {
    await writer.deleteFrom(table).where('session_id', '=', sessionId).where('turn_id', '=', turnId).execute();
  }
}
