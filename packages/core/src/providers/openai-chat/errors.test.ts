import { describe, expect, it } from 'vitest';
import { readChatFailure, readChatFailureValue } from './errors.ts';

describe('readChatFailure', () => {
  it.each([
    [
      'OpenAI',
      {
        error: {
          message: "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user'",
          type: 'invalid_request_error',
          param: 'messages[2]',
          code: 'invalid_value',
        },
      },
      {
        words: "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user'",
        code: 'invalid_value',
        param: 'messages[2]',
      },
    ],
    [
      'a type where there is no code',
      { error: { message: 'x', type: 'server_error', code: null, param: null } },
      { words: 'x', code: 'server_error' },
    ],
    [
      'LM Studio',
      { error: 'Model does not support images. Please use a model that does.' },
      { words: 'Model does not support images. Please use a model that does.' },
    ],
    [
      'OpenRouter',
      {
        error: {
          message: 'Provider returned error',
          code: 404,
          metadata: { raw: 'No endpoints found that support image input' },
        },
      },
      { words: 'Provider returned error No endpoints found that support image input', status: 404 },
    ],
    [
      'Google, a list',
      [
        {
          error: {
            code: 400,
            message: 'Requests ending with a model turn are not supported.',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      { words: 'Requests ending with a model turn are not supported.', status: 400 },
    ],
    [
      'vLLM',
      {
        object: 'error',
        message: 'At most 1 image(s) may be provided in one prompt.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      { words: 'At most 1 image(s) may be provided in one prompt.', code: 'BadRequestError', status: 400 },
    ],
    [
      'FastAPI',
      { detail: [{ loc: ['body', 'messages'], msg: 'field required' }] },
      { words: '[{"loc":["body","messages"],"msg":"field required"}]' },
    ],
    ['a string', 'nope', { words: 'nope' }],
    ['nothing that is known', { ok: false }, { words: '{"ok":false}' }],
  ])('reads the form of %s', (_name, body, expected) => {
    expect(readChatFailure(JSON.stringify(body))).toEqual(expected);
  });

  it('takes what is no JSON as words', () => {
    expect(readChatFailure('upstream connect error')).toEqual({ words: 'upstream connect error' });
    expect(readChatFailure('')).toEqual({ words: '' });
    expect(readChatFailure('{"error": {"mess')).toEqual({ words: '{"error": {"mess' });
  });
});

describe('readChatFailureValue', () => {
  it('finds no failure in chunks of an answer', () => {
    expect(readChatFailureValue({ choices: [], error: null })).toBeUndefined();
    expect(readChatFailureValue({ choices: [], message: 'x' })).toBeUndefined();
    expect(readChatFailureValue(7)).toBeUndefined();
  });
});
