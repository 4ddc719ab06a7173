import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('rows.mjs', import.meta.url));
const testFile = 'packages/core/src/media/verify.test.ts';
const trees: string[] = [];

interface Tree {
  /** Cells of the column Proved by, for the rows R001, R002, ... */
  readonly proofs: readonly string[];
  readonly testChangedLater?: boolean;
  readonly withoutResults?: boolean;
}

function makeTree({ proofs, testChangedLater, withoutResults }: Tree): string {
  const root = mkdtempSync(join(tmpdir(), 'rows-'));
  trees.push(root);
  const rows = proofs.map((proof, index) => `| R00${index + 1} | text with a \\| bar | A §1 | ${proof} |`);
  write(
    root,
    'docs/requirements.md',
    ['| Row | Requirement | Origin | Proved by |', '| --- |', ...rows, ''].join('\n'),
  );
  write(root, testFile, '');
  const startTime = Date.now();
  if (withoutResults !== true) {
    const test = (title: string, status: string) => ({ ancestorTitles: ['verify'], title, status });
    const assertionResults = [
      test('takes a PNG', 'passed'),
      test('refuses a | in text', 'passed'),
      test('is red', 'failed'),
      test('is off', 'pending'),
    ];
    const results = { startTime, testResults: [{ name: join(root, testFile), assertionResults }] };
    write(root, '.cache/test-results.json', JSON.stringify(results));
  }
  const changedAt = new Date(startTime + (testChangedLater === true ? 5000 : -5000));
  utimesSync(join(root, testFile), changedAt, changedAt);
  return root;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function runRows(tree: Tree, ...words: readonly string[]) {
  const result = spawnSync(process.execPath, [script, '--root', makeTree(tree), ...words], { encoding: 'utf8' });
  return { code: result.status, output: result.stdout, diagnostics: result.stderr };
}

afterEach(() => {
  for (const root of trees.splice(0)) rmSync(root, { recursive: true, force: true });
});

describe('rows', () => {
  it('counts a row as proved when all its tests passed', () => {
    const both = `\`${testFile}\` > verify > takes a PNG<br>\`${testFile}\` > verify > refuses a \\| in text`;
    const { code, output } = runRows({ proofs: [both, '', '', both] });
    expect(output).toBe('proved: 2 of 4\nproved rows: R001, R004\nwithout proof: R002-R003\n');
    expect(code).toBe(0);
  });

  it.each([
    ['failed', `\`${testFile}\` > verify > is red`, 'R001: the test did not pass (failed): '],
    ['was skipped', `\`${testFile}\` > verify > is off`, 'R001: the test did not pass (pending): '],
    ['does not exist', `\`${testFile}\` > verify > takes a GIF`, 'R001: no such test ran: '],
    ['is in a file that does not exist', '`packages/gone.test.ts` > verify > takes a PNG', 'R001: no such file: '],
    ['is not named in the right form', 'somewhere', 'R001: not a proof '],
  ])('fails when a named test %s', (_what, proof, message) => {
    const { code, output } = runRows({ proofs: [proof] });
    expect(output).toContain('proved: 0 of 1\n');
    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  it('asks for npm test when there are no results', () => {
    const { code, diagnostics } = runRows({ proofs: [''], withoutResults: true });
    expect(diagnostics).toBe('.cache/test-results.json is missing: run npm test first\n');
    expect(code).toBe(1);
  });

  it('asks for npm test when a test file changed after the results', () => {
    const { code, diagnostics } = runRows({ proofs: [''], testChangedLater: true });
    expect(diagnostics).toBe(`.cache/test-results.json is older than ${testFile}: run npm test first\n`);
    expect(code).toBe(1);
  });

  it('prints the same as JSON', () => {
    const { output } = runRows({ proofs: [`\`${testFile}\` > verify > takes a PNG`, '', 'somewhere'] }, '--json');
    expect(JSON.parse(output)).toEqual({
      total: 3,
      proved: ['R001'],
      unproved: ['R002'],
      broken: [{ row: 'R003', faults: ['not a proof (`file` > titles): somewhere'] }],
    });
  });
});
