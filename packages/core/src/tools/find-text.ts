/** A place in a text: from `start` to before `end`. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** Where a wanted text occurs in another. */
export interface TextOccurrences {
  readonly count: number;
  /** Whether there is only one way to read it: no second occurrence, an overlapping one included. */
  readonly isUnique: boolean;
  /** One behind the other, without overlap. A file can have millions of them: they are not kept. */
  places(): Iterable<TextPlace>;
}

/** Line ends count as equal: `\n` of one text matches `\r\n` of the other. */
export function findOccurrences(text: string, wanted: string): TextOccurrences {
  const plain = text.replaceAll('\r\n', '\n');
  const sought = wanted.replaceAll('\r\n', '\n');
  let count = 0;
  for (let at = plain.indexOf(sought); at !== -1; at = plain.indexOf(sought, at + sought.length)) count += 1;
  return {
    count,
    isUnique: count === 1 && plain.indexOf(sought, plain.indexOf(sought) + 1) === -1,
    *places() {
      const toOriginal = plain.length === text.length ? (position: number) => position : mapPositions(text);
      for (let at = plain.indexOf(sought); at !== -1; at = plain.indexOf(sought, at + sought.length)) {
        yield { start: toOriginal(at), end: toOriginal(at + sought.length) };
      }
    },
  };
}

/** From a position in the text with `\n` for every `\r\n` to that in the text itself. Ask in rising order. */
function mapPositions(text: string): (position: number) => number {
  let passed = 0;
  let pair = text.indexOf('\r\n');
  return (position) => {
    while (pair !== -1 && pair - passed < position) {
      passed += 1;
      pair = text.indexOf('\r\n', pair + 2);
    }
    return position + passed;
  };
}

/** The number of the line that a position lies in, from 1. */
export function lineAt(text: string, position: number): number {
  return (text.slice(0, position).match(/\r\n|\n|\r/g)?.length ?? 0) + 1;
}

/** What comes near to a text that does not occur. */
export type NearMiss =
  /** Lines that differ from it only in this. */
  | {
      readonly kind: 'white-space' | 'signs';
      readonly firstLine: number;
      readonly lastLine: number;
      /** As they are. */
      readonly text: string;
    }
  /** The longest of its lines occurs. */
  | { readonly kind: 'line'; readonly line: number };

/** Lines of a near miss that are shown. */
const MOST_SHOWN = 2000;

/** Characters of a text that is looked through for what comes near; of a longer one only whole lines are. */
const MOST_COMPARED = 1_000_000;
/** Lines that are held against each other: of two long texts of the same line there is no end. */
const MOST_COMPARISONS = 1_000_000;

/** The first place that comes near, the nearest kind first. */
export function findNearMiss(text: string, wanted: string): NearMiss | undefined {
  if (text.length > MOST_COMPARED || wanted.length > MOST_COMPARED) return findWholeLine(text, wanted);
  const lines = text.split(/\r\n|\n|\r/);
  const sought = wanted.split(/\r\n|\n|\r/);
  const folds = [
    { kind: 'white-space', fold: foldSpaces },
    { kind: 'signs', fold: foldSigns },
  ] as const;
  for (const { kind, fold } of folds) {
    const found = findFolded(lines.map(fold), trimEmpty(sought.map(fold)));
    if (found === undefined) continue;
    const exact = lines.slice(found.first, found.last + 1).join('\n');
    if (exact.length > MOST_SHOWN) return { kind: 'line', line: found.first + 1 };
    return { kind, firstLine: found.first + 1, lastLine: found.last + 1, text: exact };
  }
  const longest = longestOf(sought.map(foldSigns));
  const at = longest === '' ? -1 : lines.findIndex((line) => foldSigns(line).includes(longest));
  return at === -1 ? undefined : { kind: 'line', line: at + 1 };
}

/** The longest of the wanted lines, exactly as it is. */
function findWholeLine(text: string, wanted: string): NearMiss | undefined {
  const longest = longestOf(wanted.slice(0, MOST_COMPARED).split(/\r\n|\n|\r/)).trim();
  const at = longest === '' ? -1 : text.indexOf(longest);
  return at === -1 ? undefined : { kind: 'line', line: lineAt(text, at) };
}

function longestOf(lines: readonly string[]): string {
  return lines.reduce((longest, line) => (line.length > longest.length ? line : longest), '');
}

function foldSpaces(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Without the differences of case, and of quotes, dashes and dots that word processors make. */
function foldSigns(line: string): string {
  return foldSpaces(line.normalize('NFKC'))
    .replace(/[‘’‚′`]/g, "'")
    .replace(/[“”„″«»]/g, '"')
    .replace(/[‐-―−]/g, '-')
    .toLowerCase();
}

function trimEmpty(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Where the lines occur: the first as the end of a line, the last as a beginning, or a single one anywhere. */
function findFolded(
  lines: readonly string[],
  sought: readonly string[],
): { readonly first: number; readonly last: number } | undefined {
  const last = sought.length - 1;
  if (last < 0) return undefined;
  let comparisons = 0;
  const isAt = (start: number): boolean =>
    sought.every((part, offset) => {
      comparisons += 1;
      const line = comparisons > MOST_COMPARISONS ? undefined : lines[start + offset];
      if (line === undefined) return false;
      if (last === 0) return line.includes(part);
      if (offset === 0) return line.endsWith(part);
      return offset === last ? line.startsWith(part) : line === part;
    });
  const first = lines.findIndex((_line, index) => isAt(index));
  return first === -1 ? undefined : { first, last: first + last };
}
