/** A segment of the way to a value: a key, or a position in a list. */
export type KeyPath = readonly (string | number)[];

/** One fault of the configuration file. `line` and `column` count from 1. */
export interface ConfigProblem {
  readonly line: number;
  readonly column: number;
  /** `channels.lab.baseUrl`; empty for faults of the file's syntax. */
  readonly key: string;
  readonly message: string;
}

/** `file:line:column: key: message`, as editors and terminals make it a link. */
export function formatConfigProblem(file: string, problem: ConfigProblem): string {
  const key = problem.key === '' ? '' : `${problem.key}: `;
  return `${file}:${problem.line}:${problem.column}: ${key}${problem.message}`;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** The way to a value as one text: `channels.lab.models["a.b"]`. */
export function formatKeyPath(path: KeyPath): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (PLAIN_KEY.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** Line and column of an offset, both from 1; a line ends with CRLF, LF or CR. */
export function findPosition(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (const lineEnd of text.slice(0, offset).matchAll(/\r\n|\n|\r/g)) {
    line += 1;
    lineStart = lineEnd.index + lineEnd[0].length;
  }
  return { line, column: offset - lineStart + 1 };
}
