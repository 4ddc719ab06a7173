// `npm run check`: every static check, side by side. Writes nothing but caches under .cache and dist.
// Prints one line a check with its seconds, then what the failing ones said; exits 1 when one fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readOptions } from './read-options.mjs';

readOptions('npm run check\nEvery static check, side by side.\n', {});
const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = 'node_modules/typescript/bin/tsc';
/** Compilers make many objects that live long: a larger young generation saves about a tenth of the time. */
const memory = ['--max-semi-space-size=64'];

/** The slow ones first, so that none of them runs alone at the end. */
const checks = [
  { name: 'eslint', script: 'node_modules/eslint/bin/eslint.js', words: ['--max-warnings', '0', '.'] },
  { name: 'types: node', script: compiler, words: ['-p', 'tsconfig.node.json'] },
  { name: 'docs', script: 'scripts/generate-docs.mjs', words: ['--build', '--check'] },
  { name: 'floors', script: 'scripts/check-floors.mjs', words: [] },
  { name: 'knip', script: 'node_modules/knip/bin/knip.js', words: ['--no-progress', '--no-config-hints'] },
  { name: 'types: pure', script: compiler, words: ['-p', 'tsconfig.pure.json'] },
  { name: 'types: web', script: compiler, words: ['-p', 'tsconfig.web.json'] },
  { name: 'biome', script: 'node_modules/@biomejs/biome/bin/biome', words: ['check', '--error-on-warnings', '.'] },
];

const startedAt = performance.now();
const waiting = [...checks];
const failures = [];
await Promise.all(Array.from({ length: Math.max(2, Math.min(4, availableParallelism())) }, runNext));

for (const failure of failures) {
  process.stdout.write(`\n--- ${failure.name} ---\n${failure.output.trimEnd()}\n`);
}
const verdict = failures.length === 0 ? 'clean' : `${failures.length} of ${checks.length} failed`;
process.stdout.write(`\ncheck: ${verdict} in ${secondsSince(startedAt)} s\n`);
process.exit(failures.length === 0 ? 0 : 1);

async function runNext() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const begunAt = performance.now();
    const { code, output } = await run(check);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'}  ${check.name.padEnd(12)} ${secondsSince(begunAt)} s\n`);
    if (code !== 0) failures.push({ name: check.name, output });
  }
}

function run({ script, words }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...memory, script, ...words], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

function secondsSince(time) {
  return ((performance.now() - time) / 1000).toFixed(1);
}
