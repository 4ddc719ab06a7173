import type { Locale } from '@fovea/core/base';
import { type ParseError, printParseErrorCode } from 'jsonc-parser';
import { type ConfigProblem, findPosition } from './config-problem.ts';
import { configTexts, type SyntaxFault } from './texts.ts';

/** The first fault of the syntax, as a problem of the file; `undefined` when there is none. */
export function findSyntaxProblem(
  text: string,
  errors: readonly ParseError[],
  locale: Locale,
): ConfigProblem | undefined {
  const first = [...errors].sort((a, b) => a.offset - b.offset)[0];
  if (first === undefined) return undefined;
  return {
    ...findPosition(text, first.offset),
    key: '',
    message: configTexts(locale).syntax[nameFault(printParseErrorCode(first.error), text.charAt(first.offset))],
  };
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
