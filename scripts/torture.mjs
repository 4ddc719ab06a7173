// `npm run torture`: breaks each rule on purpose and expects its test to notice. A case is a small patch in torture/
// and an entry of torture/cases.json: {"rule": "media/verify", "patch": "media-verify.patch", "test": "path.test.ts"};
// with a "title" only the tests whose full title holds it run.
// It is applied to a copy of the tracked and new files (packages linked, never copied), the test runs there, and has to be
// red; first it has to be green without the patch. Before that fuzz-pictures.mjs mutates pictures, kill-points.mjs kills a
// busy Fovea, and two-processes.mjs lets two of them share a home. Exits 1 when one of them finds a fault, a patch does not
// apply or a test stays green.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearEnvironment } from './clear-environment.mjs';
import { readOptions } from './read-options.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const usage = `npm run torture -- [options]
Breaks each rule on purpose (torture/*.patch, in a copy) and expects its test to turn red.

  --only NAME    only cases whose rule or patch has NAME in its name; fuzz: only the mutated pictures; kill-points: only the
                 kills; two-processes: only what two of them do on one home
  --seed SEED    of pictures and kills; another one each day when it is left out
  --root FOLDER  another repository
`;
const values = readOptions(usage, {
  root: { type: 'string', default: repository },
  only: { type: 'string', default: '' },
  seed: { type: 'string' },
});
const root = resolve(values.root);
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');

/** What torments the program itself, before its tests are tormented. The last two run what is built. */
const torments = [
  { name: 'fuzz-pictures', scripts: [['fuzz-pictures.mjs', ...seedWords()]] },
  { name: 'kill-points', scripts: [['build.mjs'], ['kill-points.mjs', ...seedWords()]] },
  { name: 'two-processes', scripts: [['build.mjs'], ['two-processes.mjs']] },
];
const isOurs = root === resolve(repository);
const chosen = torments.filter(({ name }) => isOurs && name.includes(values.only));
for (const [script, ...words] of chosen.flatMap(({ scripts }) => scripts)) {
  const { status } = spawnSync(process.execPath, [`scripts/${script}`, ...words], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
const cases = readCases();
if (cases.length === 0) {
  process.stdout.write('no cases yet\n');
  process.exit(0);
}

const copy = mkdtempSync(join(tmpdir(), 'torture-'));
const outcomes = [];
try {
  copyTree();
  const isGreen = new Map();
  for (const entry of cases) {
    const test = JSON.stringify([entry.test, entry.title]);
    if (!isGreen.has(test)) isGreen.set(test, runTest(entry));
    const outcome = isGreen.get(test) ? runCase(entry) : 'the test is red without the patch';
    outcomes.push(outcome);
    process.stdout.write(`${outcome === 'red' ? 'ok    ' : 'FAILED'}  ${entry.rule}  ${entry.patch}  ${outcome}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const failed = outcomes.filter((outcome) => outcome !== 'red').length;
process.stdout.write(`${outcomes.length - failed} of ${outcomes.length} patches were noticed\n`);
process.exit(failed === 0 ? 0 : 1);

function seedWords() {
  return values.seed === undefined ? [] : ['--seed', values.seed];
}

function readCases() {
  const file = join(root, 'torture/cases.json');
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')).filter(
    (entry) => entry.rule.includes(values.only) || entry.patch.includes(values.only),
  );
}

/** Files as they are now (also those not committed yet); every node_modules becomes a link to the real one. */
function copyTree() {
  const listed = git(['ls-files', '--cached', '--others', '--exclude-standard', '-z'], root).stdout;
  for (const path of listed.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(root, path), join(copy, path));
  }
  for (const folder of ['', ...memberFolders()]) linkPackages(folder);
}

function memberFolders() {
  return ['packages', 'apps'].flatMap((group) =>
    existsSync(join(copy, group)) ? readdirSync(join(copy, group)).map((member) => join(group, member)) : [],
  );
}

/** Our own members are links in node_modules; in the copy they have to lead to the copy. */
function linkPackages(folder) {
  const original = join(root, folder, 'node_modules');
  if (!existsSync(original)) return;
  const target = join(copy, folder, 'node_modules');
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(original).filter(
    (entry) => entry !== '.vite' && entry !== '@fovea' && entry !== 'fovea',
  )) {
    symlinkSync(join(original, name), join(target, name));
  }
  const scope = join(original, '@fovea');
  if (!existsSync(scope)) return;
  mkdirSync(join(target, '@fovea'), { recursive: true });
  for (const name of readdirSync(scope)) {
    const isMember = lstatSync(join(scope, name)).isSymbolicLink();
    const place = isMember ? join(copy, name === 'core' ? 'packages/core' : `apps/${name}`) : join(scope, name);
    symlinkSync(place, join(target, '@fovea', name));
  }
}

function runCase(entry) {
  const patch = join(root, 'torture', entry.patch);
  if (!existsSync(patch)) return 'there is no such patch';
  if (git(['apply', '--whitespace=nowarn', patch], copy).status !== 0) return 'the patch does not apply';
  try {
    return runTest(entry) ? 'the test stayed green' : 'red';
  } finally {
    git(['apply', '--whitespace=nowarn', '--reverse', patch], copy);
  }
}

/** True when the tests ran and all of them passed. */
function runTest({ test, title }) {
  const words = [vitest, 'run', '--root', copy, '--reporter=dot', join(copy, test)];
  if (title !== undefined) words.push('--testNamePattern', title);
  return spawnSync(process.execPath, words, { cwd: copy, env: clearEnvironment(process.env) }).status === 0;
}

function git(words, folder) {
  return spawnSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  });
}
