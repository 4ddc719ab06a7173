import { isRecord } from '../../base/parse-json.ts';

/** Picture data where only words belong (wire-facts rule 49). */
export interface Leak {
  /** Position in `server.requests`. */
  readonly request: number;
  /** `headers.x-note` or `messages[2].content`. */
  readonly place: string;
  readonly kind: 'data-url' | 'base64';
  /** The first characters of what was found. */
  readonly excerpt: string;
}

export type BodyPath = readonly (string | number)[];

/** Over one KiB of base64, in one piece or in lines as mail programs write it. */
const BASE64_RUN = /[A-Za-z0-9+/=]{1025,}|(?:[A-Za-z0-9+/]{60,76}\r?\n){13,}/;
const DATA_URL = /data:image/i;

/** Every header value and every string of the body (keys too) that holds picture data outside a picture slot. */
export function findLeaks(input: {
  readonly request: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly isPictureSlot: (path: BodyPath) => boolean;
}): readonly Leak[] {
  const leaks: Leak[] = [];

  function inspect(place: string, text: string): void {
    const dataUrl = DATA_URL.exec(text);
    const run = BASE64_RUN.exec(text);
    const found = dataUrl ?? run;
    if (found === null) return;
    const excerpt = text.slice(found.index, found.index + 40);
    leaks.push({ request: input.request, place, kind: dataUrl === null ? 'base64' : 'data-url', excerpt });
  }

  function walk(value: unknown, path: BodyPath): void {
    if (typeof value === 'string') {
      if (!input.isPictureSlot(path)) inspect(printPath(path), value);
    } else if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) walk(element, [...path, index]);
    } else if (isRecord(value)) {
      for (const [key, member] of Object.entries(value)) {
        inspect(`${printPath(path)} (key)`, key);
        walk(member, [...path, key]);
      }
    }
  }

  for (const [name, value] of Object.entries(input.headers)) inspect(`headers.${name}`, value);
  walk(input.body, []);
  return leaks;
}

function printPath(path: BodyPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
