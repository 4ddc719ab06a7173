import { charactersOf, widthOf } from './characters.ts';

/** One line of at most `widthColumns` columns; what was cut away is marked with `…`. No escape sequences. */
export function cutToWidth(line: string, widthColumns: number): string {
  let shown = '';
  let columns = 0;
  let fitting = '';
  for (const character of charactersOf(line)) {
    columns += widthOf(character);
    if (columns > widthColumns) return `${fitting}…`;
    shown += character;
    // One column is for the mark.
    if (columns < widthColumns) fitting = shown;
  }
  return line;
}
