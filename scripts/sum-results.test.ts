import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('sum-results.mjs', import.meta.url));

describe('sum-results', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sum-results-'));
    write('green.json', { numPassedTests: 7 });
    write('mixed.json', { numPassedTests: 2, numFailedTests: 1, numPendingTests: 1 });
    write('unloadable.json', { testResults: [{ status: 'failed', assertionResults: [] }] });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, fields: object): void {
    const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
    writeFileSync(join(folder, name), JSON.stringify({ ...none, ...fields }));
  }

  function sum(failedStep: 0 | 1, ...files: readonly string[]) {
    const words = [script, String(failedStep), ...files.map((file) => join(folder, file))];
    const result = spawnSync(process.execPath, words, { encoding: 'utf8' });
    return { code: result.status, lastLine: result.stdout.trimEnd().split('\n').at(-1) };
  }

  it('adds the counts of all files', () => {
    expect(sum(0, 'green.json', 'green.json')).toEqual({ code: 0, lastLine: '14 passed, 0 failed' });
    expect(sum(0, 'green.json', 'mixed.json')).toEqual({ code: 1, lastLine: '9 passed, 1 failed, 1 skipped' });
  });

  it('counts a test file that could not be loaded as a failure', () => {
    expect(sum(0, 'unloadable.json')).toEqual({ code: 1, lastLine: '0 passed, 1 failed' });
  });

  it('counts missing results as a failure', () => {
    expect(sum(0, 'green.json', 'gone.json')).toEqual({ code: 1, lastLine: '7 passed, 1 failed' });
  });

  it('counts a failed step without a failed test as a failure', () => {
    expect(sum(1, 'green.json')).toEqual({ code: 1, lastLine: '7 passed, 1 failed' });
    expect(sum(1, 'mixed.json')).toEqual({ code: 1, lastLine: '2 passed, 1 failed, 1 skipped' });
  });
});
