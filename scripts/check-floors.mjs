// Runs dependency-cruiser over packages/*/src and apps/*/src. A cruise that saw fewer modules than there are
// TypeScript files proves nothing (with a compiler it cannot use it sees none), so that is a failure too.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apps, floors, testing } from './floors.mjs';
import { readOptions } from './read-options.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const cruiser = join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const usage = `node scripts/check-floors.mjs [--root FOLDER]
Says which imports the table of scripts/floors.mjs forbids.
`;
const values = readOptions(usage, { root: { type: 'string', default: repository } });
const root = resolve(values.root);

const folders = [...floors, testing, ...apps].map((unit) => unit.folder);
const sourceFolders = findSourceFolders();
const expected = sourceFolders.flatMap(listTypeScript);
const report = cruise();
const seen = new Set(report.modules.map((module) => module.source));
const homeless = expected.filter((file) => !folders.some((folder) => file.startsWith(`${folder}/`)));
const missing = expected.filter((file) => !seen.has(file));

for (const violation of report.summary.violations) {
  process.stdout.write(`${describe(violation)}\n`);
}
for (const file of homeless) {
  process.stdout.write(`every-file-stands-on-a-floor: ${file} is in no folder of scripts/floors.mjs\n`);
}
if (missing.length > 0) {
  process.stdout.write(
    `dependency-cruiser saw ${expected.length - missing.length} of ${expected.length} modules; not seen:\n`,
  );
  process.stdout.write(`${missing.slice(0, 10).join('\n')}\n`);
}
if (expected.length === 0) {
  process.stdout.write('no TypeScript file under packages/*/src or apps/*/src: nothing was checked\n');
}
const errors = report.summary.error + homeless.length;
const failed = errors > 0 || missing.length > 0 || expected.length === 0;
process.stdout.write(`floors: ${expected.length} files, ${errors} forbidden imports\n`);
process.exit(failed ? 1 : 0);

function findSourceFolders() {
  return ['packages', 'apps'].flatMap((group) =>
    existsSync(join(root, group))
      ? readdirSync(join(root, group))
          .map((member) => `${group}/${member}/src`)
          .filter((folder) => existsSync(join(root, folder)))
      : [],
  );
}

function listTypeScript(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map((entry) => `${folder}/${join(entry.parentPath, entry.name).slice(join(root, folder).length + 1)}`)
    .map((path) => path.replaceAll('\\', '/'));
}

function cruise() {
  if (sourceFolders.length === 0) {
    return { modules: [], summary: { error: 0, violations: [] } };
  }
  const result = spawnSync(
    process.execPath,
    [cruiser, '--config', join(repository, '.dependency-cruiser.mjs'), '--output-type', 'json', ...sourceFolders],
    { cwd: root, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 },
  );
  try {
    return JSON.parse(result.stdout);
  } catch {
    process.stdout.write(`dependency-cruiser gave no report:\n${result.stderr}\n`);
    process.exit(1);
  }
}

function describe(violation) {
  const path = violation.cycle === undefined ? [violation.to] : violation.cycle.map((step) => step.name ?? step);
  return `${violation.rule.name}: ${violation.from} -> ${path.join(' -> ')}`;
}
