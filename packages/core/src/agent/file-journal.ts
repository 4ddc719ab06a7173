import { digestOf } from '../media/digest.ts';
import type { FileJournal } from '../tools/tool.ts';
import type { TurnServices } from './turn-services.ts';

/**
 * Keeps what the tools of one turn are about to overwrite: first the bytes, then the record of the
 * change, so that a record never names bytes that are not there.
 */
export function createFileJournal(
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  { blobs, fileChanges }: Pick<TurnServices, 'blobs' | 'fileChanges'>,
): FileJournal {
  return {
    async record({ path, displayPath, before, after }) {
      const beforeDigest = before === undefined ? undefined : digestOf(before);
      if (before !== undefined && beforeDigest !== undefined) await blobs.put(beforeDigest, before);
      await fileChanges.note({
        sessionId,
        turnId,
        path,
        displayPath,
        ...(beforeDigest !== undefined && { beforeDigest }),
        afterDigest: digestOf(after),
      });
    },
  };
}
