import { isAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import type { BlobFiles } from './blob-files.ts';
import { type CheckCounts, MOST_FAULTS, type StoreFault, type StoreFaultKind } from './check-report.ts';
import type { Database } from './database.ts';

/** What a check has found so far; of very many faults only the first are kept. */
export class FaultList {
  readonly #faults: StoreFault[] = [];
  #count = 0;

  get faults(): readonly StoreFault[] {
    return this.#faults;
  }

  get count(): number {
    return this.#count;
  }

  add(fault: StoreFault): void {
    this.#count += 1;
    if (this.#faults.length < MOST_FAULTS) this.#faults.push(fault);
  }
}

/** What every part of a check works with. */
export interface CheckScene {
  readonly database: Database;
  readonly blobs: BlobFiles;
  readonly faults: FaultList;
  readonly counts: { -readonly [Key in keyof CheckCounts]: number };
  /** One thing more was looked at. */
  advance(): void;
}

/** The value, or a fault where a row cannot be read: one bad row hides none of the others. */
export function parseOrReport<Value>(
  { faults }: Pick<CheckScene, 'faults'>,
  place: string,
  parse: () => Value,
): Value | undefined {
  try {
    return parse();
  } catch (error) {
    const kind = isAppError(error) ? kindOf(error.code) : undefined;
    if (kind === undefined || !isAppError(error)) throw error;
    faults.add({ kind, place, message: error.message });
    return undefined;
  }
}

/** One part of a check; where the database cannot read what it needs, that is a fault and the next part follows. */
export async function checkPart(
  { faults }: Pick<CheckScene, 'faults'>,
  place: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isAppError(error) || !isDamage(error)) throw error;
    faults.add({ kind: 'database-damaged', place, message: error.message });
  }
}

/** The rows of a table, page by page: `readPage` gives those behind the last one, and none at the end. */
export async function* readRows<Row>(
  readPage: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void> {
  let last: Row | undefined;
  do {
    const page = await readPage(last);
    yield* page;
    last = page.at(-1);
  } while (last !== undefined);
}

type RowFault = Extract<ErrorCode, 'RECORD_INVALID' | 'BOTH_IMAGE_FIELDS' | 'UNSUPPORTED_REVISION'>;

function kindOf(code: ErrorCode): StoreFaultKind | undefined {
  if (code !== 'RECORD_INVALID' && code !== 'BOTH_IMAGE_FIELDS' && code !== 'UNSUPPORTED_REVISION') return undefined;
  const fault: RowFault = code;
  switch (fault) {
    case 'RECORD_INVALID':
    case 'BOTH_IMAGE_FIELDS':
      return 'row-invalid';
    case 'UNSUPPORTED_REVISION':
      return 'row-of-newer-build';
    default:
      return assertNever(fault);
  }
}

function isDamage({ code, data }: { readonly code: ErrorCode; readonly data?: unknown }): boolean {
  if (code === 'RECORD_INVALID') return true;
  const systemCode = typeof data === 'object' && data !== null && 'systemCode' in data ? data.systemCode : undefined;
  return typeof systemCode === 'string' && /^(SQLITE_(CORRUPT|NOTADB|IOERR)|XX)/.test(systemCode);
}
