import { describe, expect, it } from 'vitest';
import { parsePicturePositions } from './picture-position.ts';

describe('parsePicturePositions', () => {
  it.each([
    ['messages.3.content.1', [{ list: 'messages', itemIndex: 3, partIndex: 1 }]],
    ['messages[3]', [{ list: 'messages', itemIndex: 3 }]],
    ["Invalid 'messages[3]'. Image URLs", [{ list: 'messages', itemIndex: 3 }]],
    ['messages.[12].role', [{ list: 'messages', itemIndex: 12 }]],
    ['messages.[2].content.[0].type', [{ list: 'messages', itemIndex: 2, partIndex: 0 }]],
    ['input[5].output[3].image_url', [{ list: 'input', itemIndex: 5, partIndex: 3 }]],
    ['messages.0.content.1.content.0', [{ list: 'messages', itemIndex: 0, partIndex: 1, innerIndex: 0 }]],
    ['messages.3.content.1.image.source.base64.data: too large', [{ list: 'messages', itemIndex: 3, partIndex: 1 }]],
    [
      'messages.1.content.0\nmessages.4.content.2\nmessages.1.content.0',
      [
        { list: 'messages', itemIndex: 1, partIndex: 0 },
        { list: 'messages', itemIndex: 4, partIndex: 2 },
      ],
    ],
  ])('reads %s', (text, expected) => {
    expect(parsePicturePositions(text)).toEqual(expected);
  });

  it.each([
    '',
    'image_url',
    'input',
    'messages',
    'in your messages. 3 of them',
    'messages.content.type',
    'submessages[2]',
  ])('finds no place in %j', (text) => {
    expect(parsePicturePositions(text)).toEqual([]);
  });
});
