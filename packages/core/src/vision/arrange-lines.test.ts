import { describe, expect, it } from 'vitest';
import { arrangeLines, type RecognizedWord } from './arrange-lines.ts';

/** A word of 10 px a letter (20 a Chinese character) and 20 px height at its left upper corner. */
function word(text: string, left: number, top: number, confidence = 95): RecognizedWord {
  const widthPx = [...text].reduce((sum, sign) => sum + (/\p{Script=Han}/u.test(sign) ? 20 : 10), 0);
  return { text, confidence, left, top, right: left + widthPx, bottom: top + 20 };
}

describe('arrangeLines', () => {
  it('keeps the lines of the picture from top to bottom, with an empty line for a wide gap', () => {
    const lines = [[word('third', 0, 110)], [word('first', 0, 0)], [word('second', 0, 26)]];
    expect(arrangeLines(lines)).toEqual(['first', 'second', '', 'third']);
  });

  it('joins the pieces of one row from left to right and shows the gap', () => {
    const lines = [[word('Cancel', 300, 2)], [word("Don't", 0, 0), word('save', 60, 0)], [word('OK', 375, 1)]];
    expect(arrangeLines(lines)).toEqual(["Don't save    Cancel OK"]);
  });

  it('does not let a tall piece swallow the rows beside it', () => {
    const tall = { text: 'LOGO', confidence: 95, left: 0, top: 0, right: 100, bottom: 80 };
    const lines = [[tall], [word('first', 150, 5)], [word('second', 150, 50)]];
    expect(arrangeLines(lines)).toHaveLength(3);
  });

  it('writes Chinese without blanks and keeps those around Latin words', () => {
    const lines = [[word('保存', 0, 0), word('更', 44, 0), word('改', 66, 0), word('128', 105, 0), word('GB', 145, 0)]];
    expect(arrangeLines(lines)).toEqual(['保存更改 128 GB']);
  });

  it('writes no blank between characters whose boxes are narrow, and one where a character could stand', () => {
    const narrow = (left: number): RecognizedWord => ({ ...word('一', left, 0), right: left + 4 });
    expect(arrangeLines([[narrow(0), narrow(20), narrow(40), narrow(66)]])).toEqual(['一一一 一']);
  });

  it('drops uncertain words and lines of noise', () => {
    const lines = [
      [word('Settings', 0, 0), word('xq', 100, 0, 20), word('~', 140, 0, 60)],
      [word('ril', 0, 40, 30), word('vv', 40, 40, 50)],
      [word('|', 0, 80, 96)],
      [word('v', 0, 120, 80)],
    ];
    expect(arrangeLines(lines)).toEqual(['Settings']);
  });

  it('keeps an uncertain word whose line is certain', () => {
    const lines = [[word('Save', 0, 0), word('"report"', 50, 0, 3), word('now', 140, 0)]];
    expect(arrangeLines(lines)).toEqual(['Save "report" now']);
  });

  it('keeps a digit that stands alone', () => {
    expect(arrangeLines([[word('7', 0, 0, 80)]])).toEqual(['7']);
  });

  it('takes no icon of an English picture for a Chinese character', () => {
    const english = [word('Control', 0, 0), word('panel', 80, 0), word('overview', 140, 0)];
    expect(arrangeLines([english, [word('一', 0, 60, 95)], [word('二人', 0, 120, 60)]])).toEqual([
      'Control panel overview',
    ]);
    expect(arrangeLines([english, [word('设置', 0, 60, 92)]])).toEqual(['Control panel overview', '', '设置']);
  });

  it('keeps an uncertain character of a certain line of Chinese in an English picture', () => {
    const english = Array.from({ length: 4 }, (_, index) => word('Questions?', index * 120, 0));
    const chinese = [word('夏', 0, 60), word('日', 22, 60, 60), word('音乐', 44, 60)];
    expect(arrangeLines([english, chinese]).at(-1)).toBe('夏日音乐');
  });

  it('gives nothing for nothing', () => {
    expect(arrangeLines([])).toEqual([]);
    expect(arrangeLines([[word(' ', 0, 0)]])).toEqual([]);
  });
});
