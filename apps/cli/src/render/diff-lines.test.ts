import type { FileDiff } from '@fovea/core/content';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';
import { turnTexts } from './turn-texts.ts';

const diff: FileDiff = {
  path: 'src/page.html',
  isNew: false,
  addedLines: 1,
  removedLines: 1,
  text: '--- src/page.html\n+++ src/page.html\n@@ -1,2 +1,2 @@\n <p>\n-<b>Tota</b>\n+<b>Total</b>\n',
  isCut: false,
};
const plain = { hasColors: false, texts: turnTexts('en') };

describe('diffLines', () => {
  it('shows the counts and the changed lines, not the header', () => {
    expect(diffLines(diff, plain)).toEqual([
      '  src/page.html +1 -1',
      '    @@ -1,2 +1,2 @@',
      '     <p>',
      '    -<b>Tota</b>',
      '    +<b>Total</b>',
    ]);
  });

  it('paints what was added and what was removed', () => {
    const painted = diffLines(diff, { ...plain, hasColors: true }).join('\n');
    expect(painted).toContain('\u001b[31m-<b>Tota</b>\u001b[39m');
    expect(painted).toContain('\u001b[32m+<b>Total</b>\u001b[39m');
  });

  it('says how many lines of a long change are not shown', () => {
    const text = Array.from({ length: 60 }, (_, index) => `+line ${index}`).join('\n');
    const lines = diffLines({ ...diff, text, addedLines: 60 }, plain);
    expect(lines).toHaveLength(42);
    expect(lines.at(-1)).toBe('    … 20 more lines');
  });

  it('obeys no escape sequences of a file', () => {
    const lines = diffLines({ ...diff, text: '+\u001b]0;owned\u0007\u001b[2J' }, plain).join('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(lines).not.toMatch(/[\u0007\u001b]/);
  });
});
