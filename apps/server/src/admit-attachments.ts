import { type AdmissionLimits, admitTurn, type BlobSink, type FileAccess } from '@fovea/core/attachments';
import { fail, type Locale, ok, type Refusal, type Result } from '@fovea/core/base';
import type { ImageInputCapability, LimitRow } from '@fovea/core/catalog';
import { type ImageLink, type ImageRef, type RefusedItem, toRefusedItem } from '@fovea/core/content';
import type { TurnAttachment } from './fovea.ts';

export interface AdmitAttachmentsOptions {
  readonly attachments: readonly TurnAttachment[];
  readonly access: FileAccess;
  readonly limits: AdmissionLimits;
  readonly blobs: BlobSink;
  /** Of the model that answers. */
  readonly target: {
    /** `channel/model`. */
    readonly model: string;
    readonly channel: string;
    readonly imageInput: ImageInputCapability;
    readonly limitRow: Pick<LimitRow, 'url' | 'urlMaxLen' | 'fileId'>;
  };
  readonly locale: Locale;
  readonly signal: AbortSignal;
}

interface Placed<Value> {
  readonly index: number;
  readonly value: Value;
}

/**
 * Admission of everything that a turn attaches, all or nothing, in the user's order: paths become
 * stored pictures, URLs and files of a channel stay links where the endpoint takes them. Refuses as
 * `admitTurn` does, and with `URL_NOT_ALLOWED`.
 */
export async function admitAttachments(
  options: AdmitAttachmentsOptions,
): Promise<Result<readonly (ImageRef | ImageLink)[], readonly RefusedItem[]>> {
  const { target, locale } = options;
  const placed = options.attachments.map((attachment, index) => ({ index, value: toLinkOrPath(attachment) }));
  const tooMany = refuseTooMany(placed, options);
  if (tooMany.length > 0) return fail(tooMany);
  const paths = placed.filter((one): one is Placed<string> => typeof one.value === 'string');
  const links = placed.filter((one): one is Placed<ImageLink> => typeof one.value !== 'string');
  const refusals = links.flatMap(({ index, value }) => {
    const refusal = refuseLink(value, options);
    return refusal === undefined ? [] : [toRefusedItem(index, refusal, locale)];
  });
  const admitted = await admitTurn({
    ...options,
    attachments: paths.map(({ value }) => value),
    imageInput: target.imageInput,
    model: target.model,
    // What is refused for a link anyway must not be stored.
    blobs: refusals.length === 0 ? options.blobs : nowhere,
  });
  if (!admitted.ok) refusals.push(...admitted.error.map((item) => ({ ...item, index: paths[item.index]?.index ?? 0 })));
  if (refusals.length > 0 || !admitted.ok) return fail(refusals.sort((one, other) => one.index - other.index));
  const byIndex = new Map<number, ImageRef | ImageLink>(links.map(({ index, value }) => [index, value]));
  for (const [position, reference] of admitted.value.entries()) byIndex.set(paths[position]?.index ?? 0, reference);
  return ok(placed.flatMap(({ index }) => byIndex.get(index) ?? []));
}

const nowhere: BlobSink = { put: async () => {} };

function toLinkOrPath(attachment: TurnAttachment): string | ImageLink {
  if (typeof attachment !== 'string') return attachment;
  return /^https?:\/\//i.test(attachment) ? { url: attachment } : attachment;
}

function nameOf(value: string | ImageLink): string {
  if (typeof value === 'string') return value;
  return 'url' in value ? value.url : value.file.id;
}

/** Links count as paths do. For a model that takes no pictures, that is what is said. */
function refuseTooMany(
  placed: readonly Placed<string | ImageLink>[],
  { target, limits, locale }: AdmitAttachmentsOptions,
): readonly RefusedItem[] {
  const limit = limits.attachmentsPerMessage;
  if (target.imageInput === 'no' || placed.length <= limit) return [];
  return placed.slice(limit).map(({ index, value }) => {
    return toRefusedItem(index, { code: 'TOO_MANY_ITEMS', name: nameOf(value), actual: placed.length, limit }, locale);
  });
}

/** What stands in the way of passing a link through to the endpoint. */
function refuseLink(link: ImageLink, { target }: AdmitAttachmentsOptions): Refusal | undefined {
  const name = nameOf(link);
  const refuse = (facts: Partial<Refusal>): Refusal => ({ code: 'URL_NOT_ALLOWED', name, ...facts });
  if (target.imageInput === 'no') return { code: 'MODEL_CANNOT_SEE', name, detail: target.model };
  const { url, urlMaxLen = Number.POSITIVE_INFINITY, fileId } = target.limitRow;
  if ('file' in link) {
    if (!fileId) return refuse({ detail: 'endpoint-without-files' });
    return link.file.channel === target.channel ? undefined : refuse({ detail: 'file-of-another-channel' });
  }
  if (!isHttpUrl(link.url)) return refuse({ detail: 'bad-url' });
  if (!url) return refuse({ detail: 'endpoint-without-urls' });
  if (link.url.length <= urlMaxLen) return undefined;
  return refuse({ detail: 'url-too-long', actual: link.url.length, limit: urlMaxLen });
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/\s]/i.test(text) && !/\s/.test(text) && URL.canParse(text);
}
