import { fileURLToPath } from 'node:url';

export const WINDOWS_PATH = /^(?:[A-Za-z]:[\\/]|\\\\)/;
const PATH_START = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/]|file:\/\/|['"])/;

/**
 * The paths that a terminal pastes when files are dropped on it or copied in a file manager: one a
 * line or several in a row, in quotes, with escaped blanks, as `file://` addresses, or as Windows
 * paths. Plain paths are taken literally: nothing in them is percent-decoded.
 *
 * Returns an empty list when the text is no list of paths. Whether a path exists is not asked here.
 */
export function parsePastedPaths(pasted: string, surroundings: { readonly homeFolder: string }): readonly string[] {
  const lines = pasted
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const paths: string[] = [];
  for (const line of lines) {
    if (!PATH_START.test(line) && !WINDOWS_PATH.test(line)) return [];
    paths.push(...parseLine(line));
  }
  return paths.map((path) => expandHome(path, surroundings.homeFolder));
}

function parseLine(line: string): readonly string[] {
  if (WINDOWS_PATH.test(line)) return splitWindowsPaths(line);
  if (/['"\\]/.test(line)) return splitShellWords(line).map(decodeFileUrl);
  const words = line.split(/\s+/);
  const areAllPaths = words.length > 1 && words.every((word) => PATH_START.test(word));
  return (areAllPaths ? words : [line]).map(decodeFileUrl);
}

/** `C:\a 1.png D:\b.png` holds blanks and several paths: a new one begins at each drive. */
export function splitWindowsPaths(line: string): readonly string[] {
  return line.split(/\s+(?=[A-Za-z]:[\\/])/).map((path) => path.trim().replace(/^"(.*)"$/, '$1'));
}

/** Words as a POSIX shell reads them: quotes, escapes, and their mixtures such as `'it'\''s'`. */
export function splitShellWords(line: string): readonly string[] {
  const words: string[] = [];
  const pattern = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)/gsu;
  let word: string | undefined;
  for (const [, single, double, escaped, blank, plain] of line.matchAll(pattern)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

export function decodeFileUrl(path: string): string {
  if (!path.toLowerCase().startsWith('file://')) return path;
  try {
    return fileURLToPath(path.replace(/^file:\/\/localhost\//i, 'file:///'));
  } catch {
    return path;
  }
}

export function expandHome(path: string, homeFolder: string): string {
  return path === '~' || path.startsWith('~/') ? `${homeFolder}${path.slice(1)}` : path;
}
