import { charactersOf, widthOf } from '../render/characters.ts';
import type { RowCursor } from '../render/live-rows.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';

/** So many UTF-16 units a column are looked at beside the cursor: enough for every script. */
const UNITS_PER_COLUMN = 8;

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
    const width = widthOf(character);
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
  const reach = widthColumns * UNITS_PER_COLUMN;
  const before = `${prompt}${text.slice(0, cursor)}`;
  // One column for each mark, and one for the cursor.
  const left = takeFitting(showCharacters(before.slice(-reach)).reverse(), widthColumns - 3);
  const isCutLeft = left.isCut || before.length > reach;
  const column = left.columns + (isCutLeft ? 1 : 0);
  const after = text.slice(cursor, cursor + reach);
  const right = takeFitting(showCharacters(after), widthColumns - column - 2);
  const isCutRight = right.isCut || cursor + reach < text.length;
  const shown = [isCutLeft ? '…' : '', ...left.characters.reverse(), ...right.characters, isCutRight ? '…' : ''];
  return { rows: [shown.join('')], cursor: { row: 0, column } };
}

function takeFitting(
  characters: readonly string[],
  widthColumns: number,
): { readonly characters: string[]; readonly columns: number; readonly isCut: boolean } {
  let columns = 0;
  for (const [index, character] of characters.entries()) {
    const width = widthOf(character);
    if (columns + width > widthColumns) return { characters: characters.slice(0, index), columns, isCut: true };
    columns += width;
  }
  return { characters: [...characters], columns, isCut: false };
}

/** What is shown of each character that is typed; nothing of those that would move the cursor. */
function showCharacters(text: string): string[] {
  return Array.from(charactersOf(text), (character) => {
    if (/^[ -~]$/.test(character)) return character;
    if (/^[\r\n\u2028\u2029]/.test(character)) return '↵';
    return character === '\t' ? ' ' : sanitizeForTerminal(character);
  });
}
