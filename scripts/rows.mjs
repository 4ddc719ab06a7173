// `npm run rows`: which rows of docs/requirements.md are proved. A proof names a test; it holds when that test exists
// and passed in the last whole `npm test`. Prints "proved: N of M", the proved rows, the rows without proof, and every proof
// that does not hold; exits 1 when there is one.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions } from './read-options.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const usage = `npm run rows -- [options]
Says which rows of docs/requirements.md are proved by tests that passed in the last whole npm test.

  --json         as JSON
  --root FOLDER  another repository
`;
const values = readOptions(usage, {
  root: { type: 'string', default: repository },
  json: { type: 'boolean', default: false },
});
const root = resolve(values.root);
const tableFile = 'docs/requirements.md';
const resultsFile = '.cache/test-results.json';
const separator = ' > ';

const rows = readRows();
const statusOfTest = readResults();
const judged = rows.map((row) => ({ ...row, faults: row.proofs.flatMap(judgeProof) }));
const proved = judged.filter((row) => row.proofs.length > 0 && row.faults.length === 0);
const unproved = judged.filter((row) => row.proofs.length === 0);
const broken = judged.filter((row) => row.faults.length > 0);

if (values.json) {
  const ids = (list) => list.map((row) => row.id);
  const report = {
    total: rows.length,
    proved: ids(proved),
    unproved: ids(unproved),
    broken: broken.map(({ id, faults }) => ({ row: id, faults })),
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} else {
  process.stdout.write(`proved: ${proved.length} of ${rows.length}\n`);
  process.stdout.write(`proved rows: ${compact(proved)}\n`);
  process.stdout.write(`without proof: ${compact(unproved)}\n`);
  for (const row of broken) {
    for (const fault of row.faults) process.stdout.write(`${row.id}: ${fault}\n`);
  }
}
process.exit(broken.length === 0 ? 0 : 1);

function readRows() {
  const lines = readFileSync(join(root, tableFile), 'utf8').split('\n');
  const found = lines
    .filter((line) => /^\| R\d{3} \|/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => ({ id: cells[0].trim(), proofs: readProofs(cells[3] ?? '') }));
  const ids = new Set();
  for (const row of found) {
    if (ids.has(row.id)) stop(`${tableFile} has the row ${row.id} twice`);
    ids.add(row.id);
  }
  if (found.length === 0) stop(`${tableFile} has no rows`);
  return found;
}

function readProofs(cell) {
  return cell
    .replaceAll('\\|', '|')
    .split('<br>')
    .map((proof) => proof.trim())
    .filter((proof) => proof !== '');
}

/** Key: the proof as the table writes it. Value: vitest's status. */
function readResults() {
  const file = join(root, resultsFile);
  if (!existsSync(file)) stop(`${resultsFile} is missing: run npm test first`);
  const results = JSON.parse(readFileSync(file, 'utf8'));
  const newer = listTestFiles().find((test) => statSync(join(root, test)).mtimeMs > results.startTime);
  if (newer !== undefined) stop(`${resultsFile} is older than ${newer}: run npm test first`);
  return new Map(
    results.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => [
        [`\`${relative(root, name).replaceAll('\\', '/')}\``, ...test.ancestorTitles, test.title].join(separator),
        test.status,
      ]),
    ),
  );
}

function listTestFiles() {
  return ['packages', 'apps', 'scripts'].filter((folder) => existsSync(join(root, folder))).flatMap(testsBelow);
}

function testsBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : testsBelow(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

function judgeProof(proof) {
  const status = statusOfTest.get(proof);
  if (status === 'passed') return [];
  if (status !== undefined) return [`the test did not pass (${status}): ${proof}`];
  const file = /^`([^`]+)`/.exec(proof)?.[1];
  if (file === undefined) return [`not a proof (\`file\` > titles): ${proof}`];
  return [existsSync(join(root, file)) ? `no such test ran: ${proof}` : `no such file: ${proof}`];
}

/** R001, R002, R003, R007 -> "R001-R003, R007". */
function compact(list) {
  const numbers = list.map((row) => Number(row.id.slice(1)));
  const ranges = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last.end === number - 1) last.end = number;
    else ranges.push({ start: number, end: number });
  }
  const name = (number) => `R${String(number).padStart(3, '0')}`;
  const words = ranges.map(({ start, end }) => (start === end ? name(start) : `${name(start)}-${name(end)}`));
  return words.length === 0 ? 'none' : words.join(', ');
}

function stop(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
