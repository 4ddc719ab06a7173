/** Lines that `read_file` gives when no limit is asked for. Source: requirement R002. */
export const DEFAULT_LINES = 2000;
/** Characters of one line that `read_file` gives. Source: requirement R002. */
export const LONGEST_LINE = 2000;

export interface TextExcerpt {
  /** The lines asked for, joined by line feeds, without a byte order mark. */
  readonly content: string;
  /** Of the whole file. A line break at the end begins no further line; an empty file has none. */
  readonly totalLines: number;
}

export interface ExcerptOptions {
  /** The first line, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** What stands behind a line that was cut. */
  readonly cutMark: string;
}

/** A part of a text by its lines; lines end with LF, CRLF or CR. */
export function excerptText(text: string, options: ExcerptOptions): TextExcerpt {
  const lines = splitLines(text);
  const first = options.offset - 1;
  const shown = lines.slice(first, first + options.limit).map((line) => cutLine(line, options.cutMark));
  return { content: shown.join('\n'), totalLines: lines.length };
}

/** Undefined unless the bytes are UTF-8; a byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The encoding that a byte order mark announces, when it is not UTF-8. */
export function foreignEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32LE' : 'UTF-16LE';
  if (first === 0xfe && second === 0xff) return 'UTF-16BE';
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'UTF-32BE';
  return undefined;
}

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function cutLine(line: string, cutMark: string): string {
  if (line.length <= LONGEST_LINE) return line;
  // A character outside the basic plane is two units: half of one would be no text.
  const isInside = /[\ud800-\udbff]/.test(line.charAt(LONGEST_LINE - 1));
  return `${line.slice(0, isInside ? LONGEST_LINE - 1 : LONGEST_LINE)}${cutMark}`;
}
