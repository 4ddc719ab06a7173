import { describe, expect, it } from 'vitest';
import { readResponsesFailure, readResponsesFailureValue } from './errors.ts';

describe('readResponsesFailure', () => {
  it('reads the form of OpenAI, and of DeepSeek, whose param is empty', () => {
    const error = { message: 'no', type: 'invalid_request_error', param: 'input[5].output[3].image_url', code: null };
    expect(readResponsesFailure(JSON.stringify({ error }))).toEqual({
      words: 'no',
      code: 'invalid_request_error',
      param: 'input[5].output[3].image_url',
    });
    const pair = { message: 'No tool output found for tool call c', param: '', code: 'invalid_request_error' };
    expect(readResponsesFailure(JSON.stringify({ error: pair }))).toEqual({
      words: 'No tool output found for tool call c',
      code: 'invalid_request_error',
    });
  });

  it('takes what is no JSON as words', () => {
    expect(readResponsesFailure('upstream connect error')).toEqual({ words: 'upstream connect error' });
  });
});

describe('readResponsesFailureValue', () => {
  it.each([
    ['an event whose fields stand beside its type', { type: 'error', code: 'server_error', message: 'x', param: null }],
    ['an event with an error of its own', { type: 'error', error: { code: 'server_error', message: 'x' } }],
    [
      'a response that failed',
      { type: 'response.failed', response: { output: [], error: { code: 'server_error', message: 'x' } } },
    ],
    ['the error object of a gateway', { error: { type: 'server_error', code: null, message: 'x' } }],
  ])('reads %s', (_name, value) => {
    expect(readResponsesFailureValue(value)).toEqual({ words: 'x', code: 'server_error' });
  });

  it('gives an event without a code none', () => {
    expect(readResponsesFailureValue({ type: 'error', code: null, message: 'x' })).toEqual({ words: 'x' });
  });

  it('finds no failure in an answer', () => {
    expect(readResponsesFailureValue({ output: [], error: null, message: 'x' })).toBeUndefined();
    expect(readResponsesFailureValue(7)).toBeUndefined();
  });
});
