import { describe, expect, it } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

const plain = { widthColumns: 40, hasColors: false };

describe('renderMarkdown', () => {
  it('lays out headings, lists, code, quotes and tables without their marks', () => {
    const markdown = [
      '# Title',
      '',
      'Some **bold** and `code < 1`.',
      '',
      '1. one **two**',
      '2. three',
      '   - nested',
      '',
      '```ts',
      'const a = 1;',
      '```',
      '',
      '> quoted',
      '',
      '| a | 名 |',
      '|---|---|',
      '| 1 | 二三 |',
    ].join('\n');
    expect(renderMarkdown(markdown, plain)).toBe(
      [
        'Title',
        '',
        'Some bold and code < 1.',
        '',
        '1. one two',
        '2. three',
        '   • nested',
        '',
        '  const a = 1;',
        '',
        '│ quoted',
        '',
        'a │ 名',
        '──┼─────',
        '1 │ 二三',
      ].join('\n'),
    );
  });

  it('wraps by columns, counting wide characters twice', () => {
    const lines = renderMarkdown('中'.repeat(30), plain).split('\n');
    expect(lines.map((line) => line.length)).toEqual([20, 10]);
  });

  it('shows HTML as it is written and links with their address', () => {
    expect(renderMarkdown('a <b>c</b> [d](http://e.f/)', plain)).toBe('a <b>c</b> d (http://e.f/)');
  });

  it('shows task boxes once', () => {
    expect(renderMarkdown('- [x] done\n- [ ] open', plain)).toBe('• [x] done\n• [ ] open');
  });

  it('styles only where colours are wanted', () => {
    expect(renderMarkdown('**a**', { ...plain, hasColors: true })).toBe('\u001b[1ma\u001b[22m');
  });
});
