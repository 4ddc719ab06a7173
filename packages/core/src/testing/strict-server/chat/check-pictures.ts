import { base64Length } from '../../../base/base64.ts';
import type { LimitRow } from '../../../catalog/limit-row.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { PictureFacts } from '../pictures/inspect-picture.ts';
import { sniffPicture } from '../pictures/sniff-picture.ts';
import type { RequestPicture } from '../request-picture.ts';
import { invalidValue } from './check-messages.ts';

/** The slot holds an http(s) URL, where the endpoint fetches them, or a data URL of a picture. */
export function checkC7(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, (picture) => {
    const { param, value, source } = picture;
    if (value === undefined || (picture.isBare === true && input.personality.bareImageUrls !== true)) {
      return { message: `Invalid type for '${param}': expected an object.`, param, code: 'invalid_type' };
    }
    if (source.kind === 'other') return refuseUrl(picture, source.reason);
    if (source.kind === 'file') return refuseUrl(picture, 'the id of a file.');
    if (source.kind === 'url') return input.personality.limits.url ? undefined : refuseUrl(picture, 'a web address.');
    return source.mediaType.startsWith('image/')
      ? undefined
      : refuseUrl(picture, `unsupported MIME type '${source.mediaType}'.`);
  });
}

/** The base64 is canonical and not empty. */
export function checkC8(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, (picture) => {
    if (picture.source.kind !== 'data') return undefined;
    if (picture.source.bytes === undefined) return refuseUrl(picture, 'an invalid base64-encoded value.');
    return picture.source.bytes.length === 0 ? refuseUrl(picture, 'empty base64-encoded bytes.') : undefined;
  });
}

/** The bytes are of a format that the endpoint takes, and of the one that the data URL says. */
export function checkC9(input: CheckInput): CheckRefusal | undefined {
  const { limits } = input.personality;
  return firstRefusal(input, ({ source, facts }) => {
    if (source.kind !== 'data') return undefined;
    const format = sniffPicture(source.bytes ?? new Uint8Array());
    const frames = facts?.ok ? facts.value.frames : 1;
    if (format !== undefined && isTaken(format, frames, limits) && source.mediaType === `image/${format}`) {
      return undefined;
    }
    const formats = [...new Set(limits.formats.map((name) => `'${name.replace(/-.*/, '')}'`))];
    return {
      message: `You uploaded an unsupported image. Please make sure your image has of one the following formats: [${formats.join(', ')}].`,
      code: 'invalid_image_format',
    };
  });
}

function isTaken(format: string, frames: number, { formats }: LimitRow): boolean {
  if (format !== 'gif') return formats.some((taken) => taken === format);
  return formats.includes('gif-first-frame') || (formats.includes('gif-static') && frames === 1);
}

/** The picture can be decoded to its end. */
export function checkC10(input: CheckInput): CheckRefusal | undefined {
  return firstRefusal(input, ({ source, facts }) =>
    source.kind !== 'data' || facts?.ok
      ? undefined
      : {
          message: 'You uploaded an unsupported image. Please make sure your image is valid.',
          code: 'invalid_image_format',
        },
  );
}

/** Number, bytes and sides of the pictures are inside the endpoint's limits. */
export function checkC11(input: CheckInput): CheckRefusal | undefined {
  const { limits } = input.personality;
  const count = input.pictures.length;
  if (limits.maxImages !== null && count > limits.maxImages) {
    return {
      message: `Too many images in request: got ${count}, exceeding the limit of ${limits.maxImages}.`,
      param: 'messages',
      code: 'invalid_value',
    };
  }
  const totalBytes = input.pictures.reduce((sum, { source }) => sum + sizeBytesOf(source), 0);
  if (limits.maxTotalRaw !== undefined && totalBytes > limits.maxTotalRaw) {
    return {
      message: `Images too large: got ${totalBytes} bytes in sum, exceeding the limit of ${limits.maxTotalRaw}.`,
      param: 'messages',
      code: 'image_file_too_large',
    };
  }
  return firstRefusal(input, (picture) => checkBytes(picture, limits) ?? checkSides(picture, limits, count));
}

function checkBytes(picture: RequestPicture, limits: LimitRow): CheckRefusal | undefined {
  const sizeBytes = sizeBytesOf(picture.source);
  const isTooLarge =
    (limits.maxRaw !== null && sizeBytes > limits.maxRaw) ||
    (limits.maxB64 !== null && base64Length(sizeBytes) > limits.maxB64);
  return isTooLarge
    ? { message: `Image too large: got ${sizeBytes} bytes.`, param: urlParamOf(picture), code: 'image_file_too_large' }
    : undefined;
}

function checkSides(picture: RequestPicture, limits: LimitRow, count: number): CheckRefusal | undefined {
  const { facts } = picture;
  if (!facts?.ok) return undefined;
  const fault = nameSizeFault(facts.value, limits, count);
  return fault === undefined
    ? undefined
    : {
        message: `Image of ${facts.value.widthPx}x${facts.value.heightPx} ${fault.words}`,
        param: urlParamOf(picture),
        code: fault.code,
      };
}

function nameSizeFault(
  { widthPx, heightPx }: PictureFacts,
  limits: LimitRow,
  count: number,
): { words: string; code: string } | undefined {
  const longest = Math.max(widthPx, heightPx);
  const shortest = Math.min(widthPx, heightPx);
  const maxSide = sideLimit(limits, count);
  if (longest > maxSide) return { words: `exceeds ${maxSide} pixels a side.`, code: 'image_too_large' };
  const { maxPixels, minSide, maxRatio } = limits;
  if (maxPixels !== undefined && widthPx * heightPx > maxPixels) {
    return {
      words: `requires ${widthPx * heightPx} pixels, exceeding the limit of ${maxPixels}.`,
      code: 'image_too_large',
    };
  }
  if (minSide !== undefined && shortest < minSide) {
    return { words: `is below ${minSide} pixels a side.`, code: 'image_too_small' };
  }
  return maxRatio !== undefined && longest / shortest > maxRatio
    ? { words: `is longer than ${maxRatio} to 1.`, code: 'image_too_small' }
    : undefined;
}

function sideLimit({ maxSide, manyImages }: LimitRow, count: number): number {
  const isMany =
    manyImages !== null &&
    ((manyImages.over !== undefined && count > manyImages.over) ||
      (manyImages.from !== undefined && count >= manyImages.from));
  return Math.min(maxSide ?? Number.POSITIVE_INFINITY, isMany ? manyImages.maxSide : Number.POSITIVE_INFINITY);
}

/** `detail` is one of the endpoint's values, and absent where it knows none. */
export function checkC12(input: CheckInput): CheckRefusal | undefined {
  const supported = input.personality.limits.detail;
  return firstRefusal(input, ({ param, value, detailParam = `${param}.detail` }) => {
    const detail = value?.['detail'];
    if (detail === undefined) return undefined;
    if (supported === null) {
      return { message: `Unknown parameter: '${detailParam}'.`, param: detailParam, code: 'unknown_parameter' };
    }
    return supported.some((known) => known === detail) ? undefined : invalidValue(detailParam, detail, supported);
  });
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

function urlParamOf({ param, urlParam = `${param}.url` }: RequestPicture): string {
  return urlParam;
}

function refuseUrl(picture: RequestPicture, found: string): CheckRefusal {
  const param = urlParamOf(picture);
  return {
    message:
      `Invalid '${param}'. Expected a base64-encoded data URL with an image MIME type ` +
      `(e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${found}`,
    param,
    code: 'invalid_value',
  };
}

function sizeBytesOf(source: RequestPicture['source']): number {
  return source.kind === 'data' ? (source.bytes?.length ?? 0) : 0;
}
