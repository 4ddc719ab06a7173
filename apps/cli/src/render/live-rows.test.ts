import { describe, expect, it } from 'vitest';
import { createTerminalScreen } from '../../../../packages/core/src/testing/terminal-screen.ts';
import { LiveRows, splitRows } from './live-rows.ts';

describe('LiveRows', () => {
  it('draws rows in the place of the former ones, with the cursor among them', () => {
    const screen = createTerminalScreen(24, 20);
    const live = new LiveRows(screen);
    screen.write('above\n');
    live.draw(['one', 'two', 'three'], { row: 1, column: 2 });
    expect([screen.text(), screen.cursor()]).toEqual(['above\none\ntwo\nthree', { row: 2, column: 2 }]);
    live.draw(['only']);
    expect([screen.text(), screen.cursor()]).toEqual(['above\nonly', { row: 1, column: 4 }]);
    live.erase();
    expect([screen.text(), screen.cursor()]).toEqual(['above\n', { row: 1, column: 0 }]);
  });

  it('takes rows away that a narrower screen has wrapped', () => {
    for (const columns of [7, 10, 19, 40]) {
      const screen = createTerminalScreen(24, 20);
      const live = new LiveRows(screen);
      screen.write('above\n');
      live.draw(['a'.repeat(19), '', 'b'.repeat(15)], { row: 2, column: 12 });
      screen.resize(columns);
      live.draw(['done']);
      expect(screen.text()).toBe('above\ndone');
    }
    for (const columns of [15, 5, 8]) {
      const screen = createTerminalScreen(24, 20);
      const live = new LiveRows(screen);
      screen.write('above\n');
      live.draw(['b'.repeat(15)]);
      screen.resize(columns);
      live.draw(['done']);
      expect(screen.text()).toBe('above\ndone');
    }
  });

  it('cuts a row that is wider than it seems instead of letting it wrap', () => {
    const screen = createTerminalScreen(24, 10);
    const live = new LiveRows(screen);
    live.draw(['x'.repeat(25), 'y']);
    expect(screen.text().split('\n')).toHaveLength(2);
    live.erase();
    screen.write('z'.repeat(12));
    expect(screen.text()).toBe(`${'z'.repeat(10)}\nzz`);
  });

  it('writes nothing when nothing has changed', () => {
    let writes = 0;
    const live = new LiveRows({ write: () => (writes += 1), columns: 20 });
    for (let count = 0; count < 5; count += 1) live.draw(['same'], { row: 0, column: 1 });
    expect(writes).toBe(1);
  });
});

describe('splitRows', () => {
  it('continues long lines in the next row and gives tabs their places', () => {
    expect(splitRows('a\tb\n你好你好你好', 10)).toEqual(['a       b', '你好你好你', '好']);
  });
});
