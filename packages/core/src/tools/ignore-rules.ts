import { compileNamePattern, compilePathPattern, type PathPattern } from './path-pattern.ts';

/** What one `.gitignore` says of the paths below its folder. */
export interface IgnoreRules {
  /** Parts of the path from the folder of the file; undefined where no line speaks of it. */
  decide(parts: readonly string[], isFolder: boolean): 'ignored' | 'kept' | undefined;
}

/** More than this is no list that a person wrote, and would have to be held against every name. */
const LONGEST_RULE = 500;
const MOST_CHARACTERS = 32_768;

interface IgnoreRule {
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  readonly matches: PathPattern;
}

/**
 * Reads a `.gitignore`. The last line that matches decides. Below an ignored folder nothing is kept
 * by a line of any file, which is for the caller to see to: such a folder is never entered.
 *
 * Source: gitignore(5), git 2.39.
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const lines = text
    .slice(0, MOST_CHARACTERS)
    .replace(/^\ufeff/, '')
    .split('\n');
  const rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  return {
    decide: (parts, isFolder) => {
      const rule = rules.findLast(({ isFolderOnly, matches }) => (isFolder || !isFolderOnly) && matches(parts));
      if (rule === undefined) return undefined;
      return rule.isNegated ? 'kept' : 'ignored';
    },
  };
}

function parseRule(line: string): IgnoreRule | undefined {
  const written = trimEnd(line.replace(/\r$/, ''));
  if (written === '' || written.length > LONGEST_RULE || written.startsWith('#')) return undefined;
  const isNegated = written.startsWith('!');
  const signed = isNegated ? written.slice(1) : written;
  const isFolderOnly = signed.endsWith('/');
  const pattern = isFolderOnly ? signed.slice(0, -1) : signed;
  if (pattern === '') return undefined;
  return { isNegated, isFolderOnly, matches: compileRule(pattern) };
}

/** Blanks at the end do not count, unless the first of them stands behind a backslash. */
function trimEnd(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

/** A slash before its end ties a pattern to the folder of the file; without one, any name may match. */
function compileRule(pattern: string): PathPattern {
  if (pattern.includes('/')) return compilePathPattern(pattern);
  const matches = compileNamePattern(pattern);
  return (parts) => matches(parts.at(-1) ?? '');
}
