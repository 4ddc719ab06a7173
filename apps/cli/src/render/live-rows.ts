import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Screen } from './screen.ts';

/** Rows are cut at the right edge instead of wrapped: one row stays one row, whatever a terminal thinks of an emoji. */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';

const TAB_COLUMNS = 8;

/** Where the cursor stands among the rows, both from 0. */
export interface RowCursor {
  readonly row: number;
  readonly column: number;
}

interface DrawnRows {
  readonly rows: readonly string[];
  readonly cursor: RowCursor;
  /** Of the screen when they were drawn. */
  readonly columns: number;
}

/**
 * The rows at the bottom of a terminal that are drawn again and again: what is still being written,
 * what is being typed. Everything that is printed for good comes above them, after `erase`.
 *
 * A terminal that was made narrower has wrapped what stands on it: the rows are counted as they
 * lie now, not as they were drawn.
 */
export class LiveRows {
  readonly #screen: Screen;
  #drawn: DrawnRows | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Draws these rows in the place of the former ones. Without a cursor it stands at the end of the last one. */
  draw(rows: readonly string[], cursor?: RowCursor): void {
    if (rows.length === 0) {
      this.erase();
      return;
    }
    const columns = columnsOf(this.#screen);
    const last = rows.length - 1;
    const place = cursor ?? { row: last, column: stringWidth(rows[last] ?? '') };
    if (this.#isDrawn(rows, place)) return;
    const back =
      cursor === undefined
        ? ''
        : `${moveUp(last - cursor.row)}\r${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`;
    this.#screen.write(`${this.#eraser()}${WRAP_OFF}${rows.join('\n')}${back}${WRAP_ON}`);
    this.#drawn = { rows, cursor: place, columns };
  }

  /** Takes the rows away; the cursor stands at the start of the first one. */
  erase(): void {
    const eraser = this.#eraser();
    this.#drawn = undefined;
    if (eraser !== '') this.#screen.write(eraser);
  }

  #isDrawn(rows: readonly string[], cursor: RowCursor): boolean {
    const drawn = this.#drawn;
    return (
      drawn !== undefined &&
      drawn.columns === columnsOf(this.#screen) &&
      drawn.cursor.row === cursor.row &&
      drawn.cursor.column === cursor.column &&
      drawn.rows.length === rows.length &&
      drawn.rows.every((row, index) => row === rows[index])
    );
  }

  #eraser(): string {
    if (this.#drawn === undefined) return '';
    const { rows, cursor, columns: formerColumns } = this.#drawn;
    const columns = columnsOf(this.#screen);
    const widths = rows.slice(0, cursor.row + 1).map((row) => Math.min(stringWidth(row), formerColumns));
    const cursorWidth = widths.pop() ?? 0;
    const above = widths.reduce((count, width) => count + Math.max(1, Math.ceil(width / columns)), 0);
    const column = Math.min(cursor.column, formerColumns - 1);
    // Behind the last character of a full row a cursor stays in that row.
    const within = column === cursorWidth ? Math.max(0, Math.ceil(column / columns) - 1) : Math.floor(column / columns);
    return `\r${moveUp(above + within)}\u001b[J`;
  }
}

/** Columns of a screen that may not say how many it has. */
export function columnsOf(screen: Screen): number {
  return Math.max(1, screen.columns ?? 80);
}

/** Styled text as rows that fit: longer lines go on in the next row. Tabs become blanks, because their width depends on the place. */
export function splitRows(text: string, widthColumns: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const row = expandTabs(line);
    if (stringWidth(row) <= widthColumns) return [row];
    return wrapAnsi(row, widthColumns, { hard: true, trim: false, wordWrap: false }).split('\n');
  });
}

function expandTabs(line: string): string {
  const [first = '', ...others] = line.split('\t');
  return others.reduce(
    (row, piece) => `${row}${' '.repeat(TAB_COLUMNS - (stringWidth(row) % TAB_COLUMNS))}${piece}`,
    first,
  );
}

function moveUp(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}
