/** What the `url` of a picture slot holds. */
export type PictureSource =
  | { readonly kind: 'url'; readonly url: string }
  /** `bytes` is absent when the base64 is not canonical (RFC 4648 section 4, padded, no line breaks). */
  | { readonly kind: 'data'; readonly mediaType: string; readonly bytes: Uint8Array | undefined }
  /** An uploaded file. */
  | { readonly kind: 'file'; readonly fileId: string }
  | { readonly kind: 'other'; readonly reason: string };

/** Reads an http(s) or base64 data URL, strictly. Source of the form: RFC 2397. */
export function readPictureUrl(url: unknown): PictureSource {
  if (typeof url !== 'string') return { kind: 'other', reason: 'a value that is not a string.' };
  if (/^https?:\/\/[^/]/i.test(url)) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const head = /^data:([^;,]*)(;base64)?$/.exec(url.slice(0, Math.max(0, comma)));
  if (head === null) return { kind: 'other', reason: "a value without the 'data:' prefix." };
  if (head[2] === undefined) return { kind: 'other', reason: "a value without ';base64'." };
  return { kind: 'data', mediaType: head[1] ?? '', bytes: decodeCanonicalBase64(url.slice(comma + 1)) };
}

/** The bytes, or `undefined` when the text is not canonical base64 (RFC 4648 section 4). */
export function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
