import { readdir } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';

const MOST_CHOICES = 200;
/** `@`, then a path: in quotes with blanks, else without. */
const REFERENCE = /(?:^|\s)@(?:"([^"]*)|([^\s"]*))$/;

/**
 * What Tab may put in the place of an `@path` at the end of the line, as the line editor wants it:
 * the choices and the part that they replace. Names that begin with a dot only when one was typed.
 */
export async function completePath(line: string, workspace: string): Promise<[string[], string]> {
  const match = REFERENCE.exec(line);
  if (match === null) return [[], line];
  const typed = match[1] ?? match[2] ?? '';
  const isQuoted = match[1] !== undefined;
  const folder = typed.endsWith('/') ? typed : `${dirname(typed)}/`;
  const beginning = typed.endsWith('/') ? '' : basename(typed);
  const shownFolder = typed.includes('/') ? folder : '';
  const entries = await readdir(resolve(workspace, folder), { withFileTypes: true }).catch(() => []);
  const fitting = entries
    .filter(({ name }) => name.startsWith(beginning) && (beginning.startsWith('.') || !name.startsWith('.')))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .slice(0, MOST_CHOICES);
  const choices = fitting.map((entry) => {
    const path = `${shownFolder}${entry.name}${entry.isDirectory() ? '/' : ''}`;
    const needsQuotes = isQuoted || /[\s"]/.test(path);
    if (!needsQuotes) return `@${path}`;
    return entry.isDirectory() ? `@"${path}` : `@"${path}"`;
  });
  return [choices, `@${isQuoted ? '"' : ''}${typed}`];
}
