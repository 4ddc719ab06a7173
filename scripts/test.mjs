// `npm test`: builds, then runs every test once. Words after `--` go to vitest (`npm test -- packages/core`).
// The last line is "N passed, N failed"; results also go to .cache/test-results.json, which `npm run rows` reads
// (another place with FOVEA_TEST_RESULTS). A run with words is a part and leaves the results of the whole as they are.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearEnvironment } from './clear-environment.mjs';
import { countResults, describeCounts } from './test-results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const isPart = words.length > 0;
const usualFile = isPart ? '.cache/test-results-part.json' : '.cache/test-results.json';
const resultsFile = resolve(root, process.env.FOVEA_TEST_RESULTS ?? usualFile);

process.stdout.write(`node ${process.version}\n`);
const build = runNode(['scripts/build.mjs']);
if (build !== 0) {
  process.stdout.write('the build failed, no test ran\n0 passed, 1 failed\n');
  process.exit(build);
}

mkdirSync(dirname(resultsFile), { recursive: true });
rmSync(resultsFile, { force: true });
const code = runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${resultsFile}`,
  ...words,
]);

const counts = existsSync(resultsFile) ? countResults(resultsFile) : { passed: 0, failed: 0, skipped: 0 };
if (isPart) process.stdout.write('a part of the tests: npm run rows reads only what a whole npm test has left\n');
process.stdout.write(`${describeCounts(counts)}\n`);
process.exit(code === 0 && counts.failed > 0 ? 1 : code);

function runNode(words) {
  const result = spawnSync(process.execPath, words, {
    cwd: root,
    stdio: 'inherit',
    env: clearEnvironment(process.env),
  });
  return result.status ?? 1;
}
