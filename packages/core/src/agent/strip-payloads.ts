import type { Locale } from '../base/locale.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import { agentTexts } from './texts.ts';

/** Characters of base64 from which on a run is removed: clearly below a kilobyte. */
const LONGEST_RUN = 1000;

/** A data URI with a base64 payload, which may be percent-encoded. Source: RFC 2397. */
const DATA_URI = /data:[a-z0-9.+-]+\/[a-z0-9.+-]+(?:;[a-z0-9-]+=[^;,\s"']*)*;base64,\s*[a-z0-9+/_=%-]+/gi;

/** One unbroken run; the look-behind keeps the search from starting again inside a run. */
const LONG_RUN = new RegExp(`(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${LONGEST_RUN},}={0,2}`, 'g');

/** The lines of a MIME or PEM body: at least 60 characters each, and more than the limit in sum. */
const WRAPPED_LINES = /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,}\r?\n){13,}[A-Za-z0-9+/]*={0,2}/g;

/** A list of digests, one a line, is no picture. */
const HEXADECIMAL = /^[0-9a-f\s]+$/i;

/**
 * The text of a tool result without image data: no data URI, and no base64 of more than a
 * kilobyte, whatever a tool gave (requirements R159 and R167). Fields named `data_uri` are left out
 * of JSON results. A text without any is returned as it is, byte for byte.
 */
export function stripPayloads(text: string, locale: Locale): string {
  if (text.startsWith('{') || text.startsWith('[')) {
    const parsed = parseJson(text);
    if (parsed.ok) {
      const stripped = stripValue(parsed.value, locale);
      return stripped === parsed.value ? text : JSON.stringify(stripped);
    }
  }
  return stripText(text, locale);
}

function stripText(text: string, locale: Locale): string {
  const mark = (data: string): string => agentTexts[locale].dataRemoved(data.length);
  const markLines = (lines: string): string => (HEXADECIMAL.test(lines) ? lines : mark(lines));
  return text.replace(DATA_URI, mark).replace(LONG_RUN, mark).replace(WRAPPED_LINES, markLines);
}

/** The same value when nothing had to be removed. */
function stripValue(value: unknown, locale: Locale): unknown {
  if (typeof value === 'string') return stripText(value, locale);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const stripped = items.map((item) => stripValue(item, locale));
    return stripped.every((item, index) => item === items[index]) ? value : stripped;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const stripped = entries
    .filter(([key]) => key !== 'data_uri')
    .map(([key, item]): [string, unknown] => [key, stripValue(item, locale)]);
  const isSame = stripped.length === entries.length && stripped.every(([key, item]) => item === value[key]);
  return isSame ? value : Object.fromEntries(stripped);
}
