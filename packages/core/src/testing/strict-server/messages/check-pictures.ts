import { base64Length } from '../../../base/base64.ts';
import { isRecord } from '../../../base/parse-json.ts';
import type { LimitRow } from '../../../catalog/limit-row.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import { sniffPicture } from '../pictures/sniff-picture.ts';
import type { RequestPicture } from '../request-picture.ts';
import { allBlocksOf } from './read-messages-body.ts';

/** The endpoint takes this kind of source, and the media type is one of its own. */
export function checkA8(input: CheckInput): CheckRefusal | undefined {
  const { messages: manners, limits } = input.personality;
  const formats = [...new Set(limits.formats.map((name) => `image/${name.replace(/-.*/, '')}`))];
  return firstRefusal(input, ({ param, source, value }) => {
    const kind = String(value?.['type']);
    if (manners !== undefined && !manners.sources.some((taken) => taken === kind)) {
      const taken = manners.sources.map((name) => `'${name}'`).join(', ');
      return { message: `${param}.image.source.type: Input should be ${taken}, got '${kind}'` };
    }
    if (source.kind !== 'data' || formats.includes(source.mediaType)) return undefined;
    const quoted = formats.map((name) => `'${name}'`);
    const words = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
    return { message: `${param}.image.source.base64.media_type: Input should be ${words}` };
  });
}

/** The base64 is canonical, not empty, and alone. */
export function checkA9(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, ({ param, source }) =>
    source.kind !== 'data' || (source.bytes !== undefined && source.bytes.length > 0)
      ? undefined
      : { message: `${param}.image.source.base64: invalid base64 data` },
  );
}

/** The bytes are what the media type says. */
export function checkA10(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, ({ param, source }) => {
    if (source.kind !== 'data' || source.bytes === undefined) return undefined;
    const format = sniffPicture(source.bytes);
    if (format === undefined || source.mediaType === `image/${format}`) return undefined;
    return {
      message:
        `${param}.image.source.base64.data: The image was specified using the ${source.mediaType} media type, ` +
        `but the image appears to be a image/${format} image`,
    };
  });
}

/** The base64 of each picture, and of a whole request, is inside the limits. */
export function checkA11(input: CheckInput): CheckRefusal | undefined {
  const { maxB64, maxRaw, maxTotalRaw } = input.personality.limits;
  const sizes = input.pictures.map(sizeBytesOf);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  if (maxTotalRaw !== undefined && totalBytes > maxTotalRaw) {
    return { message: `images exceed the maximum of all: ${totalBytes} bytes > ${maxTotalRaw} bytes` };
  }
  return firstRefusal(input, (picture) => {
    const sizeBytes = sizeBytesOf(picture);
    const [size, limit] = maxB64 === null ? [sizeBytes, maxRaw] : [base64Length(sizeBytes), maxB64];
    if (limit === null || size <= limit) return undefined;
    const megabytes = Math.floor(limit / 1_048_576);
    return {
      message: `${picture.param}.image.source.base64: image exceeds ${megabytes} MB maximum: ${size} bytes > ${limit} bytes`,
    };
  });
}

/** No side is too long, alone or among many. */
export function checkA12({ pictures, personality }: CheckInput): CheckRefusal | undefined {
  const { limits } = personality;
  const isMany = areMany(pictures.length, limits);
  const sideLimit = Math.min(limits.maxSide ?? Infinity, isMany ? (limits.manyImages?.maxSide ?? Infinity) : Infinity);
  const tooLong = pictures.filter((picture) => longestSideOf(picture) > sideLimit);
  const [first] = tooLong;
  if (first === undefined) return undefined;
  if (personality.messages?.dimensionErrors === 'details') {
    const paths = tooLong.map(({ param }) => param);
    return {
      message: `${first.param}: image dimensions exceed the maximum side length of ${sideLimit} pixels`,
      details: { error_code: 'image_dimensions_too_large', max_side_length_pixels: sideLimit, paths },
    };
  }
  const kind = isMany ? ' for many-image requests' : '';
  return {
    message: `${first.param}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${kind}: ${sideLimit} pixels`,
  };
}

function areMany(count: number, { manyImages }: LimitRow): boolean {
  if (manyImages === null) return false;
  return (
    (manyImages.over !== undefined && count > manyImages.over) ||
    (manyImages.from !== undefined && count >= manyImages.from)
  );
}

/** There are not too many pictures, and none is too small or too long for this endpoint. */
export function checkA13(input: CheckInput): CheckRefusal | undefined {
  const { maxImages, minSide, maxRatio } = input.personality.limits;
  const count = input.pictures.length;
  if (maxImages !== null && count > maxImages) {
    return { message: `messages: too many images in the request: ${count} > ${maxImages}` };
  }
  return firstRefusal(input, (picture) => {
    const [long, short] = [longestSideOf(picture), shortestSideOf(picture)];
    const isOutside = (minSide !== undefined && short < minSide) || (maxRatio !== undefined && long / short > maxRatio);
    return isOutside
      ? { message: `${picture.param}.image: The image length and width do not meet the model restrictions` }
      : undefined;
  });
}

/** A picture that may not be made smaller fits as it is. */
export function checkA14({ pictures, messages, personality }: CheckInput): CheckRefusal | undefined {
  const { edge = 1568, maxPatches28 = Infinity } = personality.limits;
  const rigid = new Set(allBlocksOf(messages).flatMap(({ at, value }) => (isRigid(value) ? [at] : [])));
  for (const picture of pictures) {
    if (!rigid.has(picture.param) || !picture.facts?.ok) continue;
    const { widthPx, heightPx } = picture.facts.value;
    const patches = Math.ceil(widthPx / 28) * Math.ceil(heightPx / 28);
    if (Math.max(widthPx, heightPx) <= edge && patches <= maxPatches28) continue;
    return { message: `${picture.param}.image: image of ${widthPx}x${heightPx} does not fit into ${edge}x${edge}` };
  }
  return undefined;
}

function isRigid({ type, transformations }: Readonly<Record<string, unknown>>): boolean {
  return type === 'image' && isRecord(transformations) && transformations['oversized_image'] === 'error';
}

/** Every picture can be decoded to its end. */
export function checkA15(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, ({ source, facts }) =>
    source.kind !== 'data' || facts?.ok ? undefined : { message: 'Could not process image' },
  );
}

function firstRefusal(
  { pictures }: CheckInput,
  check: (picture: RequestPicture) => CheckRefusal | undefined,
): CheckRefusal | undefined {
  for (const picture of pictures) {
    const refusal = check(picture);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function longestSideOf({ facts }: RequestPicture): number {
  return facts?.ok ? Math.max(facts.value.widthPx, facts.value.heightPx) : 0;
}

function shortestSideOf({ facts }: RequestPicture): number {
  return facts?.ok ? Math.min(facts.value.widthPx, facts.value.heightPx) : Infinity;
}

function sizeBytesOf({ source }: RequestPicture): number {
  return source.kind === 'data' ? (source.bytes?.length ?? 0) : 0;
}
