import { describe, expect, it } from 'vitest';
import { layOutLine, layOutRow } from './lay-out-line.ts';

const line = (text: string, cursor = text.length) => ({ prompt: '› ', text, cursor });

describe('layOutLine', () => {
  it('breaks a line where it is full, and never inside a wide character', () => {
    expect(layOutLine(line('abcdefgh'), { widthColumns: 6, mostRows: 10 })).toEqual({
      rows: ['› abcd', 'efgh'],
      cursor: { row: 1, column: 4 },
    });
    expect(layOutLine(line('abc你好'), { widthColumns: 6, mostRows: 10 }).rows).toEqual(['› abc', '你好']);
    expect(layOutLine(line('ab你'), { widthColumns: 6, mostRows: 10 })).toEqual({
      rows: ['› ab你', ''],
      cursor: { row: 1, column: 0 },
    });
  });

  it('puts the cursor where the next character will be', () => {
    expect(layOutLine(line('你好e\u0301x', 2), { widthColumns: 20, mostRows: 9 }).cursor).toEqual({
      row: 0,
      column: 6,
    });
    expect(layOutLine(line('你好e\u0301x', 4), { widthColumns: 20, mostRows: 9 }).cursor).toEqual({
      row: 0,
      column: 7,
    });
  });

  it('gives the rows around the cursor when there are more than the screen has', () => {
    const long = Array.from({ length: 30 }, (_, index) => String(index).padStart(4, '0')).join('');
    const atEnd = layOutLine({ prompt: '', text: long, cursor: long.length }, { widthColumns: 8, mostRows: 3 });
    expect(atEnd).toEqual({ rows: ['00260027', '00280029', ''], cursor: { row: 2, column: 0 } });
    const atStart = layOutLine({ prompt: '', text: long, cursor: 0 }, { widthColumns: 8, mostRows: 3 });
    expect(atStart).toEqual({ rows: ['00000001', '00020003', '00040005'], cursor: { row: 0, column: 0 } });
  });

  it('shows nothing that would move the cursor or turn the direction', () => {
    expect(layOutLine(line('a\u001b[2Jb\u202ec\nd\te'), { widthColumns: 40, mostRows: 9 }).rows).toEqual([
      '› a[2Jbc↵d e',
    ]);
  });
});

describe('layOutRow', () => {
  it('shows what stands around the cursor of a line that is too long', () => {
    expect(layOutRow(line('short'), 20).rows).toEqual(['› short']);
    const long = 'abcdefghijklmnopqrstuvwxyz';
    expect(layOutRow(line(long), 12)).toEqual({ rows: ['…rstuvwxyz'], cursor: { row: 0, column: 10 } });
    expect(layOutRow(line(long, 0), 12)).toEqual({ rows: ['› abcdefgh…'], cursor: { row: 0, column: 2 } });
    expect(layOutRow(line('你'.repeat(20)), 12).rows).toEqual(['…你你你你']);
  });

  it('takes a pasted book at once', () => {
    expect(layOutRow(line('word '.repeat(40_000)), 80).rows[0]).toHaveLength(78);
  });
});
