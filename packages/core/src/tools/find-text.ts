/** A place in a text: from `start` to before `end`. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** Where a wanted text occurs in another. */
export interface TextOccurrences {
  /** One behind the other, without overlap. */
  readonly places: readonly TextPlace[];
  /** Whether there is only one way to read it: no second occurrence, an overlapping one included. */
  readonly isUnique: boolean;
}

/** Line ends count as equal: `\n` of one text matches `\r\n` of the other. */
export function findOccurrences(text: string, wanted: string): TextOccurrences {
  const plain = text.replaceAll('\r\n', '\n');
  const sought = wanted.replaceAll('\r\n', '\n');
  const toOriginal = plain.length === text.length ? (position: number) => position : mapPositions(text);
  const places: TextPlace[] = [];
  for (let at = plain.indexOf(sought); at !== -1; at = plain.indexOf(sought, at + sought.length)) {
    places.push({ start: toOriginal(at), end: toOriginal(at + sought.length) });
  }
  const first = plain.indexOf(sought);
  const isUnique = first !== -1 && plain.indexOf(sought, first + 1) === -1;
  return { places, isUnique };
}

/** From a position in the text with `\n` for every `\r\n` to that in the text itself. Ask in rising order. */
function mapPositions(text: string): (position: number) => number {
  const pairs = [...text.matchAll(/\r\n/g)].map((found, index) => found.index - index);
  let passed = 0;
  return (position) => {
    while (passed < pairs.length && (pairs[passed] ?? 0) < position) passed += 1;
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

/** The first place that comes near, the nearest kind first. */
export function findNearMiss(text: string, wanted: string): NearMiss | undefined {
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
  const longest = sought.map(foldSigns).sort((one, other) => other.length - one.length)[0] ?? '';
  const at = longest === '' ? -1 : lines.findIndex((line) => foldSigns(line).includes(longest));
  return at === -1 ? undefined : { kind: 'line', line: at + 1 };
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
  const isAt = (start: number): boolean =>
    sought.every((part, offset) => {
      const line = lines[start + offset];
      if (line === undefined) return false;
      if (last === 0) return line.includes(part);
      if (offset === 0) return line.endsWith(part);
      return offset === last ? line.startsWith(part) : line === part;
    });
  const first = lines.findIndex((_line, index) => isAt(index));
  return first === -1 ? undefined : { first, last: first + last };
}
