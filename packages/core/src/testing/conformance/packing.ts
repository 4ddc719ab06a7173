import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ConformanceHarness, errorOf, textOf } from './harness.ts';

/** What comes out of answers that are compressed, although nobody asked for it. */
export function describePacking(harness: ConformanceHarness): void {
  const { wire, play, wholeAnswer, expectWholeAnswer } = harness;
  const packings: readonly (readonly [string, (text: string) => Uint8Array])[] = [
    ['gzip', (text) => gzipSync(text)],
    ['x-gzip', (text) => gzipSync(text)],
    ['deflate', (text) => deflateSync(text)],
    ['BR', (text) => brotliCompressSync(text)],
    ['identity, gzip, br', (text) => brotliCompressSync(gzipSync(text))],
  ];

  describe('a compressed answer', () => {
    for (const [encoding, pack] of packings) {
      const headers = { 'content-encoding': encoding };

      it(`is read like any other, and so is a refusal: ${encoding}`, async () => {
        expectWholeAnswer(await play({ headers, steps: [{ write: pack(wholeAnswer.join('')) }] }));
        const body = wire.refusalBody({ message: 'This does not please me.', code: 'no_pleasure' });
        const error = errorOf(await play({ status: 400, headers, steps: [{ write: pack(body) }] }));
        expect(error.message).toContain('(HTTP 400): This does not please me.');
      });

      it(`is cut when its end is missing: ${encoding}`, async () => {
        const packed = pack(wire.start + wire.text('half'));
        const events = await play({ headers, steps: [{ write: packed.subarray(0, packed.length - 6) }] });
        expect(errorOf(events).code).toBe('STREAM_CUT');
      });
    }

    it('is told while it comes, and left when its caller leaves', async () => {
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.write(wire.start + wire.text('now'));
      const first = await new Promise<Uint8Array>((resolve) => gzip.once('data', resolve));
      const headers = { 'content-encoding': 'gzip' };
      harness.server.enqueue({ headers, steps: [{ write: first }, { stall: true }] });
      const controller = new AbortController();
      const events = await harness.collect({
        context: { signal: controller.signal },
        onEvent: (event) => event.type === 'text-delta' && controller.abort(),
      });
      expect(textOf(events)).toBe('now');
      expect(errorOf(events).code).toBe('CANCELED');
      await harness.lastRequest().closed;
    });

    it('has its measure unpacked', async () => {
      const provider = wire.createProvider({ limits: { answerCharacters: 1000 } });
      const bomb = gzipSync(wire.start + wire.text('x'.repeat(900)).repeat(10_000));
      harness.server.enqueue({ headers: { 'content-encoding': 'gzip' }, steps: [{ write: bomb }] });
      expect(errorOf(await harness.collect({ provider })).code).toBe('OUTPUT_LIMIT');
    });

    it('says so when it cannot be read', async () => {
      const told = async (encoding: string, write: string | Uint8Array, status = 200) => {
        const headers = { 'content-encoding': encoding };
        const { code, message } = errorOf(await play({ status, headers, steps: [{ write }] }));
        return `${code} ${message}`;
      };
      const bytes = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2]);
      expect(await told('zstd', bytes)).toBe('STREAM_INVALID lab: the answer is compressed (zstd) and cannot be read');
      expect(await told('zstd', bytes, 400)).toBe(
        'ENDPOINT_REFUSED lab: the endpoint refused the request (HTTP 400): its words are compressed (zstd)',
      );
      for (const encoding of ['gzip', 'br', 'deflate']) {
        expect(await told(encoding, wholeAnswer.join(''))).toBe(
          'STREAM_INVALID lab: the answer is not compressed as it says, and cannot be unpacked',
        );
      }
      expect(await told('identity', gzipSync(wholeAnswer.join('')))).toBe(
        'STREAM_INVALID lab: the answer is compressed (gzip, although it does not say so) and cannot be read',
      );
      expect(await told('identity', gzipSync('no'), 500)).toContain('(HTTP 500): its words are compressed (gzip)');
    });
  });
}
