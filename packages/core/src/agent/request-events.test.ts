import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import { limitRowFor } from '../catalog/limits.ts';
import type { RequestImage } from '../content/request.ts';
import { fakeDigest, makeVariantRecord } from '../testing/make-transcript.ts';
import { createImageNotice, createRequestEvent, isSamePlan, planOf, type RequestFacts } from './request-events.ts';

const original = fakeDigest('a');
const variant = makeVariantRecord(original, fakeDigest('b'));
const image: RequestImage = {
  type: 'image',
  digest: variant.digest,
  originalDigest: original,
  name: 'a.png',
  mediaType: 'image/jpeg',
  sizeBytes: 900,
  widthPx: 1568,
  heightPx: 784,
};
const other: RequestImage = { ...image, originalDigest: fakeDigest('c'), digest: fakeDigest('c'), name: 'c.png' };

function factsOf(overrides: Partial<RequestFacts> = {}): RequestFacts {
  return {
    request: 3,
    turnId: 'turn_1',
    step: 2,
    bodyBytes: 1234,
    target: {
      channel: 'lab',
      model: 'seer',
      endpoint: {
        channel: 'lab',
        wireApi: 'openai-chat',
        baseUrl: 'http://127.0.0.1/v1',
        apiKey: undefined,
        headers: {},
        imageDetail: 'high',
        idleTimeoutMs: 1,
      },
      limitRow: limitRowFor('openai', 'openai-chat'),
      tokenFamily: 'unknown',
    },
    images: [image, other],
    variants: new Map([[original, variant]]),
    pictures: new Map([
      [original, { digest: original, name: 'a.png', widthPx: 4000, heightPx: 2000, isOfCurrentTurn: true }],
    ]),
    previousPlan: undefined,
    ...overrides,
  };
}

const planKey = { sessionId: 'ses_1', endpointId: 'e' };

describe('createRequestEvent', () => {
  it('tells of a new picture what was done to it and what it costs', () => {
    expect(createRequestEvent(factsOf({ images: [image] }))).toEqual({
      type: 'request',
      request: 3,
      turnId: 'turn_1',
      step: 2,
      channel: 'lab',
      model: 'seer',
      wireApi: 'openai-chat',
      bodyBytes: 1234,
      bodyLimit: 512_000_000,
      imagesTotal: 1,
      imagesChanged: [
        {
          digest: original,
          name: 'a.png',
          originalWidthPx: 4000,
          originalHeightPx: 2000,
          mediaType: 'image/jpeg',
          widthPx: 1568,
          heightPx: 784,
          sizeBytes: 900,
          estimatedTokens: 1000,
          change: ['reencoded'],
        },
      ],
    });
  });

  it('tells which region of a picture was sent, by the variant of that region', () => {
    const region = { x: 10, y: 20, width: 300, height: 200 };
    const part = { ...image, region, digest: fakeDigest('e'), widthPx: 300, heightPx: 200 };
    const key = `${original} 10,20,300,200`;
    const facts = factsOf({
      images: [image, part],
      variants: new Map([
        [original, variant],
        [key, { ...variant, digest: part.digest, changes: ['region', 'reencoded'] }],
      ]),
      pictures: new Map([
        [key, { digest: original, region, name: 'a.png', widthPx: 4000, heightPx: 2000, isOfCurrentTurn: true }],
      ]),
    });
    const [whole, cut] = createRequestEvent(facts).imagesChanged;
    expect(whole).not.toHaveProperty('region');
    expect(cut).toMatchObject({
      ...{ digest: original, region, originalWidthPx: 4000, originalHeightPx: 2000, widthPx: 300, heightPx: 200 },
      change: ['region', 'reencoded'],
    });
  });

  it('counts every picture but tells only of those that the previous request did not send so', () => {
    const previousPlan = planOf([image], planKey);
    const event = createRequestEvent(factsOf({ previousPlan }));
    expect(event.imagesTotal).toBe(2);
    expect(event.imagesChanged.map(({ name }) => name)).toEqual(['c.png']);
    const asAnotherVariant = planOf([{ ...image, digest: fakeDigest('f') }, other], planKey);
    const changed = createRequestEvent(factsOf({ previousPlan: asAnotherVariant })).imagesChanged;
    expect(changed.map(({ name }) => name)).toEqual(['a.png']);
  });

  it('tells of the second time that the same picture is sent', () => {
    const previousPlan = planOf([image], planKey);
    const event = createRequestEvent(factsOf({ images: [image, { ...image, name: 'again.png' }], previousPlan }));
    expect(event.imagesChanged.map(({ name }) => name)).toEqual(['again.png']);
  });
});

describe('isSamePlan', () => {
  it('compares pictures and their order', () => {
    const plan = planOf([image, other], planKey);
    expect(isSamePlan(plan, planOf([image, other], planKey))).toBe(true);
    expect(isSamePlan(plan, planOf([other, image], planKey))).toBe(false);
    expect(isSamePlan(plan, planOf([image], planKey))).toBe(false);
    expect(isSamePlan(planOf([], planKey), undefined)).toBe(false);
  });
});

describe('createImageNotice', () => {
  it('says which model gets a sentence instead of which picture', () => {
    const notice = { kind: 'replaced-by-notice', digest: original, name: 'a.png', toolCallId: 'c1' } as const;
    expect(
      createImageNotice(notice, { target: { channel: 'lab', model: 'blind' }, faults: new Map(), locale: 'en' }),
    ).toEqual({
      type: 'image-notice',
      kind: 'replaced-by-notice',
      digest: original,
      name: 'a.png',
      toolCallId: 'c1',
      code: 'MODEL_CANNOT_SEE',
      message: 'lab/blind takes no pictures: it gets a sentence instead of a.png.',
      channel: 'lab',
      model: 'blind',
    });
  });

  it('says whether the bytes of a picture are gone, damaged, or could not be made ready', () => {
    const notice = { kind: 'missing', digest: original, name: 'a.png' } as const;
    const told = (faults: ReadonlyMap<Digest, ErrorCode>) => {
      const event = createImageNotice(notice, { target: { channel: 'lab', model: 'seer' }, faults, locale: 'en' });
      return `${event?.code} ${event?.message}`;
    };
    const instead = 'the model gets a sentence instead.';
    expect(told(new Map())).toBe(`BLOB_MISSING The stored bytes of a.png are gone: ${instead}`);
    expect(told(new Map([[original, 'BLOB_DAMAGED']]))).toBe(
      `BLOB_DAMAGED The stored bytes of a.png are damaged: ${instead}`,
    );
    expect(told(new Map([[original, 'CORRUPT']]))).toBe(`CORRUPT a.png could not be made ready to send: ${instead}`);
  });

  it('has no event for calls that were closed', () => {
    const notice = { kind: 'answer-added', toolCallId: 'c1', toolName: 'view_image' } as const;
    expect(
      createImageNotice(notice, { target: { channel: 'lab', model: 'seer' }, faults: new Map(), locale: 'en' }),
    ).toBeUndefined();
  });
});
