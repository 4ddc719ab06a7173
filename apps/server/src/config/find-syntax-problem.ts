import type { Locale } from '@fovea/core/base';
import { createScanner, type Node, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { type ConfigProblem, findPosition } from './config-problem.ts';
import { configTexts, type SyntaxFault } from './texts.ts';

/** The first fault of the syntax, as a problem of the file; `undefined` when there is none. */
export function findSyntaxProblem(
  text: string,
  parsed: { readonly errors: readonly ParseError[]; readonly tree: Node | undefined },
  locale: Locale,
): ConfigProblem | undefined {
  const { errors, tree } = parsed;
  const first = [...errors].sort((a, b) => a.offset - b.offset)[0];
  if (first === undefined) return undefined;
  const code = printParseErrorCode(first.error);
  const fault = isAfterEnd(first, tree) ? 'end-expected' : nameFault(code, text.charAt(first.offset));
  return createProblem(text, first.offset, { fault, locale });
}

/** More than any configuration needs, and far from what a recursive reader can bear. */
const DEEPEST_NESTING = 64;

/** The bracket that is nested too deeply for what reads the text next; `undefined` when there is none. */
export function findDepthProblem(text: string, locale: Locale): ConfigProblem | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const first = text.charAt(offset);
    // No other token begins so: texts begin with a quote, comments with a slash.
    if (first === '{' || first === '[') depth += 1;
    if (first === '}' || first === ']') depth -= 1;
    if (depth > DEEPEST_NESTING) return createProblem(text, offset, { fault: 'too-deep', locale });
    if (first === '') return undefined;
  }
}

function createProblem(
  text: string,
  offset: number,
  { fault, locale }: { readonly fault: SyntaxFault; readonly locale: Locale },
): ConfigProblem {
  return { ...findPosition(text, offset), key: '', message: configTexts(locale).syntax[fault] };
}

/** Behind the last closing bracket whatever stands there is wrong, not only how it is written. */
function isAfterEnd(error: ParseError, tree: Node | undefined): boolean {
  const code = printParseErrorCode(error.error);
  if (tree === undefined || code === 'CloseBraceExpected' || code === 'CloseBracketExpected') return false;
  return code !== 'UnexpectedEndOfComment' && error.offset >= tree.offset + tree.length;
}

function nameFault(code: ReturnType<typeof printParseErrorCode>, character: string): SyntaxFault {
  switch (code) {
    case 'ValueExpected':
      return 'value-expected';
    case 'CommaExpected':
      // In front of the wrong closing character it is the right one that is missing.
      if (character === '}') return 'bracket-expected';
      return character === ']' ? 'brace-expected' : 'comma-expected';
    case 'ColonExpected':
      return 'colon-expected';
    case 'PropertyNameExpected':
      return 'property-name-expected';
    case 'CloseBraceExpected':
      return 'brace-expected';
    case 'CloseBracketExpected':
      return 'bracket-expected';
    case 'EndOfFileExpected':
      return 'end-expected';
    case 'UnexpectedEndOfComment':
    case 'InvalidCommentToken':
      return 'comment-open';
    case 'UnexpectedEndOfString':
      return 'text-open';
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
    case 'InvalidCharacter':
      return 'bad-escape';
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return 'bad-number';
    case 'InvalidSymbol':
    case '<unknown ParseErrorCode>':
      return 'bad-symbol';
  }
}
