import { maskSecrets } from './mask-secrets.ts';

const MAX_WORDS_CHARACTERS = 2000;
const MAX_LINE_CHARACTERS = 300;

const DATA_URIS = /data:[a-z0-9.+-]*\/?[a-z0-9.+-]*(?:;[a-z0-9=.+-]+)*,[^\s"'<>)}\]]*/gi;
/** Longer than any digest or id that an endpoint names, shorter than any picture. */
const BASE64_RUNS = /[A-Za-z0-9+/_-]{120,}={0,2}/g;

/**
 * An endpoint's own words, fit for errors, logs and events: without data URIs, base64 and the keys
 * that were sent to it (some endpoints repeat them), at most 2,000 characters.
 */
export function cleanEndpointWords(words: string, secrets: readonly string[]): string {
  // Cut generously first: the patterns need not run over megabytes.
  const masked = maskSecrets(words.slice(0, 64 * 1024), secrets);
  const cleaned = masked.replace(DATA_URIS, '[data]').replace(BASE64_RUNS, '[data]').trim();
  return cutText(cleaned, MAX_WORDS_CHARACTERS);
}

/** Words as they fit into one line of a message. */
export function toOneLine(words: string): string {
  return cutText(words.replace(/\s+/g, ' ').trim(), MAX_LINE_CHARACTERS);
}

/** Whether a body is a web page rather than an answer of an API. */
export function isHtml(text: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}

/** What a web page says of itself: its title, else nothing. */
export function htmlTitle(text: string): string {
  return /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() ?? '';
}

function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters - 1);
  // Half of a surrogate pair is no character.
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}…`;
}
