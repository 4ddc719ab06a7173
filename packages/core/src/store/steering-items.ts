import type { QueueItem } from '../content/queue-item.ts';
import type { Codec } from './codec.ts';
import type { Reader, Writer } from './database.ts';

export async function findSteering(
  _reader: Reader,
  _query: { readonly sessionId: string; readonly owner: string; readonly codec: Codec },
): Promise<readonly QueueItem[]> {
  return [];
}

export async function joinTurn(
  _writer: Writer,
  _joined: { readonly item: QueueItem; readonly turnId: string },
): Promise<void> {}
