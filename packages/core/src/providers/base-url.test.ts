import { describe, expect, it } from 'vitest';
import { isAppError } from '../base/app-error.ts';
import { wireApis } from '../catalog/wire-api.ts';
import { normalizeBaseUrl, requestUrl } from './base-url.ts';

describe('normalizeBaseUrl', () => {
  it('keeps what the user wrote for an OpenAI-compatible endpoint, and appends nothing', () => {
    const normalized = (url: string) => normalizeBaseUrl('openai-chat', url);
    expect(normalized('https://api.openai.com/v1')).toBe('https://api.openai.com/v1');
    expect(normalized('https://api.deepseek.com')).toBe('https://api.deepseek.com');
    expect(normalized('https://api.deepseek.com/')).toBe('https://api.deepseek.com');
    expect(normalized('http://127.0.0.1:4010/v1///')).toBe('http://127.0.0.1:4010/v1');
    expect(normalized(' https://open.bigmodel.cn/api/paas/v4/ ')).toBe('https://open.bigmodel.cn/api/paas/v4');
  });

  it('takes the address of a call for its base', () => {
    expect(normalizeBaseUrl('openai-chat', 'https://x.example/v1/chat/completions/')).toBe('https://x.example/v1');
    expect(normalizeBaseUrl('openai-responses', 'https://x.example/v1/responses')).toBe('https://x.example/v1');
    expect(normalizeBaseUrl('anthropic-messages', 'https://x.example/v1/messages')).toBe('https://x.example');
  });

  it('drops the version of an Anthropic base, and only the last one', () => {
    expect(normalizeBaseUrl('anthropic-messages', 'https://api.anthropic.com/v1/')).toBe('https://api.anthropic.com');
    expect(normalizeBaseUrl('anthropic-messages', 'https://x.example/v1/anthropic')).toBe(
      'https://x.example/v1/anthropic',
    );
  });

  it('changes nothing when applied again', () => {
    for (const wireApi of wireApis) {
      for (const url of ['https://x.example/v1//', 'https://x.example/a/v1/messages?k=1', 'http://[::1]:8080/v1']) {
        const once = normalizeBaseUrl(wireApi, url);
        expect(normalizeBaseUrl(wireApi, once)).toBe(once);
      }
    }
  });

  it('refuses what is no http URL, and user names in it, without repeating them', () => {
    for (const url of ['', 'api.openai.com/v1', 'ftp://x.example', 'https://ann:s3cret@x.example/v1']) {
      let thrown: unknown;
      try {
        normalizeBaseUrl('openai-chat', url);
      } catch (error) {
        thrown = error;
      }
      expect(isAppError(thrown) && thrown.code, url).toBe('CONFIG_INVALID');
      expect(String(thrown)).not.toContain('s3cret');
    }
  });

  it('leaves the built-in reader alone, which has no address', () => {
    expect(normalizeBaseUrl('offline', '')).toBe('');
  });
});

describe('requestUrl', () => {
  it('puts the path behind the base and before its query, never doubling a slash', () => {
    expect(requestUrl('https://x.example/v1', '/chat/completions')).toBe('https://x.example/v1/chat/completions');
    expect(requestUrl('https://x.example/v1/', '/chat/completions')).toBe('https://x.example/v1/chat/completions');
    expect(requestUrl('https://x.example', '/chat/completions')).toBe('https://x.example/chat/completions');
    expect(requestUrl('https://x.example/v1?api-version=2', '/chat/completions')).toBe(
      'https://x.example/v1/chat/completions?api-version=2',
    );
  });
});
