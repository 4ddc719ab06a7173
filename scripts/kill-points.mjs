// Kills a busy Fovea with SIGKILL at seeded points: admission, queue, streaming, tool groups, commands, forks, deletions,
// collections and upgrades. Whatever it had acknowledged has to be there when its home is opened again, whole, and the next
// turn has to be answered. Point number N depends on seed and N alone: --from N --count 1 repeats it, as far as time does.
// Reads the build: dist, through the exports of @fovea/core and @fovea/server.
import { runKillPoints } from './crash/run-kill-points.mjs';
import { readOptions } from './read-options.mjs';

const values = readOptions(
  `node scripts/kill-points.mjs [options]
Kills a busy Fovea at seeded points and expects nothing that it acknowledged to be lost.

  --count COUNT  points (200)
  --seed SEED    a whole number; another one each day when it is left out
  --from NUMBER  the first point (0)
  --lines COUNT  the latest kill comes after so many acknowledged things (120)
`,
  {
    count: { type: 'string', default: '200' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    lines: { type: 'string', default: '120' },
  },
);
const seed = Number(values.seed ?? Math.floor(Date.now() / 86_400_000));
const count = Number(values.count);
const from = Number(values.from);
const lines = Number(values.lines);
if (![seed, count, from, lines].every(Number.isSafeInteger) || count < 1) {
  process.stderr.write('--count, --seed, --from and --lines are whole numbers\n');
  process.exit(2);
}

const said = {};
const points = await runKillPoints({
  seed,
  count,
  from,
  lines,
  onPoint(point) {
    for (const [kind, times] of Object.entries(point.said)) said[kind] = (said[kind] ?? 0) + times;
    if (point.faults.length === 0) return;
    process.stdout.write(`FAILED  kill point ${point.number}, kept in ${point.kept}\n`);
    for (const fault of point.faults) process.stdout.write(`        ${fault}\n`);
  },
});
const faulty = points.filter(({ faults }) => faults.length > 0).length;
const figures = Object.entries(said)
  .sort(([one], [other]) => one.localeCompare(other))
  .map(([kind, times]) => `${times} ${kind}`);
process.stdout.write(`${count} kill points, seed ${seed}: ${faulty} with faults; ${figures.join(', ')}\n`);
process.exit(faulty === 0 ? 0 : 1);
