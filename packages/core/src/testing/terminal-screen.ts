// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read.
const SEQUENCE = /\u001b\[(?:\?\d+[hl]|\d+[AC]|[JK]|\d*m)|[\s\S]/g;

interface ScreenRow {
  text: string;
  /** Goes on in the next row, because it was too long. */
  isWrapped: boolean;
}

/**
 * A screen that understands what the terminal agent uses: line feed, carriage return, up, right,
 * clear to the end, and automatic wrapping on and off. Every character is one column wide. Made
 * narrower or wider, it wraps its lines anew, as most terminals do.
 */
export function createTerminalScreen(rows: number, firstColumns = 60) {
  let columns = firstColumns;
  let lines: ScreenRow[] = [{ text: '', isWrapped: false }];
  let row = 0;
  let column = 0;
  let isWrapping = true;
  const lineAt = (index: number): ScreenRow => (lines[index] ??= { text: '', isWrapped: false });
  const put = (character: string): void => {
    if (column >= columns) {
      if (isWrapping) {
        lineAt(row).isWrapped = true;
        row += 1;
        column = 0;
      } else column = columns - 1;
    }
    const line = lineAt(row);
    const text = line.text.padEnd(column, ' ');
    line.text = text.slice(0, column) + character + text.slice(column + 1);
    column += 1;
  };
  const clear = (toTheEnd: boolean): void => {
    lineAt(row).text = lineAt(row).text.slice(0, column);
    lineAt(row).isWrapped = false;
    if (toTheEnd) lines.length = row + 1;
  };
  const perform = (piece: string): void => {
    const count = Number(/\d+/.exec(piece)?.[0]);
    if (piece === '\n') {
      row += 1;
      column = 0;
      lineAt(row);
    } else if (piece === '\r') column = 0;
    else if (!piece.startsWith('\u001b[')) put(piece);
    else if (piece === '\u001b[J' || piece === '\u001b[K') clear(piece.endsWith('J'));
    else if (piece.endsWith('A')) row = Math.max(0, row - count);
    else if (piece.endsWith('C')) column = Math.min(columns - 1, column + count);
    else if (/\?7[hl]$/.test(piece)) isWrapping = piece.endsWith('h');
  };
  return {
    write(text: string): void {
      for (const [piece] of text.matchAll(SEQUENCE)) perform(piece);
    },
    get columns() {
      return columns;
    },
    rows,
    text: () => lines.map((line) => line.text).join('\n'),
    /** Where the cursor is, both from 0. */
    cursor: () => ({ row, column }),
    /** Gives the screen another width. */
    resize(wanted: number): void {
      const before = lines;
      lines = [];
      let cursor = { row: 0, column: 0 };
      for (let start = 0; start < before.length; ) {
        let end = start;
        while (before[end]?.isWrapped === true && end + 1 < before.length) end += 1;
        const whole = before.slice(start, end + 1);
        const text = whole.map((line) => line.text).join('');
        if (row >= start && row <= end) {
          const place = wrapPlace((row - start) * columns + column, { textLength: text.length, columns: wanted });
          cursor = { row: lines.length + place.row, column: place.column };
        }
        for (let at = 0; at === 0 || at < text.length; at += wanted) {
          lines.push({ text: text.slice(at, at + wanted), isWrapped: at + wanted < text.length });
        }
        start = end + 1;
      }
      columns = wanted;
      ({ row, column } = cursor);
      lineAt(row);
    },
  };
}

/** Where a place in a line is when the line is wrapped. Behind the last character of a full row it is in that row. */
function wrapPlace(
  offset: number,
  { textLength, columns }: { readonly textLength: number; readonly columns: number },
): { row: number; column: number } {
  const isBehindFull = offset > 0 && offset === textLength && offset % columns === 0;
  const row = Math.floor(offset / columns);
  return isBehindFull ? { row: row - 1, column: columns } : { row, column: offset % columns };
}
