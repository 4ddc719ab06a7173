import { readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { decodeFileUrl, expandHome, splitShellWords, splitWindowsPaths, WINDOWS_PATH } from './parse-pasted-paths.ts';

const WILDCARD = /[*?]/;

/**
 * The paths that a user typed after `/attach`: the whole text when it is the name of one file,
 * blanks and all; otherwise its words as a shell reads them, with quotes and escapes. A word with
 * `*` or `?` in its last part stands for the files of that folder of the workspace that it fits.
 *
 * What is not there stays in the list as it was typed, so that exactly that can be complained of.
 */
export async function findTypedPaths(
  typed: string,
  surroundings: { readonly workspace: string; readonly homeFolder: string },
): Promise<readonly string[]> {
  const whole = expandHome(decodeFileUrl(typed.trim()), surroundings.homeFolder);
  if (whole === '') return [];
  if (await exists(whole, surroundings.workspace)) return [whole];
  const words = WINDOWS_PATH.test(whole) ? splitWindowsPaths(whole) : splitShellWords(typed.trim());
  const paths: string[] = [];
  for (const word of words) {
    const path = expandHome(decodeFileUrl(word), surroundings.homeFolder);
    const isThere = !WILDCARD.test(path) || (await exists(path, surroundings.workspace));
    const fitting = isThere ? [] : await expandWildcards(path, surroundings.workspace);
    paths.push(...(fitting.length === 0 ? [path] : fitting));
  }
  return paths;
}

async function exists(path: string, workspace: string): Promise<boolean> {
  return stat(resolve(workspace, path)).then(
    () => true,
    () => false,
  );
}

async function expandWildcards(pattern: string, workspace: string): Promise<readonly string[]> {
  const lastSlash = pattern.lastIndexOf('/');
  const folder = pattern.slice(0, lastSlash + 1);
  const name = pattern.slice(lastSlash + 1);
  if (WILDCARD.test(folder)) return [];
  const entries = await readdir(resolve(workspace, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && fits(entry.name, name))
    .map((entry) => `${folder}${entry.name}`)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

/** Whether a name fits a pattern; hidden files only where the pattern says so. */
function fits(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 'su').test(name);
}
