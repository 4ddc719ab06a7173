import { describe, expect, it } from 'vitest';
import { deepFreeze, fakeDigest } from '../testing/make-transcript.ts';
import { parseOldMessage } from './parse-old-message.ts';

const row = { id: 'msg_1', turnId: 'turn_1' };
const common = { ...row, createdAt: '1970-01-01T00:00:00.000Z' };
const DATA_URI = 'data:image/png;base64,iVBORw0KGgo=';
const parse = (value: unknown) => parseOldMessage(deepFreeze(value), row);

describe('parseOldMessage', () => {
  it("reads a user's message of its role, text and images, with id and turn of its row", () => {
    const images = [DATA_URI, 'https://host/a.png', 'file-api-abc'];
    expect(parse({ role: 'user', content: 'look', images })).toEqual({
      ok: true,
      value: {
        ...common,
        role: 'user',
        content: 'look',
        imageInputs: [
          { dataUri: DATA_URI },
          { url: 'https://host/a.png' },
          { file: { channel: '', id: 'file-api-abc' } },
        ],
      },
    });
    expect(parse({ role: 'user', content: 'hello' })).toMatchObject({ ok: true, value: { imageInputs: [] } });
  });

  it('reads an answer with its calls', () => {
    const toolCalls = [{ id: 'call_1', name: 'read_file', arguments: '{"path":"a.png"}' }];
    expect(parse({ role: 'assistant', content: 'I look.', toolCalls })).toEqual({
      ok: true,
      value: {
        ...common,
        role: 'assistant',
        parts: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'call_1', name: 'read_file', arguments: '{"path":"a.png"}' },
        ],
        model: '',
        status: 'completed',
      },
    });
    expect(parse({ role: 'assistant', content: '' })).toMatchObject({ ok: true, value: { parts: [] } });
  });

  it('reads a result with pictures that it holds and with pictures that it refers to', () => {
    const stored = {
      mime: 'image/png',
      path: 'b.png',
      digest: fakeDigest('b'),
      width: 4,
      height: 3,
      size_bytes: 9,
    };
    const held = { mime: 'image/png', path: 'a.png', data_uri: DATA_URI };
    const message = { role: 'tool', toolCallId: 'call_1', content: '{}', metadata: { attachments: [held, stored] } };
    expect(parse(message)).toEqual({
      ok: true,
      value: {
        ...common,
        role: 'tool',
        toolCallId: 'call_1',
        toolName: '',
        content: '{}',
        isError: false,
        metadata: {
          attachments: [stored],
          legacyPictures: [{ mime: 'image/png', path: 'a.png', dataUri: DATA_URI }],
        },
      },
    });
    expect(parse({ role: 'tool', content: 'done' })).toMatchObject({
      ok: true,
      value: { toolCallId: '', metadata: { attachments: [] } },
    });
  });

  it('rejects a message that has both fields of pictures', () => {
    expect(parse({ role: 'user', content: '', images: [], imageInputs: [] })).toEqual({
      ok: false,
      error: 'BOTH_IMAGE_FIELDS',
    });
  });

  it.each([
    [null],
    [{ role: 'system', content: '' }],
    [{ role: 'user', content: 1 }],
    [{ role: 'user', content: '', images: [1] }],
    [{ role: 'assistant', content: '', toolCalls: [{ id: 1, name: 'a', arguments: '' }] }],
    [{ role: 'assistant', content: '', toolCalls: ['a'] }],
    [{ role: 'tool', content: '', metadata: { attachments: [{ path: 'a.png' }] } }],
    [{ role: 'tool', content: '', metadata: { attachments: 'a.png' } }],
  ])('refuses what is no message (%#)', (value) => {
    expect(parse(value)).toEqual({ ok: false, error: 'RECORD_INVALID' });
  });
});
