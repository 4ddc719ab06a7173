import { describe, expect, it } from 'vitest';
import { isBusyForNow, retryWhileBusy } from './retry-while-busy.ts';

function withCode(code: string): Error {
  return Object.assign(new Error('the database is locked'), { code });
}

describe('isBusyForNow', () => {
  it.each(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_TIMEOUT'])('is true of %s', (code) => {
    expect(isBusyForNow(withCode(code))).toBe(true);
  });

  it.each(['SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_CORRUPT', 'SQLITE_FULL', 'ENOENT', ''])(
    'is false of %s, which waiting does not cure',
    (code) => {
      expect(isBusyForNow(withCode(code))).toBe(false);
    },
  );

  it('is false of what has no code', () => {
    for (const error of [new Error('SQLITE_BUSY'), 'SQLITE_BUSY', undefined, null]) {
      expect(isBusyForNow(error)).toBe(false);
    }
  });
});

describe('retryWhileBusy', () => {
  it('repeats until the work goes through, whichever way the database was busy', async () => {
    const codes = ['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY', 'SQLITE_BUSY_TIMEOUT'];
    let attempts = 0;
    const value = await retryWhileBusy(() => {
      const code = codes[attempts];
      attempts += 1;
      if (code !== undefined) throw withCode(code);
      return Promise.resolve('done');
    });
    expect([value, attempts]).toEqual(['done', 4]);
  });

  it('throws everything else at once', async () => {
    let attempts = 0;
    const error = withCode('SQLITE_BUSY_SNAPSHOT');
    const work = async () => {
      attempts += 1;
      throw error;
    };
    await expect(retryWhileBusy(work)).rejects.toBe(error);
    expect(attempts).toBe(1);
  });
});
