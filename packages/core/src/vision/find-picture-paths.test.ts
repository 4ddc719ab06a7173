import { describe, expect, it } from 'vitest';
import { findPicturePaths } from './find-picture-paths.ts';

function firstCandidates(text: string): readonly (string | undefined)[] {
  return findPicturePaths(text).map(({ candidates }) => candidates[0]);
}

describe('findPicturePaths', () => {
  it('finds a bare path and leaves the punctuation after it', () => {
    expect(firstCandidates('What does shot.png say?')).toEqual(['shot.png']);
    expect(firstCandidates('Look at docs/a.b/shot.PNG.')).toEqual(['docs/a.b/shot.PNG']);
    expect(firstCandidates('(see ./one.jpg, two.jpeg; /tmp/three.webp!)')).toEqual([
      './one.jpg',
      'two.jpeg',
      '/tmp/three.webp',
    ]);
    expect(firstCandidates("What is shot.png's title, and shot.png: what else?")).toEqual(['shot.png']);
    expect(firstCandidates('open @shots/a.gif and ~/b.webp')).toEqual(['shots/a.gif', '~/b.webp']);
  });

  it('finds quoted paths with blanks', () => {
    expect(firstCandidates('Read "my shots/first one.png" and \'two 2.jpg\'')).toEqual([
      'my shots/first one.png',
      'two 2.jpg',
    ]);
    expect(firstCandidates('看看“我的 截图.png”和「图 二.jpg」')).toEqual(['我的 截图.png', '图 二.jpg']);
    expect(firstCandidates('Read `a b.png`; "C:\\My Pictures\\c d.png"')).toEqual([
      'a b.png',
      'C:\\My Pictures\\c d.png',
    ]);
    expect(firstCandidates('read my\\ shot.png')).toEqual(['my shot.png']);
  });

  it('is not led astray by apostrophes and by the text between two quoted paths', () => {
    expect(firstCandidates("don't read a.png, it's b.png")).toEqual(['a.png', 'b.png']);
    expect(firstCandidates('"a b.png" or "c d.png"')).toEqual(['a b.png', 'c d.png']);
  });

  it('stops at Chinese punctuation', () => {
    expect(firstCandidates('比较 a.png、b.png,然后看 c.jpg。')).toEqual(['a.png', 'b.png', 'c.jpg']);
    expect(firstCandidates('图片(shot.png)里写了什么?')).toEqual(['shot.png']);
  });

  it('offers both readings of a path that follows Chinese without a blank', () => {
    expect(findPicturePaths('看一下shot.png写了什么')).toEqual([
      { candidates: ['看一下shot.png', 'shot.png'], mayBeLonger: false },
    ]);
    expect(findPicturePaths('请看截图.png')).toEqual([
      { candidates: ['请看截图.png', '截图.png'], mayBeLonger: false },
    ]);
    expect(findPicturePaths('截图.png 里有什么')).toEqual([{ candidates: ['截图.png'], mayBeLonger: false }]);
  });

  it('offers names with blanks, the longest first, and at most three readings', () => {
    const candidates = (text: string) => findPicturePaths(text).map((picture) => picture.candidates);
    expect(candidates('what is in a b photo.jpg')).toEqual([['a b photo.jpg', 'b photo.jpg', 'photo.jpg']]);
    expect(candidates('one two three four five six seven.png')[0]).toHaveLength(3);
    expect(candidates('截图 一.gif 是什么')).toEqual([['截图 一.gif', '一.gif']]);
    expect(candidates('看看截图 一.gif 和 二.png')).toEqual([['截图 一.gif', '一.gif'], ['二.png']]);
    expect(candidates('这个文件夹里的截图 一.gif')[0]?.slice(0, 2)).toEqual([
      '这个文件夹里的截图 一.gif',
      '截图 一.gif',
    ]);
    expect(candidates('read /home/me/my shots/a.png')[0]?.[0]).toBe('/home/me/my shots/a.png');
    expect(candidates('What is on Screenshot 2024-05-01 at 10.11.12.png?')[0]?.[0]).toBe(
      'Screenshot 2024-05-01 at 10.11.12.png',
    );
    expect(candidates('Read Screenshot (12).png, shot (1).png')).toEqual([['Screenshot (12).png'], ['shot (1).png']]);
  });

  it('takes no words of the question for a part of the name', () => {
    for (const text of [
      'What does the text in shot.png say?',
      'please describe the picture shot.png',
      '请比较 shot.png',
    ]) {
      expect(findPicturePaths(text)).toEqual([{ candidates: ['shot.png'], mayBeLonger: true }]);
    }
    expect(findPicturePaths('Hello: shot.png, "a b.png"').map(({ candidates }) => candidates)).toEqual([
      ['shot.png'],
      ['a b.png'],
    ]);
    expect(findPicturePaths('some text ./shot.png')[0]).toEqual({ candidates: ['./shot.png'], mayBeLonger: false });
  });

  it('finds names of formats that are refused with a way out', () => {
    expect(firstCandidates('photo.HEIC and logo.svg')).toEqual(['photo.HEIC', 'logo.svg']);
  });

  it('finds nothing in URLs, other files and plain words', () => {
    expect(firstCandidates('https://example.org/a.png data:image/png;base64,AAAA.png')).toEqual([]);
    expect(firstCandidates('shot.png.bak shot.pngx a.png2 .png notes.md png')).toEqual([]);
    expect(firstCandidates('')).toEqual([]);
  });

  it('names each path once and at most twenty', () => {
    expect(firstCandidates('a.png a.png')).toEqual(['a.png']);
    const many = Array.from({ length: 30 }, (_, index) => `p${index}.png`).join(' ');
    expect(findPicturePaths(many)).toHaveLength(20);
  });
});
