import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const trees: string[] = [];

const tree = {
  'package.json': '{ "type": "module" }\n',
  'packages/core/src/sum.mjs': 'export function sum(a, b) {\n  return a + b;\n}\n',
  'packages/core/src/sum.test.ts':
    "import { expect, it } from 'vitest';\nimport { sum } from './sum.mjs';\nit('adds', () => expect(sum(2, 3)).toBe(5));\n",
  'packages/core/src/red.test.ts': "import { expect, it } from 'vitest';\nit('is red', () => expect(1).toBe(2));\n",
  'torture/minus.patch': patchOfSum('  return a + b;', '  return a - b;'),
  'torture/swapped.patch': patchOfSum('  return a + b;', '  return b + a;'),
  'torture/stale.patch': patchOfSum('  return a * b;', '  return a;'),
};

function patchOfSum(before: string, after: string): string {
  const name = 'packages/core/src/sum.mjs';
  return `--- a/${name}\n+++ b/${name}\n@@ -1,3 +1,3 @@\n export function sum(a, b) {\n-${before}\n+${after}\n }\n`;
}

function torture(cases: readonly object[] | undefined, ...words: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'torture-tree-'));
  trees.push(root);
  const files = cases === undefined ? tree : { ...tree, 'torture/cases.json': JSON.stringify(cases) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  spawnSync('git', ['init', '-q'], { cwd: root });
  const script = join(repository, 'scripts/torture.mjs');
  const result = spawnSync(process.execPath, [script, '--root', root, ...words], { encoding: 'utf8' });
  return { code: result.status, output: result.stdout + result.stderr };
}

const noticed = { rule: 'core/sum', patch: 'minus.patch', test: 'packages/core/src/sum.test.ts' };

afterEach(() => {
  for (const root of trees.splice(0)) rmSync(root, { recursive: true, force: true });
});

describe('torture', () => {
  it('says so when there are no cases', () => {
    expect(torture(undefined)).toEqual({ code: 0, output: 'no cases yet\n' });
  });

  it('is content when the test of a broken rule turns red', () => {
    const { code, output } = torture([noticed]);
    expect(output).toBe('ok      core/sum  minus.patch  red\n1 of 1 patches were noticed\n');
    expect(code).toBe(0);
  });

  it('fails on a test that stays green, a patch that does not apply, and a test that was red before', () => {
    const { code, output } = torture([
      { ...noticed, patch: 'stale.patch' },
      { ...noticed, patch: 'swapped.patch' },
      { ...noticed, test: 'packages/core/src/red.test.ts' },
      noticed,
    ]);
    expect(output.trimEnd().split('\n')).toEqual([
      'FAILED  core/sum  stale.patch  the patch does not apply',
      'FAILED  core/sum  swapped.patch  the test stayed green',
      'FAILED  core/sum  minus.patch  the test is red without the patch',
      'ok      core/sum  minus.patch  red',
      '1 of 4 patches were noticed',
    ]);
    expect(code).toBe(1);
  });

  it('runs only the cases that were asked for', () => {
    const { output } = torture([noticed, { ...noticed, patch: 'swapped.patch' }], '--only', 'minus');
    expect(output).toContain('1 of 1 patches were noticed');
  });
});
