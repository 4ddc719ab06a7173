// Property-based fuzzing of picture admission: valid files of the four formats are mutated, block by block and bit by bit.
//   - nothing crashes, throws, or takes longer than 2 s; memory stays bounded (printed)
//   - what is accepted, decoders that the product does not use accept as well, with the same size
//   - what is made for the wire of an accepted file decodes there too
// Differences between decoders that were judged stand in fuzz-differences.json with their reasons; any other fails the run
// and is kept in .cache/fuzz. Input number N depends on seed and N alone: --from N --count 1 repeats it.
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { readOptions } from './read-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceFolder = join(root, 'packages/core/src');
const cache = join(root, '.cache/fuzz');
const processes = 2;
const longestMs = 2000;
/** A call that does not come back by then hangs. */
const patienceMs = 20_000;
/** The 4 MP that a mutated header may claim, a few times over, and the decoders of both sides. */
const mostMegabytes = 500;

const values = readOptions(
  `node scripts/fuzz-pictures.mjs [options]
Mutates valid pictures and expects admission to agree with independent decoders.

  --count COUNT  inputs (20000)
  --seed SEED    a whole number; another one each day when it is left out
  --from NUMBER  the first input (0)
`,
  { count: { type: 'string', default: '20000' }, seed: { type: 'string' }, from: { type: 'string', default: '0' } },
);
const seed = Number(values.seed ?? Math.floor(Date.now() / 86_400_000));
const first = Number(values.from);
const end = first + Number(values.count);
if (![seed, first, end].every(Number.isSafeInteger) || end <= first) {
  process.stderr.write('--count, --seed and --from are whole numbers\n');
  process.exit(2);
}

const judgements = JSON.parse(readFileSync(new URL('fuzz-differences.json', import.meta.url), 'utf8'));
const compiled = join(cache, `floors-${process.pid}`);
process.stdout.write(`seed ${seed}, inputs ${first} to ${end - 1}\n`);
const findings = [];
const totals = { inputs: 0, accepted: 0, slowestMs: 0, maxRssMb: 0 };
try {
  compileFloors();
  const share = Math.ceil((end - first) / processes);
  const starts = Array.from({ length: processes }, (_, index) => first + index * share).filter((from) => from < end);
  await Promise.all(starts.map((from) => runRange(from, Math.min(end, from + share))));
} finally {
  rmSync(compiled, { recursive: true, force: true });
}
process.exit(report() ? 0 : 1);

/** JavaScript of the present source, so that no build is needed. */
function compileFloors() {
  for (const floor of ['base', 'catalog', 'content', 'media', 'testing/strict-server/pictures']) {
    for (const name of readdirSync(join(sourceFolder, floor), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.endsWith('.d.ts')) continue;
      const { outputText } = ts.transpileModule(readFileSync(join(sourceFolder, floor, name), 'utf8'), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      const target = join(compiled, floor, name.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, outputText);
    }
  }
}

/** Works through a range in a process of its own, and goes on behind an input that ends or stops it. */
async function runRange(from, to) {
  let next = from;
  while (next < to) {
    const { last, isDone, problem } = await runWorker(next, to);
    if (isDone) return;
    findings.push({ kind: problem, index: last.index, format: '', detail: last.phase });
    next = last.index + 1;
  }
}

function runWorker(from, to) {
  return new Promise((resolve) => {
    const last = { index: from, phase: 'start', at: Date.now() };
    let isDone = false;
    let problem = 'crash';
    const worker = fork(new URL('fuzz/worker.mjs', import.meta.url), [
      compiled,
      root,
      String(seed),
      String(from),
      String(to),
    ]);
    const watch = setInterval(() => {
      if (Date.now() - last.at < patienceMs) return;
      problem = 'hang';
      worker.kill('SIGKILL');
    }, 1000);
    worker.on('message', (message) => {
      last.at = Date.now();
      if (message.type === 'phase') Object.assign(last, { index: message.index, phase: message.phase });
      if (message.type === 'finding') findings.push(message.finding);
      if (message.type === 'progress') addTotals(message);
      if (message.type === 'done') isDone = true;
    });
    worker.on('exit', () => {
      clearInterval(watch);
      resolve({ last, isDone, problem });
    });
  });
}

function addTotals({ inputs, accepted, slowestMs, maxRssMb }) {
  totals.inputs += inputs;
  totals.accepted += accepted;
  totals.slowestMs = Math.max(totals.slowestMs, slowestMs);
  totals.maxRssMb = Math.max(totals.maxRssMb, maxRssMb);
}

function findJudgement({ kind, format, detail }) {
  return judgements.find((row) => row.kind === kind && row.format === format && detail.includes(row.says));
}

/** @returns {boolean} whether everything that was found had been judged. */
function report() {
  const { inputs, accepted, slowestMs, maxRssMb } = totals;
  process.stdout.write(
    `${inputs} inputs, ${accepted} accepted; slowest ${slowestMs.toFixed(0)} ms; largest memory ${maxRssMb.toFixed(0)} MB\n`,
  );
  const groups = new Map();
  for (const finding of findings) {
    const key = `${finding.kind}  ${finding.format}  ${finding.detail}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  let unjudged = 0;
  for (const [key, members] of [...groups].sort()) {
    const judgement = findJudgement(members[0]);
    if (judgement === undefined) {
      unjudged += members.length;
      keepInputs(members);
    }
    const examples = members.slice(0, 5).map(({ index }) => index);
    const verdict = judgement === undefined ? 'NOT JUDGED' : `judged: ${judgement.judgement}`;
    process.stdout.write(`${String(members.length).padStart(6)}  ${key}  (${examples.join(', ')})  ${verdict}\n`);
  }
  const isSlow = slowestMs > longestMs;
  const isLarge = maxRssMb > mostMegabytes;
  if (isSlow) process.stdout.write(`an input took longer than ${longestMs} ms\n`);
  if (isLarge) process.stdout.write(`memory went beyond ${mostMegabytes} MB\n`);
  if (unjudged > 0) process.stdout.write(`${unjudged} findings are not judged; their inputs are in .cache/fuzz\n`);
  return unjudged === 0 && !isSlow && !isLarge;
}

function keepInputs(members) {
  if (!existsSync(cache)) mkdirSync(cache, { recursive: true });
  for (const { index, bytes } of members.slice(0, 5)) {
    if (bytes !== undefined) writeFileSync(join(cache, `${seed}-${index}`), Buffer.from(bytes, 'base64'));
  }
}
