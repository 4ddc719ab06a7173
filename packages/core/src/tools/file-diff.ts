import type { FileDiff } from '../content/messages.ts';
import { escapeControls } from './shown-name.ts';

/** What people look through; a longer diff is told by its numbers. */
const MOST_LINES = 400;
const LONGEST_LINE = 500;
const CONTEXT_LINES = 3;
/** Lines of both texts: the patience counts only from where they are held against each other. */
const MOST_COMPARED = 1_000_000;
/** Two texts without anything in common take time in proportion to their product. */
const PATIENCE_MS = 500;

export interface TextChange {
  /** As people are shown it. */
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: string;
  readonly after: string;
}

/** The unified diff of one change. Line ends are taken as equal: they are kept by those who write. */
export async function makeFileDiff({ path, before, after }: TextChange): Promise<FileDiff> {
  const { formatPatch, structuredPatch, FILE_HEADERS_ONLY } = await import('diff');
  const [oldText, newText] = [normalize(before ?? ''), normalize(after)];
  const shownPath = escapeControls(path);
  const facts = { path, isNew: before === undefined };
  const [oldName, newName] = [facts.isNew ? '/dev/null' : `a/${shownPath}`, `b/${shownPath}`];
  const [oldLines, newLines] = [countLines(oldText), countLines(newText)];
  const whole = { ...facts, addedLines: newLines, removedLines: oldLines, text: '', isCut: true };
  if (oldLines + newLines > MOST_COMPARED) return whole;
  const patch = await new Promise<ReturnType<typeof structuredPatch> | undefined>((resolve) => {
    structuredPatch(oldName, newName, oldText, newText, undefined, undefined, {
      context: CONTEXT_LINES,
      timeout: PATIENCE_MS,
      callback: resolve,
    });
  });
  if (patch === undefined) return whole;
  const changed = patch.hunks.flatMap((hunk) => hunk.lines);
  const lines = formatPatch(patch, FILE_HEADERS_ONLY).trimEnd().split('\n');
  const isCut = lines.length > MOST_LINES || lines.some((line) => line.length > LONGEST_LINE);
  return {
    ...facts,
    addedLines: changed.filter((line) => line.startsWith('+')).length,
    removedLines: changed.filter((line) => line.startsWith('-')).length,
    text: lines.slice(0, MOST_LINES).map(cutLine).join('\n'),
    isCut,
  };
}

function normalize(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A line break at the end begins no further line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const breaks = text.match(/\r\n|\n|\r/g)?.length ?? 0;
  return /[\r\n]$/.test(text) ? breaks : breaks + 1;
}

function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE).replace(/[\ud800-\udbff]$/, '')}…`;
}
