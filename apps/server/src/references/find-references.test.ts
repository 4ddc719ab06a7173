import { describe, expect, it } from 'vitest';
import { findReferences } from './find-references.ts';

const pathsIn = (text: string) => findReferences(text).map(({ candidates }) => candidates);

describe('findReferences', () => {
  it('finds paths, quoted ones with blanks, and those below the attachment folders', () => {
    expect(
      pathsIn('compare @shots/a.png with @"my shots/b c.png", @.fovea/attachments/x.png and @.reasonix/attachments/y'),
    ).toEqual([['shots/a.png'], ['my shots/b c.png'], ['.fovea/attachments/x.png'], ['.reasonix/attachments/y']]);
  });

  it('leaves out the punctuation that ends a sentence or closes a bracket', () => {
    for (const end of ['.', ',', ';', ':', '!', '?', ')', ']', '}', '?!', ').', '。', ',然后']) {
      expect(pathsIn(`look at @src/a.ts${end}`)[0]).toContain('src/a.ts');
    }
    expect(pathsIn('(see @src/a.ts)')).toEqual([['src/a.ts']]);
    expect(pathsIn('see @src/.')).toEqual([['src/']]);
  });

  it('takes no e-mail address, nothing inside a path and no lone @', () => {
    for (const text of ['me@example.com', 'a.b+c@x.y', 'x_@a.png', 'a/@b.png', 'a @ b', 'at @. and @)']) {
      expect(pathsIn(text)).toEqual([]);
    }
  });

  it('finds a path between Chinese words, with every place where it may end', () => {
    expect(pathsIn('请看@截图/一.png是什么颜色？')).toEqual([['截图/一.png是什么颜色', '截图/一.png', '截图/']]);
    expect(pathsIn('比较@a.png，还有@b.png。')).toEqual([['a.png，还有@b.png', 'a.png'], ['b.png']]);
  });

  it('tells where each stands, and takes a very long text in good time', () => {
    expect(findReferences('x @a @b').map(({ index }) => index)).toEqual([2, 5]);
    expect(findReferences(`@${'a'.repeat(500_000)}`)).toHaveLength(1);
    expect(findReferences('@，'.repeat(50_000)).every(({ candidates }) => candidates.length <= 6)).toBe(true);
  });
});
