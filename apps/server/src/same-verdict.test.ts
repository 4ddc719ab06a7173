import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { admitTurn, type BlobSink, defaultLimits } from '@fovea/core/attachments';
import { type Digest, isRecord, MIB, parseJson, type Refusal } from '@fovea/core/base';
import { findLimitRow } from '@fovea/core/catalog';
import { refusalText } from '@fovea/core/content';
import { makeVariant } from '@fovea/core/media';
import { builtInTools, findTool } from '@fovea/core/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { Fovea, Inspection, InspectOptions } from './fovea.ts';

const workspace = fileURLToPath(new URL('../../../fixtures/cases/', import.meta.url));
const manifest = parseJson(readFileSync(`${workspace}manifest.json`, 'utf8'));
if (!manifest.ok) throw new Error(manifest.error.message);
const { cases } = manifest.value as {
  readonly cases: readonly {
    readonly file: string;
    readonly expect: 'accepted' | 'rejected';
    readonly strength: 'must' | 'policy';
    readonly expected_mime?: string;
    readonly width?: number;
    readonly height?: number;
  }[];
};

/** One set of limits for every way in: what the ways in say apart from their limits is compared. */
const same = { maxBytes: 3 * MIB, maxPixels: 40_000_000 };
const limits = {
  ...defaultLimits,
  ...{ readFileImageBytes: same.maxBytes, viewImageBytes: same.maxBytes, attachmentBytes: same.maxBytes },
  ...{ imagePixels: same.maxPixels, attachmentPixels: same.maxPixels },
};
const access = { workspace: workspace.replace(/\/$/, ''), externalFolders: {}, forbidden: [] };
const row = findLimitRow('openai-chat');
if (row === undefined) throw new Error('no limit row');
const limitRow = row;

let home: TemporaryFolder;
let fovea: Fovea;

beforeAll(async () => {
  home = await createTemporaryFolder();
  const { readFileImageBytes, viewImageBytes, attachmentBytes, imagePixels, attachmentPixels } = limits;
  fovea = compose({
    config: fillConfigDefaults(
      { limits: { readFileImageBytes, viewImageBytes, attachmentBytes, imagePixels, attachmentPixels } },
      'en',
    ),
    home: home.resolve('fovea'),
    environment: { HOME: home.path },
  });
});
afterAll(async () => {
  await fovea.close();
  await home.remove();
});

/** What a way in says of a file, in one shape: the facts and the bytes on the wire, or the model's words of the refusal. */
type Verdict =
  | {
      readonly mediaType: string;
      readonly widthPx: number;
      readonly heightPx: number;
      readonly sizeBytes: number;
      readonly digest: Digest;
      readonly variant: Digest;
    }
  | { readonly words: string };

function wordsOf(refusal: Refusal): { readonly words: string } {
  return { words: refusalText(refusal, 'en', 'model') };
}

async function inspectAs(as: InspectOptions['as'], file: string): Promise<Verdict> {
  const [inspection] = await fovea.inspect([file], { as, workspace: access.workspace });
  if (inspection?.verdict === 'refused') return wordsOf(inspection.refusal);
  if (inspection?.verdict !== 'accepted') return { words: 'text' };
  const variant = await fovea.makeVariant(file, { as, workspace: access.workspace, endpoint: 'openai-chat' });
  if (!variant.ok) return wordsOf(variant.error);
  return { ...factsOf(inspection), variant: variant.value.reference.digest };
}

function factsOf({ mediaType, widthPx, heightPx, sizeBytes, digest }: Extract<Inspection, { verdict: 'accepted' }>) {
  return { mediaType, widthPx, heightPx, sizeBytes, digest };
}

async function runTool(name: string, file: string): Promise<Verdict> {
  const blobs = new MemorySink();
  const signal = new AbortController().signal;
  const outcome = await findTool(builtInTools(), name)?.run(
    { path: file },
    { access, blobs, limits, locale: 'en', signal },
  );
  const [picture] = outcome?.attachments ?? [];
  if (picture === undefined) {
    const parsed = parseJson(outcome?.content ?? '');
    return { words: parsed.ok && isRecord(parsed.value) ? String(parsed.value['content']) : 'no result' };
  }
  const { mime: mediaType, width: widthPx, height: heightPx, size_bytes: sizeBytes, digest } = picture;
  return { mediaType, widthPx, heightPx, sizeBytes, digest, variant: await blobs.variantOf(digest) };
}

async function attach(file: string): Promise<Verdict> {
  const blobs = new MemorySink();
  const admitted = await admitTurn({
    ...{ attachments: [file], access, limits, blobs, locale: 'en' },
    ...{ imageInput: 'yes', model: 'lab/seer' },
  });
  if (!admitted.ok) return { words: admitted.error.map(({ message }) => message).join() };
  const [image] = admitted.value;
  if (image === undefined) return { words: 'nothing' };
  const { mediaType, widthPx, heightPx, sizeBytes, digest } = image;
  return { mediaType, widthPx, heightPx, sizeBytes, digest, variant: await blobs.variantOf(digest) };
}

/** Holds what a way in stored, and makes of it what the agent would send. */
class MemorySink implements BlobSink {
  readonly #stored = new Map<Digest, Uint8Array>();

  put(digest: Digest, bytes: Uint8Array): Promise<void> {
    this.#stored.set(digest, bytes);
    return Promise.resolve();
  }

  async variantOf(digest: Digest): Promise<Digest> {
    const bytes = this.#stored.get(digest);
    if (bytes === undefined) throw new Error('the picture was not stored');
    return (await makeVariant(bytes, limitRow)).digest;
  }
}

describe('one file has one verdict and one variant, whichever way it comes in', () => {
  it.each(cases.map((one) => [one.file, one] as const))('%s', { timeout: 60_000 }, async (file, expected) => {
    const inspected = await inspectAs('view-image', file);
    if (expected.expect === 'accepted' && 'digest' in inspected) {
      expect(inspected).toMatchObject({
        mediaType: expected.expected_mime,
        widthPx: expected.width,
        heightPx: expected.height,
      });
    } else if (expected.strength === 'must') {
      expect([file, 'words' in inspected ? 'rejected' : 'accepted']).toEqual([file, expected.expect]);
    }
    const ways: Readonly<Record<string, () => Promise<Verdict>>> = {
      'inspect --as read-file': () => inspectAs('read-file', file),
      'inspect --as attachment': () => inspectAs('attachment', file),
      view_image: () => runTool('view_image', file),
      read_file: () => runTool('read_file', file),
      '--attach': () => attach(file),
    };
    for (const [way, judge] of Object.entries(ways)) expect([way, await judge()]).toEqual([way, inspected]);
  });

  it('knows rows of both verdicts', () => {
    expect(cases.length).toBeGreaterThan(100);
    expect(new Set(cases.map((one) => one.expect))).toEqual(new Set(['accepted', 'rejected']));
  });
});
