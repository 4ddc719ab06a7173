import type { BlobFiles } from './blob-files.ts';
import type { CheckReport, MaintenanceOptions } from './check-report.ts';
import type { Database } from './database.ts';

export async function checkStore(
  _options: MaintenanceOptions & { readonly database: Database; readonly blobs: BlobFiles },
): Promise<CheckReport> {
  return {
    faults: [],
    faultCount: 0,
    counts: {
      sessions: 0,
      messages: 0,
      oldMessages: 0,
      turns: 0,
      runningTurns: 0,
      queueItems: 0,
      edges: 0,
      expiredEdges: 0,
      blobs: 0,
      unreferencedBlobs: 0,
      leftovers: 0,
    },
  };
}
