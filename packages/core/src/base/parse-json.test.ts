import { describe, expect, it } from 'vitest';
import { isRecord, parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it('gives a value for JSON and a reason that quotes nothing otherwise', () => {
    expect(parseJson('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
    const failed = parseJson('{"key": "sk-secret", oops}');
    expect(failed).toEqual({ ok: false, error: { message: 'not valid JSON at position 21' } });
    expect(parseJson('')).toEqual({ ok: false, error: { message: 'not valid JSON' } });
  });

  it('tells objects from arrays and null', () => {
    expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true]);
    expect([[], null, 'a', 1, undefined].map(isRecord)).toEqual([false, false, false, false, false]);
  });
});
