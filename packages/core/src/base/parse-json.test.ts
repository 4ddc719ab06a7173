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

  it('refuses what is nested deeper than can be worked with, and takes what only looks so', () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;
    expect(parseJson(nested(100)).ok).toBe(true);
    expect(parseJson(nested(102))).toEqual({ ok: false, error: { message: 'JSON that is nested too deeply' } });
    expect(parseJson('['.repeat(200_000)).ok).toBe(false);
    expect(parseJson(`"${'['.repeat(500)}\\"${'['.repeat(500)}"`).ok).toBe(true);
    expect(parseJson(`[${'[],'.repeat(500)}[]]`).ok).toBe(true);
  });
});
