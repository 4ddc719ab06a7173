import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const trees: string[] = [];

const cleanTree = {
  'base/ids.ts': 'export type Digest = string;\n',
  'base/index.ts': "export type { Digest } from './ids.ts';\n",
  'content/message.ts':
    "import Type from 'typebox';\nimport type { Digest } from '../base/ids.ts';\nexport const text = Type.String();\nexport type Picture = Digest;\n",
  'media/digest.ts':
    "import { createHash } from 'node:crypto';\nexport const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');\n",
  'store/open-store.ts': "import { digestOf } from '../media/digest.ts';\nexport const key = digestOf('a');\n",
};

const faultyTree = inCore({
  ...cleanTree,
  'base/upward.ts': "import type { Picture } from '../content/message.ts';\nexport type Unit = Picture;\n",
  'content/foreign.ts': "import sharp from 'sharp';\nexport const picture = sharp;\n",
  'base/builtin.ts': "import { hrtime } from 'node:process';\nexport const now = hrtime;\n",
  'base/facade.ts': "import type { Digest } from './index.ts';\nexport type Unit = Digest;\n",
  'content/facade.ts': "import type { Digest } from '../base/index.ts';\nexport type Unit = Digest;\n",
  'media/sniff.ts': 'export const sniff = 1;\n',
  'media/sniff.test.ts': 'export const sample = 1;\n',
  'media/tested.ts': "import { sample } from './sniff.test.ts';\nexport const sniff = sample;\n",
  'media/fetch.ts': "import { fetch } from 'undici';\nexport const get = fetch;\n",
  'store/blobs.ts': "import { sniff } from '../media/sniff.ts';\nexport const kind = sniff;\n",
  'agent/run.ts': "import { key } from '../store/open-store.ts';\nexport const turn = key;\n",
  'testing/clock.ts': 'export const clock = 1;\n',
  'testing/decode.ts': "import sharp from 'sharp';\nexport const decode = sharp;\n",
  'media/clock.ts': "import { clock } from '../testing/clock.ts';\nexport const time = clock;\n",
  'base/one.ts': "import type { Two } from './two.ts';\nexport type One = Two | 1;\n",
  'base/two.ts': "import type { One } from './one.ts';\nexport type Two = One[] | 2;\n",
  'providers/send.ts': "import OpenAI from 'openai';\nexport const client = OpenAI;\n",
  'utils/pad.ts': 'export const pad = 1;\n',
  'base/lost.ts': "import { gone } from './gone.ts';\nexport const unit = gone;\n",
});

function inCore(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`packages/core/src/${path}`, text]));
}

/** Cruises a throw-away tree inside the repository, so that packages resolve as they do for real files. */
function checkTree(files: Readonly<Record<string, string>>): { readonly code: number | null; readonly output: string } {
  mkdirSync(join(repository, '.cache'), { recursive: true });
  const root = mkdtempSync(join(repository, '.cache/floors-'));
  trees.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const result = spawnSync(process.execPath, [join(repository, 'scripts/check-floors.mjs'), '--root', root], {
    encoding: 'utf8',
  });
  return { code: result.status, output: result.stdout + result.stderr };
}

afterAll(() => {
  for (const root of trees.splice(0)) {
    rmSync(root, { recursive: true, force: true });
  }
});

describe('check-floors', () => {
  it('passes on a clean tree and counts its files', () => {
    const { code, output } = checkTree(inCore(cleanTree));
    expect(output).toBe('floors: 5 files, 0 forbidden imports\n');
    expect(code).toBe(0);
  });

  describe('on a tree with faults', () => {
    let report: { readonly code: number | null; readonly output: string } = { code: null, output: '' };
    beforeAll(() => {
      report = checkTree(faultyTree);
    });

    it('exits with 1', () => {
      expect(report.code).toBe(1);
    });

    it.each([
      ['an upward type import', 'base-imports-only-allowed-floors: base/upward.ts -> content/message.ts'],
      ['a foreign package in a pure floor', 'content-uses-only-allowed-packages: content/foreign.ts -> '],
      ['media on a package beside sharp and file-type', 'media-uses-only-allowed-packages: media/fetch.ts -> '],
      ['a node module in a pure floor', 'base-has-no-node-modules: base/builtin.ts -> process'],
      ['the façade of its own floor', 'core-imports-files-not-facades: base/facade.ts -> base/index.ts'],
      ['the façade of another floor', 'core-imports-files-not-facades: content/facade.ts -> base/index.ts'],
      ['the store beyond digest.ts of media', 'store-imports-only-allowed-floors: store/blobs.ts -> media/sniff.ts'],
      ['the agent on the store', 'agent-imports-only-allowed-floors: agent/run.ts -> store/open-store.ts'],
      ['testing/ in product code', 'product-never-imports-testing: media/clock.ts -> testing/clock.ts'],
      ['sharp in testing/', 'testing-uses-only-allowed-packages: testing/decode.ts -> '],
      ['a cycle of types', 'no-cycles: base/one.ts -> base/two.ts -> base/one.ts'],
      [
        'a client of which only types are allowed',
        'providers-imports-only-types-of-foreign-clients: providers/send.ts',
      ],
      ['a file on no floor', 'every-file-stands-on-a-floor: utils/pad.ts'],
      ['an imported test', 'nobody-imports-a-test: media/tested.ts -> media/sniff.test.ts'],
      ['an import that leads nowhere', 'every-import-resolves: base/lost.ts -> '],
    ])('reports %s', (_what, message) => {
      expect(report.output.replaceAll('packages/core/src/', '')).toContain(message);
    });
  });

  it('lets a test import testing/ and the types of a foreign client', () => {
    const { output } = checkTree(
      inCore({
        ...cleanTree,
        'testing/clock.ts': 'export const clock = 1;\n',
        'media/digest.test.ts':
          "import sharp from 'sharp';\nimport { clock } from '../testing/clock.ts';\nexport const used = [sharp, clock];\n",
        'providers/shapes.ts': "import type OpenAI from 'openai';\nexport type Client = OpenAI;\n",
      }),
    );
    expect(output).toBe('floors: 8 files, 0 forbidden imports\n');
  });

  it('fails when the cruise saw fewer modules than there are files', () => {
    const { code, output } = checkTree(
      inCore({
        ...cleanTree,
        'media/dist/hidden.ts': 'export const a = 1;\n',
      }),
    );
    expect(output).toContain(
      'dependency-cruiser saw 5 of 6 modules; not seen:\npackages/core/src/media/dist/hidden.ts',
    );
    expect(code).toBe(1);
  });

  it('fails when there is nothing to check', () => {
    const { code, output } = checkTree({ 'README.md': 'empty\n' });
    expect(output).toContain('nothing was checked');
    expect(code).toBe(1);
  });
});
