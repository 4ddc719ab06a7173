import { fail, ok, type Result } from './result.ts';

/**
 * Objects and lists inside of each other. What is deeper is no data but a slip of a model, or meant to
 * harm: everything that walks a value, `JSON.stringify` included, ends at some depth, and parsers of
 * endpoints do so at 128.
 */
const DEEPEST_NESTING = 100;

/**
 * The only `JSON.parse` of the project: the result is `unknown`, and a syntax error is a value. So is
 * what is nested too deeply to be written again.
 *
 * The message names a position but never quotes the text, which may hold keys or base64.
 */
export function parseJson(text: string): Result<unknown, { readonly message: string }> {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedTooDeeply(text) ? fail({ message: 'JSON that is nested too deeply' }) : ok(value);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return fail({ message: position === undefined ? 'not valid JSON' : `not valid JSON at position ${position}` });
  }
}

/** `text` is valid JSON. */
function isNestedTooDeeply(text: string): boolean {
  if (text.length <= 2 * DEEPEST_NESTING) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = findStringEnd(text, index);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > DEEPEST_NESTING) return true;
  }
  return false;
}

/** Where the string that begins at `start` has its other quote. Texts of megabytes are skipped, not read. */
function findStringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Whether a parsed value is a plain object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
