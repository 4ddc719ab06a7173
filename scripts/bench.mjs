// `npm run bench`: each file of scripts/bench that exports a `name` measures `ours` against `reference` in the same run,
// interleaved, and prints the ratio of the medians against its bound. Absolute times are only printed: the machine is noisy.
// A benchmark exports
//   name, bound (largest ratio), unit (what is printed, 'ms'), ours(prepared), reference(prepared);
//   optional: prepare() -> prepared (not measured), cleanUp(prepared), rounds (15), notes(prepared) -> lines to print below.
// or, where it is no matter of time,
//   name, bound (largest figure), judge() -> {figure, notes}.
// Reads the build: dist, through the exports of @fovea/core.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readOptions } from './read-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'scripts/bench');
const warmUpRounds = 3;
const usage = `npm run bench -- [options]
Measures against a reference in the same run and prints the ratio of the medians.

  --assert        exit 1 when a ratio is beyond its bound
  --only NAME     only the benchmark NAME
  --rounds COUNT  other than the benchmark's own number of rounds
`;
const values = readOptions(usage, {
  assert: { type: 'boolean', default: false },
  only: { type: 'string' },
  rounds: { type: 'string' },
});

const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const benchmarks = await loadBenchmarks();
if (benchmarks.length === 0) {
  process.stderr.write(`no benchmark is named ${values.only}\n`);
  process.exit(2);
}

process.stdout.write(`node ${process.version}\n`);
let beyond = 0;
for (const benchmark of benchmarks) {
  if (benchmark.judge !== undefined) {
    const { figure, notes } = await benchmark.judge();
    print(benchmark, figure, '');
    printNotes(notes);
    continue;
  }
  const { ours, reference, notes } = await measure(benchmark);
  const figures = `${ours.toFixed(1)} ${benchmark.unit} against ${reference.toFixed(1)} ${benchmark.unit}`;
  print(benchmark, ours / reference, figures);
  printNotes(notes);
}
process.exit(values.assert && beyond > 0 ? 1 : 0);

function print({ name, bound }, figure, figures) {
  const isBeyond = figure > bound;
  if (isBeyond) beyond += 1;
  process.stdout.write(
    `${isBeyond ? 'BEYOND' : 'ok    '}  ${name.padEnd(16)} ${figure.toFixed(3)} (bound ${bound})  ${figures}\n`,
  );
}

function printNotes(notes) {
  for (const note of notes) process.stdout.write(`        ${note}\n`);
}

async function loadBenchmarks() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href)));
  return modules.filter(({ name }) => name !== undefined && (values.only === undefined || name === values.only));
}

async function measure(benchmark) {
  const prepared = await benchmark.prepare?.();
  const rounds = Number(values.rounds ?? benchmark.rounds ?? 15);
  const times = { ours: [], reference: [] };
  let notes = [];
  try {
    for (let round = -warmUpRounds; round < rounds; round++) {
      // Who goes first alternates, so that neither always finds the caches of the other.
      const order = round % 2 === 0 ? ['ours', 'reference'] : ['reference', 'ours'];
      for (const side of order) {
        const startedAt = performance.now();
        await benchmark[side](prepared);
        if (round >= 0) times[side].push(performance.now() - startedAt);
      }
    }
    notes = (await benchmark.notes?.(prepared)) ?? [];
  } finally {
    await benchmark.cleanUp?.(prepared);
  }
  return { ours: median(times.ours), reference: median(times.reference), notes };
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
