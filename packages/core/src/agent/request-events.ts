import type { ErrorCode } from '../base/error-codes.ts';
import type { Locale } from '../base/locale.ts';
import { estimateImageTokens } from '../catalog/image-tokens.ts';
import type { ImageChange, ImageNoticeEvent, RequestEvent } from '../content/events.ts';
import { pictureKey } from '../content/picture-region.ts';
import type { RequestImage } from '../content/request.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import type { ContextNotice } from '../context/notices.ts';
import type { TranscriptPicture } from './collect-pictures.ts';
import type { PreparedStep } from './prepare-step.ts';
import { type AgentTexts, agentTexts } from './texts.ts';
import { type ModelTarget, modelName } from './turn-services.ts';

export interface RequestFacts {
  readonly request: number;
  readonly turnId: string;
  readonly step: number;
  readonly bodyBytes: number;
  readonly target: Pick<ModelTarget, 'channel' | 'model' | 'endpoint' | 'limitRow' | 'tokenFamily'>;
  /** Every picture of the request, in its order. */
  readonly images: readonly RequestImage[];
  /** By `pictureKey`, as `prepareStep` gives them. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly pictures: ReadonlyMap<string, TranscriptPicture>;
  /** What this session's previous request to this endpoint sent. */
  readonly previousPlan: RequestPlan | undefined;
}

/** The `request` event: how large it is, and which of its pictures are new or go as another variant. */
export function createRequestEvent(facts: RequestFacts): RequestEvent {
  const { target, images, previousPlan } = facts;
  const bodyLimit = target.limitRow.body;
  return {
    type: 'request',
    request: facts.request,
    turnId: facts.turnId,
    step: facts.step,
    channel: target.channel,
    model: target.model,
    wireApi: target.endpoint.wireApi,
    bodyBytes: facts.bodyBytes,
    ...(bodyLimit === null ? {} : { bodyLimit }),
    imagesTotal: images.length,
    imagesChanged: changedImages(images, previousPlan).map((image) => describeChange(image, facts)),
  };
}

/** The plan that a request with these pictures leaves behind. */
export function planOf(
  images: readonly RequestImage[],
  { sessionId, endpointId }: Pick<RequestPlan, 'sessionId' | 'endpointId'>,
): RequestPlan {
  return { sessionId, endpointId, images: images.map(({ originalDigest, digest }) => ({ originalDigest, digest })) };
}

export function isSamePlan(one: RequestPlan, other: RequestPlan | undefined): boolean {
  if (one.images.length !== other?.images.length) return false;
  return one.images.every((image, index) => keyOf(image) === keyOf(other.images[index]));
}

/** Pictures that the plan does not account for; one that is sent twice has to be in it twice. */
function changedImages(images: readonly RequestImage[], plan: RequestPlan | undefined): readonly RequestImage[] {
  const remaining = new Map<string, number>();
  for (const image of plan?.images ?? []) remaining.set(keyOf(image), (remaining.get(keyOf(image)) ?? 0) + 1);
  return images.filter((image) => {
    const count = remaining.get(keyOf(image)) ?? 0;
    if (count > 0) remaining.set(keyOf(image), count - 1);
    return count === 0;
  });
}

function keyOf(image: RequestPlan['images'][number] | undefined): string {
  return image === undefined ? '' : `${image.originalDigest} ${image.digest}`;
}

function describeChange(image: RequestImage, { target, variants, pictures }: RequestFacts): ImageChange {
  const { widthPx, heightPx, region } = image;
  const key = pictureKey({ digest: image.originalDigest, ...(region && { region }) });
  const original = pictures.get(key);
  return {
    digest: image.originalDigest,
    name: image.name,
    originalWidthPx: original?.widthPx ?? widthPx,
    originalHeightPx: original?.heightPx ?? heightPx,
    mediaType: image.mediaType,
    widthPx,
    heightPx,
    ...(region && { region }),
    sizeBytes: image.sizeBytes,
    estimatedTokens: estimateImageTokens({
      family: target.tokenFamily,
      widthPx,
      heightPx,
      detail: target.endpoint.imageDetail,
    }),
    change: variants.get(key)?.changes ?? ['none'],
  };
}

/** The event of a notice that is about a picture; notices about calls have none. */
export function createImageNotice(
  notice: ContextNotice,
  {
    target,
    faults,
    locale,
  }: { readonly target: Pick<ModelTarget, 'channel' | 'model'>; readonly locale: Locale } & Pick<
    PreparedStep,
    'faults'
  >,
): ImageNoticeEvent | undefined {
  const texts = agentTexts[locale];
  const { channel, model } = target;
  switch (notice.kind) {
    case 'replaced-by-notice': {
      const message = texts.pictureReplaced(notice.name, modelName(target));
      return { type: 'image-notice', ...notice, code: 'MODEL_CANNOT_SEE', message, channel, model };
    }
    case 'link-replaced': {
      const { name } = notice;
      const message = texts.pictureReplaced(name, modelName(target));
      return {
        type: 'image-notice',
        kind: 'replaced-by-notice',
        name,
        code: 'MODEL_CANNOT_SEE',
        message,
        channel,
        model,
      };
    }
    case 'link-not-sent': {
      const { name } = notice;
      const message = texts.linkNotTaken(name, modelName(target));
      return {
        type: 'image-notice',
        kind: 'replaced-by-notice',
        name,
        code: 'URL_NOT_ALLOWED',
        message,
        channel,
        model,
      };
    }
    case 'missing': {
      const code = faults.get(notice.digest) ?? 'BLOB_MISSING';
      return { type: 'image-notice', ...notice, code, message: sayWhyLost(notice.name, code, texts) };
    }
    case 'not-admitted':
      return { type: 'image-notice', ...notice, message: texts.pictureNotAdmitted(notice.name) };
    default:
      return undefined;
  }
}

function sayWhyLost(name: string, code: ErrorCode, texts: AgentTexts): string {
  if (code === 'BLOB_MISSING') return texts.pictureMissing(name);
  return code === 'BLOB_DAMAGED' ? texts.pictureDamaged(name) : texts.pictureNotPrepared(name);
}
