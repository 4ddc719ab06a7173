import { describe, expect, it } from 'vitest';
import { Secret } from '../base/secret.ts';
import { createEndpointError, errorContextOf, parseRetryAfter } from './endpoint-error.ts';
import { cleanEndpointWords, htmlTitle, isHtml, toOneLine } from './endpoint-words.ts';

const context = { channel: 'lab', secrets: ['sk-0123456789'] };

describe('createEndpointError', () => {
  it('is one line: channel, what happened, status, words', () => {
    const error = createEndpointError({ words: 'Too\n many  images', code: 'too_many' }, context, { status: 400 });
    expect(error.message).toBe('lab: the endpoint refused the request (HTTP 400): Too many images');
    expect(error.toJSON()).toEqual({
      code: 'ENDPOINT_REFUSED',
      message: error.message,
      data: { status: 400, endpointCode: 'too_many', endpointMessage: 'Too\n many  images' },
    });
  });

  it('repeats no key that stands as machine code', () => {
    const error = createEndpointError({ code: 'sk-0123456789' }, context, { status: 400 });
    expect(error.message).toBe('lab: the endpoint refused the request (HTTP 400): [secret]');
    expect(JSON.stringify(error)).not.toContain('0123456789');
  });

  it('takes the status that a stream names, and without any status the machine code', () => {
    const codeOf = (failure: Parameters<typeof createEndpointError>[0]) => createEndpointError(failure, context).code;
    expect(codeOf({ status: 429, words: 'wait' })).toBe('ENDPOINT_RATE_LIMITED');
    expect(codeOf({ status: 502 })).toBe('ENDPOINT_FAILED');
    expect(codeOf({ code: 'rate_limit_exceeded' })).toBe('ENDPOINT_RATE_LIMITED');
    expect(codeOf({ code: 'invalid_api_key' })).toBe('ENDPOINT_UNAUTHORIZED');
    expect(codeOf({ code: 'model_not_found' })).toBe('ENDPOINT_NOT_FOUND');
    expect(codeOf({ code: 'invalid_image_format' })).toBe('ENDPOINT_REFUSED');
    expect(codeOf({ code: 'context_length_exceeded' })).toBe('ENDPOINT_REFUSED');
    expect(codeOf({ code: 'bio_policy' })).toBe('ENDPOINT_REFUSED');
    expect(codeOf({ code: 'server_error' })).toBe('ENDPOINT_FAILED');
    expect(codeOf({ words: 'something' })).toBe('ENDPOINT_FAILED');
  });

  it('keeps what a wait and a support request need', () => {
    const http = { status: 503, retryAfterMs: 20, shouldRetry: false, requestId: 'req_1' };
    expect(createEndpointError({ param: 'messages[3]' }, context, http).data).toEqual({
      ...http,
      param: 'messages[3]',
    });
  });

  it('knows the secrets of an endpoint: its key and its headers', () => {
    const endpoint = {
      channel: 'lab',
      wireApi: 'openai-chat',
      baseUrl: 'http://x',
      apiKey: new Secret('sk-1'),
      headers: { 'api-key': 'azure-key-1' },
      idleTimeoutMs: 1,
    } as const;
    expect(errorContextOf(endpoint).secrets).toEqual(['sk-1', 'azure-key-1']);
  });
});

describe('cleanEndpointWords', () => {
  it('removes keys, data URIs and base64, and keeps paths, ids and prose', () => {
    const words = `key sk-0123456789 at messages[3].content[1], req_${'a'.repeat(40)}, data:image/png;base64,AAAA end ${'QUJD'.repeat(50)}==`;
    expect(cleanEndpointWords(words, context.secrets)).toBe(
      `key [secret] at messages[3].content[1], req_${'a'.repeat(40)}, [data] end [data]`,
    );
    expect(cleanEndpointWords('bad data: it, and more', [])).toBe('bad data: it, and more');
  });

  it('removes keys in other clothes', () => {
    const key = 'sk-Q7xv-0a1B2c3D4e5F6g7H8i9J';
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const spread = [...key].join('\u200b');
    for (const clothes of [
      base64(key),
      base64(`Bearer ${key}`),
      base64(`x: ${key}; y`).replaceAll('=', ''),
      Buffer.from(`??>${key}`).toString('base64url'),
      Buffer.from(key).toString('hex'),
      key.slice(0, -5),
      key.slice(9),
      key.toLowerCase(),
      spread,
      `${key.slice(0, 8)}\u2060\u00ad${key.slice(8)}`,
      encodeURIComponent(`a ${key}`),
    ]) {
      expect(cleanEndpointWords(`got "${clothes}" 👨‍👩‍👧 and more`, [key]), clothes).toBe(
        'got "[secret]" 👨‍👩‍👧 and more'.replace('"[secret]', clothes.startsWith('a%20') ? '"a%[secret]' : '"[secret]'),
      );
    }
    expect(cleanEndpointWords(`${key.slice(0, 14)} ${key.slice(14)}`, [`Bearer ${key}`])).toBe('[secret] [secret]');
    expect(cleanEndpointWords(`only ${key.slice(0, 11)} of it`, [key])).toBe(`only ${key.slice(0, 11)} of it`);
  });

  it('removes no short word that happens to be a header value', () => {
    expect(cleanEndpointWords('the beta is over', ['beta'])).toBe('the beta is over');
  });

  it('cuts at 2,000 characters, never inside a pair', () => {
    const cleaned = cleanEndpointWords('no 😀 '.repeat(1000), []);
    expect(cleaned.length).toBeLessThanOrEqual(2000);
    expect(cleaned.endsWith('…')).toBe(true);
    expect(cleaned).not.toMatch(/\p{Surrogate}/u);
    expect(toOneLine('a\n'.repeat(400)).length).toBeLessThanOrEqual(300);
  });
});

describe('isHtml', () => {
  it('tells web pages from words and JSON', () => {
    for (const page of ['<!doctype HTML>', '\n <html lang="en">', '<?xml version="1.0"?><html>', '<head>']) {
      expect(isHtml(page), page).toBe(true);
    }
    for (const other of ['', '{"error":"<html>"}', 'Bad Gateway', '<Error><Code>x</Code></Error>']) {
      expect(isHtml(other), other).toBe(false);
    }
    expect(htmlTitle('<html><title class="a"> 502 Bad Gateway\n</title>')).toBe('502 Bad Gateway');
    expect(htmlTitle('<html>')).toBe('');
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);

  it('takes milliseconds, seconds or a date, in this order', () => {
    expect(parseRetryAfter({ 'retry-after-ms': '12.5', 'retry-after': '1' }, now)).toBe(12.5);
    expect(parseRetryAfter({ 'retry-after-ms': 'x', 'retry-after': '1.5' }, now)).toBe(1500);
    for (const date of ['Fri, 02 Jan 2026 03:04:15 GMT', 'Friday, 02-Jan-26 03:04:15 GMT', '2026-01-02T03:04:15Z']) {
      expect(parseRetryAfter({ 'retry-after': date }, now)).toBe(10_000);
    }
  });

  it('never asks to wait for a time that is over, and ignores nonsense', () => {
    const nonsense = ['later', '-5', '1, 2', '5s', '1e9', '', 'Fri, 02 Jan 2026 03:04:00 GMT', '2026-01-02T03:04:05Z'];
    for (const value of nonsense)
      expect([value, parseRetryAfter({ 'retry-after': value }, now)]).toEqual([value, undefined]);
    expect(parseRetryAfter({}, now)).toBeUndefined();
    expect(parseRetryAfter({ 'retry-after': '0' }, now)).toBe(0);
  });
});
