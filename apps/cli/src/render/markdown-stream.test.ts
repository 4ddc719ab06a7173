import { describe, expect, it } from 'vitest';
import { createTerminalScreen } from '../../../../packages/core/src/testing/terminal-screen.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { renderMarkdown } from './render-markdown.ts';

const answer = '# Seen\n\nThe **dialog** says:\n\n- one `a`\n- two\n\n```\ncode\n\nmore\n```\n\nLast line without end';

describe('MarkdownStream', () => {
  it('leaves the same screen as the whole text, whatever the pieces were', () => {
    const expected = `${renderMarkdown(answer, { widthColumns: 59, hasColors: false })}\n`;
    for (const size of [1, 2, 3, 7, 1000]) {
      const screen = createTerminalScreen(24);
      const stream = new MarkdownStream(screen, { hasColors: false });
      for (let start = 0; start < answer.length; start += size) stream.write(answer.slice(start, start + size));
      stream.end();
      expect(screen.text()).toBe(expected);
    }
  });

  it('shows a block before it is finished', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('Half a sen');
    expect(screen.text()).toBe('Half a sen');
  });

  it('shows the end of a block that is higher than the screen, because what scrolled away cannot be redrawn', () => {
    const screen = createTerminalScreen(4);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('- a\n- b\n- c\n- d\n- e');
    expect(screen.text()).toBe('• c\n• d\n• e');
    stream.end();
    expect(screen.text()).toBe('• a\n• b\n• c\n• d\n• e\n');
  });

  it('drops escape sequences that the model wrote', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('a\u001b]0;title\u0007b\u001b[2Jc');
    stream.end();
    expect(screen.text()).toBe('abc\n');
  });

  it('takes a status line away without a trace, wherever in the answer it was drawn', () => {
    const expected = `${renderMarkdown(answer, { widthColumns: 59, hasColors: false })}\n`;
    for (const size of [1, 5, 23]) {
      const screen = createTerminalScreen(24);
      const stream = new MarkdownStream(screen, { hasColors: false });
      for (let start = 0; start < answer.length; start += size) {
        stream.showStatus('waiting 1 s');
        stream.showStatus('waiting 2 s');
        expect(screen.text().split('\n').at(-1)).toBe('waiting 2 s');
        stream.write(answer.slice(start, start + size));
        stream.hideStatus();
        expect(screen.text()).not.toContain('waiting');
      }
      stream.showStatus('waiting 1 s');
      stream.end();
      expect(screen.text()).toBe(expected);
    }
  });

  it('keeps the status below the answer while it goes on, also below a block that is printed as it is written', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.showStatus('› typed', 3);
    for (let count = 0; count < 2000; count += 1) stream.write(`line ${count}\n`);
    expect(screen.text()).toMatch(/line 1500\n[\s\S]*\n› typed$/);
    expect(screen.text().match(/typed/g)).toHaveLength(1);
    expect(screen.cursor().column).toBe(3);
    stream.end();
    expect(screen.text()).toMatch(/line 1999\n$/);
  });

  it('prints lines of another kind above the block that is being written, which goes on', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('First.\n\n```\ncode');
    stream.insert('Attached a.png\n');
    expect(screen.text()).toBe('First.\nAttached a.png\n\n  code');
    stream.write(' more\n```');
    stream.end();
    expect(screen.text()).toBe('First.\nAttached a.png\n\n  code more\n');
  });

  it('leaves nothing behind when the screen becomes narrower or wider in the middle of an answer', () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`);
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.showStatus('› what is typed meanwhile, in a row of its own');
    for (const [index, word] of words.entries()) {
      stream.write(`${word} `);
      if (index === 20) screen.resize(30);
      if (index === 40) screen.resize(100);
      stream.showStatus(`› typed ${index}`);
    }
    stream.end();
    expect(screen.text()).toBe(`${renderMarkdown(words.join(' '), { widthColumns: 99, hasColors: false })}\n`);
  });

  it('prints a block that is too long as it is written, and goes on with Markdown after it', () => {
    const long = 'word '.repeat(4000);
    for (const [before, after] of [
      ['', '\n\n'],
      ['```\n', '\n```\n'],
    ]) {
      const screen = createTerminalScreen(24);
      const stream = new MarkdownStream(screen, { hasColors: false });
      const text = `${before}${long}${after}**end**`;
      for (let start = 0; start < text.length; start += 1000) stream.write(text.slice(start, start + 1000));
      stream.end();
      expect(screen.text().replaceAll(/\s+/g, '').match(/word/g)).toHaveLength(4000);
      expect(screen.text().trim().split('\n').at(-1)).toBe('end');
    }
  });

  it('shows text that is nested too deeply to be laid out', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('>'.repeat(4000));
    stream.end();
    expect(screen.text().match(/>/g)).toHaveLength(4000);
  });

  it('parses a growing text a number of times that does not grow with its pieces', () => {
    let writes = 0;
    const stream = new MarkdownStream({ write: () => (writes += 1), columns: 80, rows: 24 }, { hasColors: false });
    for (let count = 0; count < 20_000; count += 1) stream.write('word ');
    stream.end();
    // One write for each piece of 2 KiB, and one erase and draw for each 40 ms.
    expect(writes).toBeLessThan(2000);
  });
});
