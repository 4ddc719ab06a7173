import { assertNever } from '../base/assert-never.ts';
import type { FindTexts } from './find-texts.ts';
import type { MatchOutcome } from './line-matcher.ts';
import type { ShownLine } from './match-lines.ts';
import type { UnreadFile } from './read-walked-file.ts';
import { escapeControls } from './shown-name.ts';

/** More hits than this help no model; a narrower search does. */
export const MOST_HITS = 200;
/** Characters of all lines that are shown. */
const MOST_CHARACTERS = 30_000;

/** What a search has found so far, and what it has left out. */
export interface SearchReport {
  /** As the model reads them. */
  readonly lines: string[];
  characters: number;
  hits: number;
  /** Files with hits. */
  files: number;
  binaryFiles: number;
  largeFiles: number;
  unreadableFiles: number;
  /** There is more than is shown. */
  isCut: boolean;
  /** The file whose search did not come to an end. */
  stuckFile?: string;
}

export function startReport(): SearchReport {
  return {
    lines: [],
    characters: 0,
    hits: 0,
    files: 0,
    binaryFiles: 0,
    largeFiles: 0,
    unreadableFiles: 0,
    isCut: false,
  };
}

/** Enters what became of one file. */
export function addOutcome(report: SearchReport, displayPath: string, outcome: MatchOutcome | UnreadFile): void {
  switch (outcome.kind) {
    case 'text':
      if (outcome.hits > 0) addHits(report, displayPath, outcome.lines);
      return;
    case 'binary':
      report.binaryFiles += 1;
      return;
    case 'too-large':
      report.largeFiles += 1;
      return;
    case 'unreadable':
      report.unreadableFiles += 1;
      return;
    case 'stuck':
      report.stuckFile = displayPath;
      return;
    case 'ended':
      return;
    default:
      assertNever(outcome);
  }
}

function addHits(report: SearchReport, displayPath: string, lines: readonly ShownLine[]): void {
  const head = `${report.lines.length === 0 ? '' : '\n'}${escapeControls(displayPath)}`;
  let isNamed = false;
  let last: number | undefined;
  for (const { number, text, isHit } of lines) {
    const isGap = last !== undefined && number > last + 1;
    const shown = [...(isNamed ? [] : [head]), ...(isGap ? ['--'] : []), `${number}${isHit ? ':' : '-'} ${text}`];
    const characters = shown.reduce((sum, line) => sum + line.length + 1, 0);
    const isTooMuch = report.characters + characters > MOST_CHARACTERS || (isHit && report.hits === MOST_HITS);
    report.isCut ||= isTooMuch;
    if (report.isCut) return;
    report.files += isNamed ? 0 : 1;
    report.hits += isHit ? 1 : 0;
    report.characters += characters;
    report.lines.push(...shown);
    isNamed = true;
    last = number;
  }
}

/** What the model has to know of what it is not shown. */
export function searchNotes(
  report: SearchReport,
  texts: FindTexts,
  bounds: { readonly mostBytes: number; readonly patienceMs: number },
): readonly string[] {
  const { binaryFiles, largeFiles, unreadableFiles } = report;
  const skipped = { binaryFiles, largeFiles, unreadableFiles };
  return [
    ...(report.isCut ? [texts.hitsCut(report.hits)] : []),
    ...(report.stuckFile === undefined ? [] : [texts.searchStuck(report.stuckFile, bounds.patienceMs)]),
    ...(binaryFiles + largeFiles + unreadableFiles > 0 ? [texts.searchSkipped(skipped, bounds.mostBytes)] : []),
  ];
}
