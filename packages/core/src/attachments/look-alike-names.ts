import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** A folder with more entries is not searched: what was not seen could make a name ambiguous. */
const MOST_ENTRIES = 50_000;
/** More candidates than this help nobody who has to choose. */
const MOST_CANDIDATES = 20;

/**
 * A name without the differences that nobody sees: every Unicode space is a blank (macOS writes
 * U+202F into the names of screenshots, web pages U+00A0), and letters are composed (some file
 * systems and archives keep them decomposed).
 */
export function foldName(name: string): string {
  return name.normalize('NFC').replace(/\p{Zs}/gu, ' ');
}

/**
 * Paths below `root` whose parts look like `parts`, the exact ones among them. `mayEnter` is asked
 * before any folder is listed. An ASCII part without blanks has no look-alike and costs no listing;
 * the path that it leads to may not exist.
 */
export async function findLookAlikes(
  root: string,
  parts: readonly string[],
  mayEnter: (folder: string) => Promise<boolean>,
): Promise<readonly string[]> {
  let paths: readonly string[] = [root];
  for (const part of parts) {
    const found = await Promise.all(
      paths.map(async (folder) => {
        if (!mayDiffer(part)) return [part].map((name) => join(folder, name));
        const names = (await mayEnter(folder)) ? await listLookAlikes(folder, part) : [];
        return names.map((name) => join(folder, name));
      }),
    );
    paths = found.flat().slice(0, MOST_CANDIDATES);
  }
  return paths;
}

function mayDiffer(part: string): boolean {
  return /[^!-~]/.test(part);
}

/** Sorted. None for a folder that cannot be listed, or is too large to be. */
async function listLookAlikes(folder: string, part: string): Promise<readonly string[]> {
  const folded = foldName(part);
  const names: string[] = [];
  let count = 0;
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 1024 })) {
      count += 1;
      if (count > MOST_ENTRIES) return [];
      if (foldName(name) === folded) names.push(name);
    }
  } catch {
    return [];
  }
  return names.sort((one, other) => (one < other ? -1 : 1));
}
