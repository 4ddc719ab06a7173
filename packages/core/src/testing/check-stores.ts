import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { StoreFault } from '../store/check-report.ts';
import type { DatabaseTarget } from '../store/database.ts';

const DATABASE_FILE = 'fovea.db';
const DEEPEST_LEVEL = 3;
const MOST_LINES = 20;

/** Homes whose stores a test damaged on purpose, and why. */
const damaged = new Map<string, string>();

/**
 * The store in `home` is not whole, because the test made it so; it is not checked when its folder is
 * removed. `why` is for whoever reads the test.
 */
export function expectDamage(home: string, why: string): void {
  damaged.set(resolve(home), why);
}

/**
 * Checks every store below a folder (at most three levels deep) as `fovea check` does: after whatever
 * tests did, nothing may be wrong. Costs next to nothing where there is no store. Throws with what is
 * wrong.
 */
export async function checkStoresBelow(folder: string): Promise<void> {
  for (const home of await findHomes(folder, DEEPEST_LEVEL)) await checkStoreIn({ home });
}

/** Checks one store, unless {@link expectDamage} named its home. Throws with what is wrong. */
export async function checkStoreIn(place: {
  readonly home: string;
  readonly database?: DatabaseTarget;
}): Promise<void> {
  if (damaged.has(resolve(place.home))) return;
  const { openStore } = await import('../store/open-store.ts');
  const store = await openStore({ ...place, need: 'read' });
  try {
    const { faults } = await store.check({ nowMs: 0 });
    const real = faults.filter((fault) => !isOfSample(fault));
    if (real.length === 0) return;
    const lines = real
      .slice(0, MOST_LINES)
      .map(({ kind, place: row, digest = '', message }) => `${kind} ${row} ${digest} ${message}`);
    throw new Error(`the store in ${place.home} is not whole after the test:\n${lines.join('\n')}`);
  } finally {
    await store.close();
  }
}

/** Tests of records name digests that no bytes have: most of their digits are the same. */
function isOfSample({ kind, digest }: StoreFault): boolean {
  return kind === 'blob-missing' && digest !== undefined && /(.)\1{39}/.test(digest);
}

async function findHomes(folder: string, levels: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name === DATABASE_FILE);
  const own = files.map((entry) => dirname(join(folder, entry.name)));
  if (levels === 0) return own;
  const below = entries.filter((entry) => entry.isDirectory() && entry.name !== 'blobs');
  const found = await Promise.all(below.map((entry) => findHomes(join(folder, entry.name), levels - 1)));
  return [...own, ...found.flat()];
}
