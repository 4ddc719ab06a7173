import stringWidth from 'string-width';
import type { RowCursor } from '../render/live-rows.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';

const graphemes = new Intl.Segmenter();

/** A line that is being typed, as rows on a screen. */
export interface LineLayout {
  readonly rows: readonly string[];
  readonly cursor: RowCursor;
}

interface TypedLine {
  /** What stands before the text; no part of it. */
  readonly prompt: string;
  readonly text: string;
  /** Number of UTF-16 units of `text` before the cursor. */
  readonly cursor: number;
}

/**
 * The line in rows of at most `widthColumns` columns; wide characters are not cut, and a line feed,
 * which only a recalled or pasted text holds, is shown as a mark. Of more than `mostRows` rows those
 * around the cursor are given.
 */
export function layOutLine(
  { prompt, text, cursor }: TypedLine,
  { widthColumns, mostRows }: { readonly widthColumns: number; readonly mostRows: number },
): LineLayout {
  const rows: string[] = [];
  let row = '';
  let column = 0;
  const put = (character: string): void => {
    const width = stringWidth(character);
    if (column + width > widthColumns && row !== '') {
      rows.push(row);
      row = '';
      column = 0;
    }
    row += character;
    column += width;
  };
  for (const character of showCharacters(prompt)) put(character);
  for (const character of showCharacters(text.slice(0, cursor))) put(character);
  // A cursor behind a full row stands at the start of the next one, where the next character will be.
  if (column >= widthColumns) {
    rows.push(row);
    row = '';
    column = 0;
  }
  const place = { row: rows.length, column };
  for (const character of showCharacters(text.slice(cursor))) put(character);
  rows.push(row);
  const first = Math.max(0, Math.min(place.row - Math.floor(mostRows / 2), rows.length - mostRows));
  return { rows: rows.slice(first, first + mostRows), cursor: { row: place.row - first, column: place.column } };
}

/** The line in one row: where it is too long, what stands around the cursor; `…` marks what is left out. */
export function layOutRow({ prompt, text, cursor }: TypedLine, widthColumns: number): LineLayout {
  const before = [...showCharacters(prompt), ...showCharacters(text.slice(0, cursor))];
  const after = showCharacters(text.slice(cursor));
  let left = '';
  let column = 0;
  // One column for each mark, and one for the cursor.
  for (const character of before.reverse()) {
    const width = stringWidth(character);
    if (column + width > widthColumns - 3) {
      left = `…${left}`;
      column += 1;
      break;
    }
    left = character + left;
    column += width;
  }
  let right = '';
  let room = widthColumns - column - 1;
  for (const character of after) {
    room -= stringWidth(character);
    if (room < 1) {
      right += '…';
      break;
    }
    right += character;
  }
  return { rows: [left + right], cursor: { row: 0, column } };
}

/** What is shown of each character that is typed; nothing of those that would move the cursor. */
function showCharacters(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => {
    if (/^[\r\n\u2028\u2029]/.test(segment)) return '↵';
    return segment === '\t' ? ' ' : sanitizeForTerminal(segment);
  });
}
