import { describe, expect, it } from 'vitest';
import { MarkdownStream } from './markdown-stream.ts';
import { renderMarkdown } from './render-markdown.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read.
const SEQUENCE = /\u001b\[(?:\d+A|J)|[\s\S]/g;

/** A screen that understands what the stream uses: line feed, carriage return, up, clear to the end. */
function createScreen(rows: number) {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
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
      } else if (piece.startsWith('\u001b[')) row -= Number(/\d+/.exec(piece)?.[0]);
      else put(piece);
    }
  };
  return { write, columns: 60, rows, text: () => lines.join('\n') };
}

const answer = '# Seen\n\nThe **dialog** says:\n\n- one `a`\n- two\n\n```\ncode\n\nmore\n```\n\nLast line without end';

describe('MarkdownStream', () => {
  it('leaves the same screen as the whole text, whatever the pieces were', () => {
    const expected = `${renderMarkdown(answer, { widthColumns: 59, hasColors: false })}\n`;
    for (const size of [1, 2, 3, 7, 1000]) {
      const screen = createScreen(24);
      const stream = new MarkdownStream(screen, { hasColors: false });
      for (let start = 0; start < answer.length; start += size) stream.write(answer.slice(start, start + size));
      stream.end();
      expect(screen.text()).toBe(expected);
    }
  });

  it('shows a block before it is finished', () => {
    const screen = createScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('Half a sen');
    expect(screen.text()).toBe('Half a sen');
  });

  it('waits with a block that is higher than the screen, because what scrolled away cannot be redrawn', () => {
    const screen = createScreen(4);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('- a\n- b\n- c\n- d\n- e');
    expect(screen.text()).toBe('');
    stream.end();
    expect(screen.text()).toBe('• a\n• b\n• c\n• d\n• e\n');
  });

  it('drops escape sequences that the model wrote', () => {
    const screen = createScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('a\u001b]0;title\u0007b\u001b[2Jc');
    stream.end();
    expect(screen.text()).toBe('abc\n');
  });
});
