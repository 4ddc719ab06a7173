import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const core = join(root, 'packages/core/src');

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  'packages/core/README.md',
];

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Targets of `[text](target)`, without those that lead elsewhere in the world. */
function localLinks(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

/** Cells of the rows of the README's table of rules. */
function ruleRows(): readonly (readonly string[])[] {
  const section = read('README.md').split('## Rules and where they live')[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| rule '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

/** Text of every source file, comments on one line, so that a citation never breaks. */
function sourceTexts(): readonly { readonly path: string; readonly text: string }[] {
  return ['packages', 'apps', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.(ts|mjs)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
    .map((path) => ({ path, text: read(path).replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ') }));
}

/** `rules 2 and 13`, `section 13.2` -> `rule 2`, `rule 13`, `section 13.2`. */
function placesIn(citation: string): readonly string[] {
  return [...citation.matchAll(/(rule|section)s? (\d+(?:\.\d+)?(?:(?:,| and) \d+(?:\.\d+)?)*)/g)].flatMap(
    ([, kind = '', numbers = '']) => numbers.split(/,? (?:and )?/).map((number) => `${kind} ${number}`),
  );
}

describe('documents', () => {
  it.each(documents)('%s links only to what exists', (path) => {
    const missing = localLinks(read(path)).filter((target) => !existsSync(join(root, dirname(path), target)));
    expect(missing).toEqual([]);
  });

  it('name for each rule a file that exists and a page', () => {
    const rows = ruleRows();
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const [, rule = '', files = '', page = ''] of rows) {
      const named = [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      expect(named, rule).not.toEqual([]);
      expect(
        named.filter((file) => !existsSync(join(core, file))),
        rule,
      ).toEqual([]);
      expect(localLinks(page), rule).toHaveLength(1);
    }
  });

  it('have a row in the README for each page about a rule', () => {
    const linked = ruleRows().flatMap((cells) => localLinks(cells[3] ?? ''));
    expect([...linked].sort()).toEqual(readdirSync(join(root, 'docs/rules')).map((name) => `docs/rules/${name}`));
  });

  it('have a case in torture/ for each rule of the README', () => {
    const cases: readonly { readonly rule: string }[] = JSON.parse(read('torture/cases.json'));
    const tortured = new Set(cases.map(({ rule }) => `${rule}.ts`));
    const files = ruleRows().flatMap(([, , cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    );
    expect(files.filter((file) => !tortured.has(file))).toEqual([]);
  });

  it('show an example of the library that runs', () => {
    const [, example = ''] = /```js\n([\s\S]*?)```/.exec(read('packages/core/README.md')) ?? [];
    const folder = mkdtempSync(join(core, '../.example-'));
    try {
      writeFileSync(join(folder, 'example.mjs'), example);
      const run = (picture: string) =>
        spawnSync(process.execPath, ['example.mjs', join(root, picture)], { cwd: folder, encoding: 'utf8' });
      expect(run('fixtures/screenshots/dialog-en.png').stdout).toContain('-> image/png 520 212');
      expect(run('README.md').stderr).toContain('Error: this is not a picture but');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('give the two commands to start and to test', () => {
    expect(read('README.md')).toContain('npm install && npm start');
    expect(read('README.md')).toContain('npm install && npm test');
  });

  it('say that no tool named read_image exists', () => {
    expect(read('docs/decisions/0004-non-goals.md')).toContain('**No `read_image` tool** (R157)');
  });

  it('say that PDF, SVG, HEIC and video are not taken as pictures', () => {
    expect(read('docs/decisions/0004-non-goals.md')).toContain('**No PDF, SVG, HEIC or video as pictures** (R158)');
  });

  it('say that no text recognition stands in silently', () => {
    expect(read('docs/decisions/0004-non-goals.md')).toContain(
      '**No silent reading of text (OCR) as a fallback** (R160)',
    );
  });

  it('say that pages of a PDF are not rendered', () => {
    expect(read('docs/decisions/0004-non-goals.md')).toContain('**No automatic rendering of PDF pages** (R161)');
  });

  it('say which alternatives for tool pictures were rejected, and why', () => {
    const rejected = read('docs/decisions/0003-content-addressed-pictures.md').split('## Rejected')[1] ?? '';
    expect(rejected).toContain('**A separate `read_image` tool as the only way.**');
    expect(rejected).toContain('**base64 in the text of the tool result.**');
    expect(rejected).toContain('**The URL of an object store.**');
  });

  it('hold every rule and section of the wire facts that a comment cites', () => {
    const facts = read('docs/reference/wire-facts.md');
    const rules = [...(facts.split('\n## 9.')[1]?.split('\n## 10.')[0] ?? '').matchAll(/^(\d+)\. /gm)];
    const sections = [...facts.matchAll(/^(?:## |\*\*)(\d+(?:\.\d+)?)[. ]/gm)];
    const known = new Set([...rules.map(([, n]) => `rule ${n}`), ...sections.map(([, n]) => `section ${n}`)]);
    const cited = sourceTexts()
      .filter(({ path }) => path !== 'scripts/documents.test.ts')
      .flatMap(({ path, text }) =>
        [...text.matchAll(/wire-facts(?:[^.;)]|\.\d|\([^)]*\))*/g)].flatMap(([citation]) =>
          placesIn(citation).map((place) => ({ path, place })),
        ),
      );
    expect(cited.length).toBeGreaterThanOrEqual(12);
    expect(cited.filter(({ place }) => !known.has(place))).toEqual([]);
  });

  it('hold every requirement and decision that a comment cites', () => {
    const table = read('docs/requirements.md');
    const known = new Set([...table.matchAll(/^\| (R\d{3}|X\d+) /gm)].map(([, id]) => id));
    const cited = sourceTexts()
      .filter(({ path }) => !path.startsWith('scripts/'))
      .flatMap(({ path, text }) => {
        const comments = text.match(/(?:requirements?|decisions?) (?:(?:,|and|to)? ?[RX]\d+)+/g) ?? [];
        return comments.flatMap((comment) => (comment.match(/[RX]\d+/g) ?? []).map((id) => ({ path, id })));
      });
    expect(cited.length).toBeGreaterThanOrEqual(12);
    expect(cited.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('hold every requirement exactly once', () => {
    const ids = [...read('docs/requirements.md').matchAll(/^\| (R\d{3}) \|/gm)].map(([, id]) => id);
    expect(ids).toEqual(Array.from({ length: 208 }, (_, index) => `R${String(index + 1).padStart(3, '0')}`));
  });

  it('hold the decisions in order', () => {
    const ids = [...read('docs/requirements.md').matchAll(/^\| X(\d+) /gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThanOrEqual(21);
  });
});
