import { fail, ok, type Result } from './result.ts';

/**
 * The only `JSON.parse` of the project: the result is `unknown`, and a syntax error is a value.
 *
 * The message names a position but never quotes the text, which may hold keys or base64.
 */
export function parseJson(text: string): Result<unknown, { readonly message: string }> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return fail({ message: position === undefined ? 'not valid JSON' : `not valid JSON at position ${position}` });
  }
}

/** Whether a parsed value is a plain object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
