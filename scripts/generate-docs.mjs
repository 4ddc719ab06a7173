// `npm run docs`: writes the pages of docs/reference that follow from code: errors.md from the table of error codes,
// tools.md from the definitions of the built-in tools, limits.md from the catalogue's limit rows; and the JSON schema
// of the configuration, which the server's package ships. Reads the build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readOptions } from './read-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const usage = `npm run docs -- [options]
Writes the generated pages of docs/reference and the schema of the configuration, from the build.

  --check  writes nothing, exits 1 when a page is stale
  --build  builds first
`;
const values = readOptions(usage, { check: { type: 'boolean' }, build: { type: 'boolean' } });

if (values.build === true) {
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}

const pages = [
  { file: 'docs/reference/errors.md', text: errorsPage(await loadFloor('base')) },
  { file: 'docs/reference/tools.md', text: toolsPage(await loadFloor('tools')) },
  { file: 'docs/reference/limits.md', text: limitsPage(await loadFloor('catalog')) },
  { file: 'apps/server/config.schema.json', text: await configSchema() },
];

const stale = pages.filter(({ file, text }) => readIfThere(join(root, file)) !== text);
if (values.check === true) {
  for (const { file } of stale) process.stdout.write(`${file} is stale: run npm run docs\n`);
  process.exit(stale.length === 0 ? 0 : 1);
}
for (const { file, text } of stale) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  process.stdout.write(`written: ${file}\n`);
}

async function configSchema() {
  const { buildConfigSchemaFile } = await loadBuilt('apps/server/dist/config/config-schema.js');
  return buildConfigSchemaFile();
}

function loadFloor(floor) {
  return loadBuilt(`packages/core/dist/${floor}/index.js`);
}

async function loadBuilt(path) {
  const file = join(root, path);
  if (!existsSync(file)) {
    process.stdout.write(`${file} does not exist: run npm run build\n`);
    process.exit(1);
  }
  return import(pathToFileURL(file).href);
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function errorsPage({ errorCodes }) {
  return page({
    title: 'Error codes',
    source: 'packages/core/src/base/error-codes.ts',
    body: [
      'Errors and refusals are told apart by these codes. A code is never renamed; codes are only added.',
      '',
      ...table(
        ['code', 'meaning'],
        Object.entries(errorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
      ),
    ],
  });
}

function toolsPage({ builtInTools }) {
  return page({
    title: 'Built-in tools',
    source: 'packages/core/src/tools',
    body: builtInTools().flatMap((tool) => [
      `## \`${tool.name}\``,
      '',
      `Effect: ${tool.effect}.`,
      '',
      ...['en', 'zh-CN'].flatMap((locale) => definitionSection(locale, tool.definition(locale))),
    ]),
  });
}

function definitionSection(locale, definition) {
  return [
    `### ${locale}`,
    '',
    ...definition.description.split('\n').map((line) => `> ${line}`.trimEnd()),
    '',
    '```json',
    JSON.stringify(definition.parameters, null, 2),
    '```',
    '',
  ];
}

function limitsPage({ limitRows }) {
  const figure = (value) => (value === null || value === undefined ? '' : value.toLocaleString('en-US'));
  return page({
    title: 'Limit rows',
    source: 'packages/core/src/catalog',
    body: [
      'What endpoints take of pictures, as the catalogue knows it. An empty cell: not documented, none found.',
      'Confidence: H read in types or run, M dated copy or several reports, L one report.',
      '',
      ...table(
        [
          'row',
          'formats',
          'URL',
          'file id',
          'tool pictures',
          'bytes of one',
          'base64 of one',
          'pictures',
          'longest side',
          'edge we send',
          'body bytes',
          'confidence',
          'note',
        ],
        Object.values(limitRows).map((row) => [
          `\`${row.id}\``,
          row.formats.join(', '),
          row.url ? 'yes' : 'no',
          row.fileId ? 'yes' : 'no',
          row.toolImages ?? '',
          figure(row.maxRaw),
          figure(row.maxB64),
          figure(row.maxImages),
          figure(row.maxSide),
          figure(row.edge ?? 1568),
          figure(row.body),
          row.confidence,
          row.note ?? '',
        ]),
      ),
    ],
  });
}

function page({ title, source, body }) {
  const head = [`# ${title}`, '', `Generated from \`${source}\` by \`npm run docs\`; do not edit.`, ''];
  return `${[...head, ...body].join('\n').trimEnd()}\n`;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}
