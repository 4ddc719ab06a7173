import { describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { limitRowFor } from '../catalog/limits.ts';
import type { Message } from '../content/messages.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createMemoryRecords } from '../testing/create-memory-records.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { makeImageRef, makeToolAttachment, makeToolMessage, makeUserMessage } from '../testing/make-transcript.ts';
import { type PrepareStepInput, prepareStep } from './prepare-step.ts';

const limitRow = limitRowFor('openai', 'openai-chat');

async function makeStore() {
  const blobs = createMemoryBlobs();
  const old = await blobs.add(makeTwoColorPng({ left: 'red', right: 'blue' }, { widthPx: 2000, heightPx: 40 }));
  const current = await blobs.add(makeTwoColorPng({ left: 'green', right: 'black' }));
  const transcript: readonly Message[] = [
    makeUserMessage('u1', 'old', { images: [makeImageRef('old.png', old)], turnId: 'turn_0' }),
    makeUserMessage('u2', 'new', { images: [makeImageRef('new.png', current)] }),
    makeToolMessage('c1', makeToolAttachment('shots/new.png', current)),
  ];
  const records = createMemoryRecords();
  const prepare = (overrides: Partial<PrepareStepInput> = {}) =>
    prepareStep(
      {
        sessionId: 'ses_1',
        turnId: 'turn_1',
        transcript,
        target: { imageInput: 'yes', limitRow },
        sentDigests: new Set(),
        losses: new Map(),
        signal: new AbortController().signal,
        ...overrides,
      },
      { records, blobs, logger: silentLogger },
    );
  return { blobs, records, old, current, prepare };
}

describe('prepareStep', () => {
  it('makes and stores the variant of every picture once', async () => {
    const { blobs, records, old, current, prepare } = await makeStore();
    const { variants, pictures } = await prepare();
    expect([...variants.keys()]).toEqual([old, current]);
    expect(variants.get(old)).toMatchObject({ widthPx: 1568, changes: expect.arrayContaining(['resized']) });
    expect(blobs.has(variants.get(old)?.digest ?? old)).toBe(true);
    expect(records.variants()).toHaveLength(2);
    expect(pictures.get(old)).toMatchObject({ name: 'old.png', isOfCurrentTurn: false });
    expect(pictures.get(current)).toMatchObject({ name: 'new.png', isOfCurrentTurn: true });
  });

  it('makes the variant of a region beside that of the whole picture', async () => {
    const { records, old, prepare } = await makeStore();
    const attachment = { ...makeToolAttachment('old.png', old), width: 2000, height: 40 };
    const region = { x: 990, y: 10, width: 20, height: 20 };
    const transcript = [
      makeToolMessage('c1', attachment),
      makeToolMessage('c2', { ...attachment, region }),
      makeToolMessage('c3', { ...attachment, region }),
    ];
    const { variants, pictures } = await prepare({ transcript });
    const key = `${old} 990,10,20,20`;
    expect([...variants.keys()]).toEqual([old, key]);
    expect(variants.get(key)).toMatchObject({
      originalDigest: old,
      widthPx: 20,
      heightPx: 20,
      changes: expect.arrayContaining(['region']),
    });
    expect(pictures.get(key)?.region).toEqual(region);
    expect(records.variants()).toHaveLength(2);
    expect((await prepare({ transcript })).variants).toEqual(variants);
  });

  it('stores the bytes of a variant before the record that points to them', async () => {
    const { blobs, records, prepare } = await makeStore();
    const save = records.saveVariant.bind(records);
    const seen: boolean[] = [];
    records.saveVariant = async (sessionId, record) => {
      seen.push(blobs.has(record.digest));
      await save(sessionId, record);
    };
    await prepare();
    expect(seen).toEqual([true, true]);
  });

  it('finds the stored variants again without reading a byte', async () => {
    const { blobs, prepare } = await makeStore();
    const first = await prepare();
    blobs.get = () => Promise.reject(new Error('read'));
    expect((await prepare()).variants).toEqual(first.variants);
  });

  it('gives this session an edge to a variant that another session made', async () => {
    const { records, old, prepare } = await makeStore();
    const { variants } = await prepare({ sessionId: 'ses_0' });
    await prepare();
    expect(records.reachableDigests('ses_1')).toContain(variants.get(old)?.digest);
  });

  it('makes a variant anew when its bytes were collected after it was found', async () => {
    const { blobs, records, old, current, prepare } = await makeStore();
    const { variants } = await prepare({ sessionId: 'ses_0' });
    const put = blobs.put.bind(blobs);
    const stored: Digest[] = [];
    blobs.put = async (digest, bytes) => {
      stored.push(digest);
      await put(digest, bytes);
    };
    records.holdVariant = async () => false;
    expect((await prepare()).variants).toEqual(variants);
    const digests = [old, current].map((digest) => variants.get(digest)?.digest ?? expect.fail('no variant'));
    expect(stored.sort()).toEqual([...digests].sort());
    expect(records.reachableDigests('ses_1')).toEqual(expect.arrayContaining(digests));
  });

  it('writes nothing for pictures that the session has sent before', async () => {
    const { records, prepare } = await makeStore();
    const { variants } = await prepare();
    records.saveVariant = () => Promise.reject(new Error('written'));
    records.holdVariant = () => Promise.reject(new Error('written'));
    const sentDigests = new Set([...variants.values()].map(({ digest }) => digest));
    expect((await prepare({ sentDigests })).variants).toEqual(variants);
  });

  it('reads and makes nothing for a model that takes no pictures', async () => {
    const { blobs, records, prepare } = await makeStore();
    blobs.get = () => Promise.reject(new Error('read'));
    const { variants, pictures } = await prepare({ target: { imageInput: 'no', limitRow } });
    expect(variants.size).toBe(0);
    expect(pictures.size).toBe(2);
    expect(records.variants()).toEqual([]);
  });

  it('goes on without an old picture whose bytes are gone or damaged', async () => {
    for (const [harm, code] of [
      ['remove', 'BLOB_MISSING'],
      ['damage', 'BLOB_DAMAGED'],
    ] as const) {
      const { blobs, old, current, prepare } = await makeStore();
      blobs[harm](old);
      const { variants, faults } = await prepare();
      expect([...variants.keys()]).toEqual([current]);
      expect([...faults]).toEqual([[old, code]]);
    }
  });

  it('fails for a picture of the current turn whose bytes are gone, and names it', async () => {
    const { blobs, current, prepare } = await makeStore();
    blobs.remove(current);
    await expect(prepare()).rejects.toMatchObject({
      code: 'BLOB_MISSING',
      message: expect.stringContaining('new.png'),
    });
  });

  it('makes a lost variant anew once and then gives an old picture up', async () => {
    const { blobs, old, prepare } = await makeStore();
    const first = (await prepare()).variants.get(old);
    const lost = first?.digest as Digest;
    blobs.remove(lost);
    expect(
      (await prepare({ losses: new Map([[lost, { count: 1, code: 'BLOB_MISSING' }]]) })).variants.get(old),
    ).toEqual(first);
    expect(blobs.has(lost)).toBe(true);
    const givenUp = await prepare({ losses: new Map([[lost, { count: 2, code: 'BLOB_DAMAGED' }]]) });
    expect(givenUp.variants.has(old)).toBe(false);
    expect(givenUp.faults.get(old)).toBe('BLOB_DAMAGED');
  });

  it('is cancelled by the stop', async () => {
    const { prepare } = await makeStore();
    await expect(prepare({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELED' });
  });
});
