import { isRecord, parseJson } from '../base/parse-json.ts';
import { fail, type Result } from '../base/result.ts';
import { STORAGE_REVISION } from './storage-revision.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** The only place where the two databases' ways to hold values differ. */
export interface Codec {
  /** The column type of {@link Codec.encodeJson}. */
  readonly jsonType: 'text' | 'jsonb';
  encodeJson(value: unknown): string;
  /** What {@link Codec.encodeJson} was given; fails on anything that is not JSON text. */
  decodeJson(column: unknown): Result<unknown, { readonly message: string }>;
  /** The newest revision of a record that is read; records of a newer one are refused. */
  readonly supportedRevision: number;
}

/**
 * PostgreSQL's `jsonb` refuses U+0000 and lone surrogates, which `JSON.stringify` writes as these
 * escapes. Source: PostgreSQL manual, "JSON Types", section 8.14.
 */
const refusedByJsonb = /\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** The member that holds, as text, a value that `jsonb` would refuse. */
const TEXT_MEMBER = '$text';

const sqliteCodec: Codec = {
  jsonType: 'text',
  encodeJson: (value) => JSON.stringify(value),
  decodeJson: parseColumn,
  supportedRevision: STORAGE_REVISION,
};

const postgresCodec: Codec = {
  jsonType: 'jsonb',
  encodeJson(value) {
    const text = JSON.stringify(value);
    return refusedByJsonb.test(text) ? JSON.stringify({ [TEXT_MEMBER]: text }) : text;
  },
  decodeJson(column) {
    const parsed = parseColumn(column);
    if (!parsed.ok || !isRecord(parsed.value) || !(TEXT_MEMBER in parsed.value)) return parsed;
    return parseColumn(parsed.value[TEXT_MEMBER]);
  },
  supportedRevision: STORAGE_REVISION,
};

export function codecOf(kind: DatabaseKind): Codec {
  return kind === 'sqlite' ? sqliteCodec : postgresCodec;
}

/**
 * Text for a plain column: without U+0000, at which SQLite's driver cuts a text and which
 * PostgreSQL refuses. For titles and names; what must stay exact is stored as JSON.
 */
export function encodeLine(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}

function parseColumn(column: unknown): Result<unknown, { readonly message: string }> {
  return typeof column === 'string' ? parseJson(column) : fail({ message: 'not JSON text' });
}
