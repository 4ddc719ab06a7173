import { describe, expect, it } from 'vitest';
import { readMessagesFailure } from './errors.ts';

describe('readMessagesFailure', () => {
  it.each([
    [
      'Anthropic',
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'messages.0.content.1: no' },
        request_id: 'req_1',
      },
      { words: 'messages.0.content.1: no', code: 'invalid_request_error' },
    ],
    [
      'a machine code inside of details, which says more than the type',
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'too large',
          details: {
            error_code: 'image_dimensions_too_large',
            max_side_length_pixels: 8000,
            paths: ['messages.0.content.1', 'messages.2.content.0.content.1', 7],
          },
        },
      },
      {
        words: 'too large',
        code: 'image_dimensions_too_large',
        maxSidePx: 8000,
        paths: ['messages.0.content.1', 'messages.2.content.0.content.1'],
      },
    ],
    [
      'details of another form',
      { type: 'error', error: { type: 'api_error', message: 'x', details: { error_code: 7, paths: 'all' } } },
      { words: 'x', code: 'api_error' },
    ],
    [
      'OpenAI',
      { error: { message: 'x', type: 'server_error', code: null, param: null } },
      { words: 'x', code: 'server_error' },
    ],
    ['a bare string', { error: 'does not support vision' }, { words: 'does not support vision' }],
    ['vLLM', { object: 'error', message: 'x', code: 400 }, { words: 'x', status: 400 }],
    ['FastAPI', { detail: 'field required' }, { words: 'field required' }],
    ['a string', 'nope', { words: 'nope' }],
    ['nothing that is known', { ok: false }, { words: '{"ok":false}' }],
  ])('reads the form of %s', (_name, body, expected) => {
    expect(readMessagesFailure(JSON.stringify(body))).toEqual(expected);
  });

  it('takes what is no JSON as words', () => {
    expect(readMessagesFailure('upstream connect error')).toEqual({ words: 'upstream connect error' });
    expect(readMessagesFailure('')).toEqual({ words: '' });
  });
});
