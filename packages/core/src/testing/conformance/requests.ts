import { describe, expect, it } from 'vitest';
import { AppError } from '../../base/app-error.ts';
import type { ErrorCode } from '../../base/error-codes.ts';
import { Secret } from '../../base/secret.ts';
import { startScriptedHttpServer } from '../scripted-http-server.ts';
import {
  type ConformanceHarness,
  conformancePictureBase64,
  errorOf,
  KEY,
  nextTurn,
  PICTURE,
  write,
} from './harness.ts';

/** What goes out, and what is made of refusals and of no connection. */
export function describeRequests(harness: ConformanceHarness): void {
  const { wire, play, playEvents, wholeAnswer } = harness;
  const server = () => harness.server;
  const lastRequest = () => harness.lastRequest();

  describe('a refusal', () => {
    const codes: readonly (readonly [number, ErrorCode])[] = [
      [400, 'ENDPOINT_REFUSED'],
      [401, 'ENDPOINT_UNAUTHORIZED'],
      [403, 'ENDPOINT_UNAUTHORIZED'],
      [404, 'ENDPOINT_NOT_FOUND'],
      [413, 'ENDPOINT_REFUSED'],
      [422, 'ENDPOINT_REFUSED'],
      [429, 'ENDPOINT_RATE_LIMITED'],
      [500, 'ENDPOINT_FAILED'],
      [503, 'ENDPOINT_FAILED'],
    ];

    it('has a code by its status and the words of the endpoint, and is never sent again', async () => {
      for (const [status, code] of codes) {
        const count = server().requests.length;
        const body = wire.refusalBody({ message: 'This does not please me.', code: 'no_pleasure' });
        const error = errorOf(
          await play({ status, headers: { 'content-type': 'application/json' }, steps: write(body) }),
        );
        expect(error.code, String(status)).toBe(code);
        expect(error.data).toMatchObject({
          status,
          endpointCode: 'no_pleasure',
          endpointMessage: 'This does not please me.',
        });
        expect(error.message).toContain('This does not please me.');
        expect(error.message).not.toContain('\n');
        expect(server().requests).toHaveLength(count + 1);
      }
    });

    it('says how long to wait: milliseconds before seconds before a date', async () => {
      const body = wire.refusalBody({ message: 'slow down', code: 'rate_limit_exceeded' });
      const wait = async (headers: Record<string, string>) =>
        errorOf(await play({ status: 429, headers, steps: write(body) })).data['retryAfterMs'];
      expect(await wait({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1500);
      expect(await wait({ 'retry-after': '9' })).toBe(9000);
      expect(await wait({ 'retry-after': 'Fri, 02 Jan 2026 03:05:05 GMT' })).toBe(60_000);
      expect(await wait({ 'retry-after': 'soon' })).toBeUndefined();
    });

    it('may be a web page', async () => {
      const page = '<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body>x</body></html>';
      const codeFor = async (status: number) => {
        const error = errorOf(await play({ status, headers: { 'content-type': 'text/html' }, steps: write(page) }));
        expect(error.message).toContain('Welcome to nginx!');
        expect(error.message).not.toContain('<');
        return error.code;
      };
      expect(await codeFor(200)).toBe('ENDPOINT_NOT_AN_API');
      expect(await codeFor(404)).toBe('ENDPOINT_NOT_AN_API');
      expect(await codeFor(413)).toBe('ENDPOINT_REFUSED');
      expect(await codeFor(502)).toBe('ENDPOINT_FAILED');
    });

    it('may come before the body was read', async () => {
      const body = wire.refusalBody({ message: 'too large', code: 'request_too_large' });
      const error = errorOf(
        await play({ status: 413, headers: { connection: 'close' }, isEarly: true, steps: write(body) }),
      );
      expect(['ENDPOINT_REFUSED', 'ENDPOINT_UNREACHABLE']).toContain(error.code);
    });

    it('may be a redirect, which is told and not followed', async () => {
      const count = server().requests.length;
      const error = errorOf(
        await play({ status: 307, headers: { location: 'https://elsewhere.example/v1?token=s3cret-token' } }),
      );
      expect(error.code).toBe('ENDPOINT_NOT_AN_API');
      expect(error.message).toContain('https://elsewhere.example/v1');
      expect(JSON.stringify(error)).not.toContain('s3cret-token');
      expect(server().requests).toHaveLength(count + 1);
    });

    it('of endless length is read only in part', async () => {
      const word = 'no! '.repeat(16_384);
      const steps = [...write(word, word), { stall: true } as const];
      const error = errorOf(await play({ status: 400, headers: { 'content-type': 'text/plain' }, steps }));
      expect(error.code).toBe('ENDPOINT_REFUSED');
      await lastRequest().closed;
      expect(String(error.data['endpointMessage']).length).toBeLessThanOrEqual(2000);
      expect(error.message.length).toBeLessThan(500);
    });
  });

  describe('no connection', () => {
    it('is told with its reason', async () => {
      const gone = await startScriptedHttpServer();
      await gone.close();
      const error = errorOf(await harness.collect({ endpoint: { baseUrl: `${gone.origin}${wire.basePath}` } }));
      expect(error.code).toBe('ENDPOINT_UNREACHABLE');
      expect(error.data).toEqual({ networkCode: 'ECONNREFUSED' });
      expect(error.message).toBe(`lab: no connection to ${gone.origin} (ECONNREFUSED)`);
    });

    it('is also a connection that breaks before the headers', async () => {
      expect(errorOf(await play({ instead: 'reset' })).code).toBe('ENDPOINT_UNREACHABLE');
    });
  });

  describe('the request', () => {
    it('is one POST with the length known in advance, the key in a header and the picture unaltered', async () => {
      await playEvents(...wholeAnswer);
      const { method, path, headers, body } = lastRequest();
      expect({ method, path }).toEqual({ method: 'POST', path: wire.callPath });
      expect(headers['content-length']).toBe(String(body.length));
      expect(headers['transfer-encoding']).toBeUndefined();
      expect(JSON.stringify(headers)).toContain(KEY);
      expect(body.toString()).toContain(conformancePictureBase64);
      expect(() => JSON.parse(body.toString())).not.toThrow();
    });

    it('has the same bytes each time', async () => {
      await playEvents(...wholeAnswer);
      const first = lastRequest().body;
      await playEvents(...wholeAnswer);
      expect(lastRequest().body.equals(first)).toBe(true);
    });

    it('is not sent whole when a picture is missing, and fails as the store says', async () => {
      const readBlob = () => Promise.reject(new AppError('BLOB_MISSING', 'a picture is gone'));
      expect(errorOf(await harness.collect({ context: { readBlob } })).code).toBe('BLOB_MISSING');
    });

    it('fails when a picture has other bytes than it was planned with', async () => {
      const events = await harness.collect({ context: { readBlob: () => Promise.resolve(PICTURE.subarray(1)) } });
      expect(errorOf(events).code).toBe('BLOB_DAMAGED');
    });

    it('uses the connection of the one before', async () => {
      await playEvents(...wholeAnswer);
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      const count = server().connections;
      await playEvents(...wholeAnswer);
      expect(server().connections).toBe(count);
    });

    it('carries the headers of the channel, which win', async () => {
      server().enqueue({ steps: write(...wholeAnswer) });
      await harness.collect({ endpoint: { headers: { 'X-Team': 'eyes', Authorization: 'Basic abc' } } });
      expect(lastRequest().headers).toMatchObject({ 'x-team': 'eyes', authorization: 'Basic abc' });
    });

    it('is not sent with a key that no header can carry', async () => {
      const count = server().requests.length;
      const error = errorOf(await harness.collect({ endpoint: { apiKey: new Secret('sk-with\nnewline') } }));
      expect(error.code).toBe('CONFIG_INVALID');
      expect(JSON.stringify(error)).not.toContain('newline');
      expect(server().requests).toHaveLength(count);
    });
  });

  it('never repeats key, data URI or base64 in events or logs, whatever the endpoint says', async () => {
    const message = `Bad key ${KEY} for data:image/png;base64,${conformancePictureBase64.slice(0, 400)} here`;
    const refusal = errorOf(
      await play({ status: 401, steps: write(wire.refusalBody({ message, code: 'invalid_api_key' })) }),
    );
    const streamed = errorOf(await playEvents(wire.start, wire.streamError({ message, code: 'server_error' })));
    for (const error of [refusal, streamed]) {
      const told = JSON.stringify(error) + harness.logLines.join('\n');
      expect(told).toContain('Bad key [secret] for [data] here');
      expect(told).not.toContain(KEY);
      expect(told).not.toContain('base64,');
      expect(told).not.toContain(conformancePictureBase64.slice(100, 150));
    }
    expect(harness.logLines.every((line) => line.length < 300)).toBe(true);
  });
}
