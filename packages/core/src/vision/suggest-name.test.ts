import { describe, expect, it } from 'vitest';
import { suggestName } from './suggest-name.ts';

describe('suggestName', () => {
  it('finds slips of the pen, other separators, another case and another extension', () => {
    const names = ['notes.png', 'shot.png', 'My_Photo-1.JPG', '截图 一.gif'];
    expect(suggestName('shto.png', names)).toBe('shot.png');
    expect(suggestName('shots.png', names)).toBe('shot.png');
    expect(suggestName('my photo 1.jpg', names)).toBe('My_Photo-1.JPG');
    expect(suggestName('shot.jpg', names)).toBe('shot.png');
    expect(suggestName('截图一.gif', names)).toBe('截图 一.gif');
  });

  it('finds a longer name that ends with the wanted one', () => {
    expect(suggestName('cat.jpg', ['a.png', 'my photo of the cat.jpg'])).toBe('my photo of the cat.jpg');
  });

  it('suggests nothing that is unlike it', () => {
    expect(suggestName('invoice.png', ['shot.png', 'a.png', 'views.png'])).toBeUndefined();
    expect(suggestName('a.png', [])).toBeUndefined();
  });
});
