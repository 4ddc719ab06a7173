import { styleText } from 'node:util';
import type { FileDiff } from '@fovea/core/content';
import { sanitizeForTerminal } from './sanitize.ts';
import type { TurnTexts } from './turn-texts.ts';

/** Lines of one diff that are shown; the file itself has the rest. */
const MOST_LINES = 40;

/**
 * A file's change as a terminal shows it: its counts, then the changed lines with their
 * surroundings, without the header that repeats the name.
 */
export function diffLines(
  diff: FileDiff,
  { hasColors, texts }: { readonly hasColors: boolean; readonly texts: TurnTexts },
): readonly string[] {
  const body = diff.text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:===|---|\+\+\+|Index:|\\ No newline)/.test(line));
  const shown = body.slice(0, MOST_LINES).map((line) => `    ${paint(sanitizeForTerminal(line), hasColors)}`);
  const hidden = body.length - shown.length;
  const rest = hidden > 0 || diff.isCut ? [`    … ${hidden > 0 ? texts.moreDiffLines(hidden) : ''}`.trimEnd()] : [];
  const head = `  ${sanitizeForTerminal(diff.path)} +${diff.addedLines} -${diff.removedLines}`;
  return [head, ...shown, ...rest];
}

function paint(line: string, hasColors: boolean): string {
  if (!hasColors) return line;
  if (line.startsWith('+')) return styleText('green', line, { validateStream: false });
  if (line.startsWith('-')) return styleText('red', line, { validateStream: false });
  return line.startsWith('@@') ? styleText('cyan', line, { validateStream: false }) : line;
}
