import { AppError } from '../base/app-error.ts';
import type { Database, Writer } from './database.ts';
import { changeLease, type SessionLease } from './session-leases.ts';

/**
 * The same database for whoever holds a lease: each write first makes sure, inside its transaction,
 * that the lease is still theirs, and throws `LEASE_LOST` with nothing written when it is not. A
 * lease that ran out and that nobody took is still theirs.
 */
export function guardDatabase(database: Database, lease: SessionLease): Database {
  return {
    kind: database.kind,
    codec: database.codec,
    read: (work) => database.read(work),
    write: (work) =>
      database.write(async (writer) => {
        await requireLease(writer, lease);
        return work(writer);
      }),
    close: () => database.close(),
  };
}

/** Writes the row as it is, which locks it until the transaction ends: nobody takes over meanwhile. */
async function requireLease(writer: Writer, lease: SessionLease): Promise<void> {
  const { sessionId, epoch } = lease;
  if (await changeLease(writer, lease, { epoch })) return;
  throw new AppError(
    'LEASE_LOST',
    `another process took the session ${sessionId} over; its turn goes on there or ended`,
    { data: { sessionId, epoch } },
  );
}
