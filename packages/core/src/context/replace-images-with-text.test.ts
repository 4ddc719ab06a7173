import { describe, expect, it } from 'vitest';
import type { RequestImage, RequestMessage } from '../content/request.ts';
import { deepFreeze, fakeDigest } from '../testing/make-transcript.ts';
import { replaceImagesWithText } from './replace-images-with-text.ts';

function image(name: string, digit: string): RequestImage {
  const digest = fakeDigest(digit);
  const size = { sizeBytes: 10, widthPx: 64, heightPx: 48 };
  return { type: 'image', digest, originalDigest: digest, name, mediaType: 'image/png', ...size };
}

function toolMessage(text: string, images: readonly RequestImage[]): RequestMessage {
  return { role: 'tool', toolCallId: 'c1', toolName: 'view_image', isError: false, text, images };
}

const imageResult = '{"content":"Image read: docs/a.png","total_lines":0,"media_type":"image"}';

describe('replaceImagesWithText', () => {
  it('leaves no picture anywhere, each replaced at its place', () => {
    const messages = deepFreeze<readonly RequestMessage[]>([
      { role: 'system', text: 'head' },
      {
        role: 'user',
        origin: 'user',
        parts: [image('b.png', 'b'), image('a.png', 'a'), { type: 'text', text: 'compare' }],
      },
      { role: 'assistant', parts: [{ type: 'text', text: 'ok' }] },
      toolMessage(imageResult, [image('docs/a.png', 'a')]),
    ]);
    const { messages: replaced, notices } = replaceImagesWithText(messages, 'en');
    expect(JSON.stringify(replaced)).not.toContain('"image"');
    expect(replaced[1]).toEqual({
      role: 'user',
      origin: 'user',
      parts: [
        { type: 'text', text: expect.stringMatching(/^\[Picture not shown: b\.png \(image\/png, 64×48\)/) },
        { type: 'text', text: expect.stringMatching(/^\[Picture not shown: a\.png/) },
        { type: 'text', text: 'compare' },
      ],
    });
    expect(replaced[0]).toBe(messages[0]);
    expect(replaced[2]).toBe(messages[2]);
    expect(notices).toEqual([
      { kind: 'replaced-by-notice', digest: fakeDigest('b'), name: 'b.png' },
      { kind: 'replaced-by-notice', digest: fakeDigest('a'), name: 'a.png' },
      { kind: 'replaced-by-notice', digest: fakeDigest('a'), name: 'docs/a.png', toolCallId: 'c1' },
    ]);
  });

  it('shows the fixed sentence for the picture of a tool, and that it was not understood', () => {
    const messages = [toolMessage(imageResult, [image('docs/screenshot.png', 'a')])];
    expect(replaceImagesWithText(messages, 'zh-CN').messages[0]).toMatchObject({
      text: '错误:无法读取图片(当前模型不支持图片输入)。请告知用户切换到支持视觉的模型后重试。文件:docs/screenshot.png\n图片未被理解。',
      images: [],
    });
    expect(replaceImagesWithText(messages, 'en').messages[0]).toMatchObject({
      text: 'Error: the image cannot be read (the current model takes no image input). Tell the user to switch to a model that supports vision and try again. File: docs/screenshot.png\nThe image was not understood.',
    });
  });

  it('keeps the text of a tool that says something besides its picture', () => {
    const [replaced] = replaceImagesWithText([toolMessage('Page loaded.', [image('page.png', 'a')])], 'en').messages;
    expect(replaced).toMatchObject({ text: expect.stringMatching(/^Page loaded\.\nError: the image cannot be read/) });
  });
});
