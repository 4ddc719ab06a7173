// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read.
const SEQUENCE = /\u001b\[(?:\d+A|J|\d*m)|[\s\S]/g;

const COLUMNS = 60;

/** A screen that understands what the stream uses: line feed, carriage return, up, clear to the end; it wraps. */
export function createTerminalScreen(rows: number) {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    if (column === COLUMNS) {
      row += 1;
      column = 0;
      lines[row] ??= '';
    }
    const line = (lines[row] ?? '').padEnd(column, ' ');
    lines[row] = line.slice(0, column) + character + line.slice(column + 1);
    column += 1;
  };
  const write = (text: string): void => {
    for (const [piece] of text.matchAll(SEQUENCE)) {
      if (piece === '\n') {
        row += 1;
        column = 0;
        lines[row] ??= '';
      } else if (piece === '\r') column = 0;
      else if (piece === '\u001b[J') {
        lines[row] = (lines[row] ?? '').slice(0, column);
        lines.length = row + 1;
      } else if (piece.endsWith('m') && piece.length > 1) continue;
      else if (piece.startsWith('\u001b[')) row -= Number(/\d+/.exec(piece)?.[0]);
      else put(piece);
    }
  };
  return { write, columns: COLUMNS, rows, text: () => lines.join('\n') };
}
