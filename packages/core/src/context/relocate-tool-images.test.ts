import { describe, expect, it } from 'vitest';
import type { RequestImage, RequestMessage } from '../content/request.ts';
import { deepFreeze, fakeDigest } from '../testing/make-transcript.ts';
import { relocateToolImages } from './relocate-tool-images.ts';

const afterGroup = { toolImages: 'after-group', locale: 'en' } as const;

function image(name: string): RequestImage {
  const digest = fakeDigest(name.slice(0, 1));
  const size = { sizeBytes: 10, widthPx: 64, heightPx: 48 };
  return { type: 'image', digest, originalDigest: digest, name, mediaType: 'image/png', ...size };
}

function call(...ids: readonly string[]): RequestMessage {
  return {
    role: 'assistant',
    parts: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, name: 'view_image', arguments: '{}' })),
  };
}

function answer(toolCallId: string, ...images: readonly RequestImage[]): RequestMessage {
  return { role: 'tool', toolCallId, toolName: 'view_image', isError: false, text: `text of ${toolCallId}`, images };
}

function said(text: string): RequestMessage {
  return { role: 'user', origin: 'user', parts: [{ type: 'text', text }] };
}

function carrier(...pictures: readonly (readonly [string, RequestImage])[]): RequestMessage {
  return {
    role: 'user',
    origin: 'synthetic',
    parts: [
      { type: 'text', text: 'Attached media from tool result:' },
      ...pictures.flatMap(([toolCallId, picture]) => [
        { type: 'text' as const, text: `Picture of tool call ${toolCallId} (view_image): ${picture.name}` },
        picture,
      ]),
    ],
  };
}

describe('relocateToolImages', () => {
  it('puts the picture of one call into a synthetic message after its text', () => {
    const messages = deepFreeze([said('look'), call('c1'), answer('c1', image('a.png')), said('next')]);
    expect(relocateToolImages(messages, afterGroup)).toEqual([
      said('look'),
      call('c1'),
      answer('c1'),
      carrier(['c1', image('a.png')]),
      said('next'),
    ]);
  });

  it('says what was done to a picture, in its line or in the text of its tool', () => {
    const scaled: RequestImage = {
      ...image('a.png'),
      ...{ originalWidthPx: 128, originalHeightPx: 96, changes: ['resized'] },
    };
    const messages = deepFreeze([call('c1', 'c2'), answer('c1', scaled), answer('c2', image('b.png'))]);
    const words = 'Original 128×96, sent as 64×48 (factor 0.5).';
    const moved = relocateToolImages(messages, afterGroup).at(-1);
    expect(moved).toMatchObject({
      parts: [
        {},
        { text: `Picture of tool call c1 (view_image): a.png. ${words}` },
        {},
        { text: 'Picture of tool call c2 (view_image): b.png' },
        {},
      ],
    });
    const inline = relocateToolImages(messages, { toolImages: 'inline', locale: 'en' });
    expect(inline).toMatchObject([{}, { text: `text of c1\n${words}`, images: [scaled] }, { text: 'text of c2' }]);
  });

  for (const [place, index] of [
    ['first', 0],
    ['middle', 1],
    ['last', 2],
  ] as const) {
    for (const count of [1, 2, 3]) {
      if (index >= count) continue;
      it(`waits for the whole group of ${count} when the picture comes ${place}`, () => {
        const ids = ['c1', 'c2', 'c3'].slice(0, count);
        const answers = ids.map((id, at) => (at === index ? answer(id, image('a.png')) : answer(id)));
        const relocated = relocateToolImages(deepFreeze([call(...ids), ...answers]), afterGroup);
        expect(relocated).toEqual([
          call(...ids),
          ...ids.map((id) => answer(id)),
          carrier([ids[index] ?? '', image('a.png')]),
        ]);
      });
    }
  }

  it('keeps call order when several calls of a group give pictures', () => {
    const messages = deepFreeze([
      call('c1', 'c2', 'c3'),
      answer('c1', image('a.png')),
      answer('c2'),
      answer('c3', image('c.png'), image('d.png')),
    ]);
    expect(relocateToolImages(messages, afterGroup).at(-1)).toEqual(
      carrier(['c1', image('a.png')], ['c3', image('c.png')], ['c3', image('d.png')]),
    );
  });

  it('gives each of two groups in a row its own message', () => {
    const messages = [
      call('c1'),
      answer('c1', image('a.png')),
      call('c2', 'c3'),
      answer('c2'),
      answer('c3', image('b.png')),
    ];
    expect(relocateToolImages(messages, afterGroup)).toEqual([
      call('c1'),
      answer('c1'),
      carrier(['c1', image('a.png')]),
      call('c2', 'c3'),
      answer('c2'),
      answer('c3'),
      carrier(['c3', image('b.png')]),
    ]);
  });

  it('passes messages without pictures of tools through, the very same ones', () => {
    const messages = deepFreeze([
      said('look'),
      call('c1'),
      answer('c1'),
      { role: 'user', origin: 'user', parts: [image('u.png')] } as const,
    ]);
    const relocated = relocateToolImages(messages, afterGroup);
    expect(relocated).toHaveLength(messages.length);
    expect(relocated.every((message, index) => message === messages[index])).toBe(true);
    expect(relocated).not.toBe(messages);
  });

  it('leaves pictures in the result where the endpoint takes them there', () => {
    const messages = [call('c1'), answer('c1', image('a.png'))];
    expect(relocateToolImages(messages, { toolImages: 'inline', locale: 'en' })).toEqual(messages);
  });

  it('moves them the same way for endpoints that take them only at the top level', () => {
    const messages = [call('c1'), answer('c1', image('a.png'))];
    expect(relocateToolImages(messages, { toolImages: 'toplevel-user', locale: 'en' })).toEqual(
      relocateToolImages(messages, afterGroup),
    );
  });

  it('names the call in the language of the session and keeps the constant', () => {
    const messages = [call('c1'), answer('c1', image('a.png'))];
    expect(relocateToolImages(messages, { toolImages: 'after-group', locale: 'zh-CN' }).at(-1)).toMatchObject({
      parts: [
        { text: 'Attached media from tool result:' },
        { text: '工具调用 c1(view_image)的图片:a.png' },
        { type: 'image' },
      ],
    });
  });
});
