import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Whether any of the paths is forbidden by an entry: an absolute path forbids what it names and all
 * below it, a name (`.env`, `*.pem`) forbids every part of a path that it matches, whatever its case.
 */
export async function isAnyForbidden(paths: readonly string[], entries: readonly string[]): Promise<boolean> {
  const forbidden = await realFormsOnce(entries);
  return paths.some((path) => isForbidden(path, forbidden));
}

/** Paths with links followed where they exist, beside the paths as they are; names stay names. */
export async function realForms(entries: readonly string[]): Promise<readonly string[]> {
  const forms = await Promise.all(
    entries.map(async (entry) => (isAbsolute(entry) ? [entry, await realForm(entry)] : [entry])),
  );
  return [...new Set(forms.flat())];
}

export async function realForm(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(foldCase(folder), foldCase(path));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A list lives as long as a turn; its hundred paths are not followed again for every name in a folder. */
const knownForms = new WeakMap<readonly string[], Promise<readonly string[]>>();

function realFormsOnce(entries: readonly string[]): Promise<readonly string[]> {
  const known = knownForms.get(entries);
  if (known !== undefined) return known;
  const forms = realForms(entries);
  knownForms.set(entries, forms);
  return forms;
}

function isForbidden(path: string, forbidden: readonly string[]): boolean {
  const parts = path.split(sep).map(plainName);
  return forbidden.some((entry) =>
    isAbsolute(entry) ? isWithin(entry, path) : parts.some((part) => matchesName(part, entry)),
  );
}

/** Windows opens `.env` under `.env.`, `.env ` and `.env::$DATA` as well. */
function plainName(part: string): string {
  return process.platform === 'win32' ? part.replace(/(?<=.):.*$/, '').replace(/[. ]+$/, '') : part;
}

/** Whether a part of a path has the name; `*` stands for any characters. */
function matchesName(part: string, pattern: string): boolean {
  const pieces = pattern.toLowerCase().split('*');
  const name = part.toLowerCase();
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return name === first;
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > name.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/** Where file systems usually do not tell upper and lower case apart, neither do the rules. */
function foldCase(path: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? path.toLowerCase() : path;
}
