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

  it('waits with a block that is higher than the screen, because what scrolled away cannot be redrawn', () => {
    const screen = createTerminalScreen(4);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.write('- a\n- b\n- c\n- d\n- e');
    expect(screen.text()).toBe('');
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
        expect(screen.text()).not.toContain('waiting');
      }
      stream.showStatus('waiting 1 s');
      stream.end();
      expect(screen.text()).toBe(expected);
    }
  });

  it('keeps a status line on one row', () => {
    const screen = createTerminalScreen(24);
    const stream = new MarkdownStream(screen, { hasColors: false });
    stream.showStatus('w'.repeat(100));
    expect(screen.text()).toBe(`${'w'.repeat(58)}…`);
  });
});
