import { describe, expect, it } from 'vitest';
import { isAppError } from '../base/app-error.ts';
import { type EventFrame, readEventStream } from './event-stream.ts';

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<EventFrame[]> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const frames: EventFrame[] = [];
  const options = { maxEventCharacters: 1024, errorContext: { channel: 'lab', secrets: [] } };
  for await (const frame of readEventStream(bytes(), options)) frames.push(frame);
  return frames;
}

const frame = (data: string, more: Partial<EventFrame> = {}): EventFrame => ({ data, isUnterminated: false, ...more });

describe('readEventStream', () => {
  it('reads the same events for every split of the bytes', async () => {
    const bytes = Buffer.from('\uFEFFdata: {"a":"ü😀"}\r\n\r\nevent: named\rdata: b\r\r: note\n\ndata: [DONE]\n\n');
    const expected = [frame('{"a":"ü😀"}'), frame('b', { name: 'named' }), frame('[DONE]')];
    expect(await read(bytes)).toEqual(expected);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(await read(bytes.subarray(0, at), bytes.subarray(at)), `split at ${at}`).toEqual(expected);
    }
    expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('joins several data lines and drops comments, ids, retries and unknown fields', async () => {
    expect(await read(': hi\nid: 1\nretry: 5\nmood: good\ndata: one\ndata: two\n\n: bye\n\n')).toEqual([
      frame('one\ntwo'),
    ]);
  });

  it('marks what was not closed by a blank line', async () => {
    expect(await read('data: a\n\ndata: {"half')).toEqual([frame('a'), frame('{"half', { isUnterminated: true })]);
    expect(await read('data: a\n\ndata: b\n')).toEqual([frame('a'), frame('b', { isUnterminated: true })]);
  });

  it('gives nothing for an empty stream and for comments alone', async () => {
    expect(await read()).toEqual([]);
    expect(await read(': keep-alive\n\n')).toEqual([]);
  });

  it('gives up on an event that is too large, in one line or in many', async () => {
    for (const more of ['x'.repeat(300), `data: ${'x'.repeat(300)}\n`]) {
      const error = await read('data: \n', ...Array(4).fill(more)).catch((thrown: unknown) => thrown);
      expect(isAppError(error) && error.toJSON()).toMatchObject({
        code: 'STREAM_INVALID',
        message: 'lab: the answer holds an event of more than 1 KB',
      });
    }
  });
});
