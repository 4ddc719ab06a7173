import { describe, expect, it } from 'vitest';
import { AppError, isAppError, toAppError } from './app-error.ts';

describe('AppError', () => {
  it('is recognised by its mark, also when another copy of the class made it', () => {
    const ofOtherCopy = Object.assign(new Error('x'), { code: 'CORRUPT', [Symbol.for('fovea.app-error')]: true });
    expect(isAppError(new AppError('CORRUPT', 'x'))).toBe(true);
    expect(isAppError(ofOtherCopy)).toBe(true);
    for (const value of [new Error('x'), { code: 'CORRUPT' }, null, 'CORRUPT']) expect(isAppError(value)).toBe(false);
  });

  it('keeps an error as it is and wraps anything else with its cause', () => {
    const error = new AppError('EMPTY', 'x');
    expect(toAppError(error)).toBe(error);
    const cause = new Error('broken');
    const wrapped = toAppError(cause, 'STORE_UNAVAILABLE');
    expect(wrapped).toMatchObject({ code: 'STORE_UNAVAILABLE', message: 'broken', cause });
    expect(toAppError('text').code).toBe('INTERNAL');
  });

  it('becomes JSON without its cause', () => {
    const error = new AppError('EMPTY', 'x', { data: { name: 'a.png' }, cause: new Error('secret path') });
    expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'EMPTY', message: 'x', data: { name: 'a.png' } });
  });
});
