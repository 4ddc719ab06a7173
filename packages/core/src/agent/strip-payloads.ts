import type { Locale } from '../base/locale.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { beginsPicture, findPayload } from './find-payload.ts';
import { agentTexts } from './texts.ts';

/** Characters of base64 from which on a run is judged: clearly below a kilobyte. */
const LONGEST_RUN = 1000;

/** A line break, also as the escape of one in a text that is no JSON as a whole. */
const BREAK = String.raw`(?:\r?\n|\\r\\n|\\n)`;

/**
 * A data URI with a base64 payload, which may be percent-encoded, and wrapped into long lines.
 * Source: RFC 2397.
 */
const DATA_URI = new RegExp(
  String.raw`data:[a-z0-9.+-]+\/[a-z0-9.+-]+(?:;[a-z0-9-]+=[^;,\s"']*)*;base64,\s*[a-z0-9+/_=%-]+(?:${BREAK}[ \t]*[a-z0-9+/_-]{60,}={0,2})*`,
  'gi',
);

/** One unbroken run; the look-behind keeps the search from starting again inside a run. */
const LONG_RUN = new RegExp(`(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${LONGEST_RUN},}={0,2}`, 'g');

/** The lines of a MIME or PEM body, indented or not: narrow ones are only judged by how they begin. */
const WRAPPED_LINES = new RegExp(String.raw`(?<![\w+/ \t-])(?:[ \t]*[\w+/-]{16,}${BREAK})+[ \t]*[\w+/-]*={0,2}`, 'g');
const LONG_LINE = 60;
const LONGEST_WRAPPED = 780;

/**
 * Long pieces with the same kind of thing between them, as a search, a quotation, a comment, an array
 * or a sum of strings has it: blanks, signs and numbers, no letters. A padding ends the data.
 */
const BETWEEN = String.raw`[^A-Za-z0-9+/_=.-]{1,80}(?:[\d+/_-]{1,8}[^A-Za-z0-9+/_=.-]{1,80}){0,3}`;
const PIECE = `[A-Za-z0-9+/_-]{${LONG_LINE},}`;
const PIECES = new RegExp(
  `(?<![A-Za-z0-9+/_-])${PIECE}(?:${BETWEEN}${PIECE})+(?:${BETWEEN}[A-Za-z0-9+/_-]+)?={0,2}`,
  'g',
);
const EACH_PIECE = new RegExp(PIECE, 'g');

/** How some programs write a slash, and others a slash or a plus, in JSON that stands in a text. */
const ESCAPED = /\\\/|\\u002[bf]/gi;

/** What a tool gave without image data: in what the model reads, and in what people are shown of a change. */
export function withoutPayloads(outcome: ToolOutcome, locale: Locale): ToolOutcome {
  const { content, diff } = outcome;
  return {
    ...outcome,
    content: stripPayloads(content, locale),
    ...(diff && { diff: { ...diff, text: stripText(diff.text, locale) } }),
  };
}

/**
 * The text of a tool result without image data: no data URI, and no base64 of more than a
 * kilobyte, whatever a tool gave (requirements R159 and R167). What only has base64's characters is
 * no data: it is left. Fields named `data_uri` are left out
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

function stripPlain(text: string, locale: Locale): string {
  const mark = (data: string): string => agentTexts[locale].dataRemoved(data.length);
  const markRun = (run: string): string => {
    const start = findPayload(run);
    if (start === undefined || run.length - start < LONGEST_RUN) return run;
    return `${run.slice(0, start)}${mark(run.slice(start))}`;
  };
  const markLines = (lines: string): string => (isWrappedPayload(lines) ? mark(lines) : lines);
  const markPieces = (pieces: string): string => (isPayloadInPieces(pieces) ? mark(pieces) : pieces);
  return text
    .replace(DATA_URI, mark)
    .replace(LONG_RUN, markRun)
    .replace(WRAPPED_LINES, markLines)
    .replace(PIECES, markPieces);
}

/** Escapes stay where nothing has to go. */
function stripText(text: string, locale: Locale): string {
  const stripped = stripPlain(text, locale);
  const plain = stripped.replace(ESCAPED, (written) => (/b$/i.test(written) ? '+' : '/'));
  if (plain === stripped) return stripped;
  const strippedPlain = stripPlain(plain, locale);
  return strippedPlain === plain ? stripped : strippedPlain;
}

function isPayloadInPieces(text: string): boolean {
  const run = (text.match(EACH_PIECE) ?? []).join('');
  return run.length >= LONGEST_WRAPPED && findPayload(run) !== undefined;
}

const BREAKS = new RegExp(`${BREAK}[ \\t]*`);

function isWrappedPayload(text: string): boolean {
  const lines = text.trimStart().split(BREAKS);
  const run = lines.join('');
  if (run.length < LONGEST_WRAPPED) return false;
  if (findPayload(run) === undefined) return false;
  // Names and tokens in a list are short lines; of these only a picture's beginning is believed.
  const long = lines.filter((line) => line.length >= LONG_LINE);
  return long.join('').length >= LONGEST_WRAPPED || lines.some(beginsPicture);
}

/** The same value when nothing had to be removed. */
function stripValue(value: unknown, locale: Locale): unknown {
  if (typeof value === 'string') return stripText(value, locale);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const stripped = stripItems(items, locale);
    return stripped.length === items.length && stripped.every((item, index) => item === items[index])
      ? value
      : stripped;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const stripped = entries
    .filter(([key]) => key !== 'data_uri')
    .map(([key, item]): [string, unknown] => [stripText(key, locale), stripValue(item, locale)]);
  const isSame =
    stripped.length === entries.length && stripped.every(([key, item]) => key in value && item === value[key]);
  return isSame ? value : Object.fromEntries(stripped);
}

/** A list of texts may be the lines of one. */
function stripItems(items: readonly unknown[], locale: Locale): readonly unknown[] {
  const each = items.map((item) => stripValue(item, locale));
  if (!each.every((item) => typeof item === 'string')) return each;
  const lines = each.join('\n');
  const stripped = stripText(lines, locale);
  return stripped === lines ? each : stripped.split('\n');
}
