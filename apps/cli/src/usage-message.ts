import type { Locale } from '@fovea/core/base';
import type { CommanderError } from 'commander';

/**
 * What is wrong with a command line, in one line. commander gives English sentences only: in
 * Chinese the sentence is chosen by its code, with the offending words taken out of commander's.
 */
export function usageMessage(error: Pick<CommanderError, 'code' | 'message'>, locale: Locale): string {
  const message = error.message.replace(/^error: /, '');
  const hint = /\n\(Did you mean (?:one of )?(.*)\?\)$/s.exec(message);
  const sentence = hint === null ? message : message.slice(0, hint.index);
  if (locale === 'en') return hint === null ? sentence : `${sentence}. Did you mean ${hint[1]}?`;
  const translated = translate(error.code, sentence);
  return hint === null ? translated : `${translated}。是否想用 ${hint[1]}?`;
}

function translate(code: string, sentence: string): string {
  // Greedy: what the user wrote may hold quotes itself, and stands last.
  const word = /'(.*)'/s.exec(sentence)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return `未知选项 ${word}`;
    case 'commander.unknownCommand':
      return `未知命令“${word}”`;
    case 'commander.missingArgument':
      return `缺少参数 ${word}`;
    case 'commander.optionMissingArgument':
      return `选项 ${word} 缺少值`;
    case 'commander.missingMandatoryOptionValue':
      return `缺少必需的选项 ${word}`;
    case 'commander.excessArguments':
      return translateExcess(sentence);
    case 'commander.invalidArgument':
      return translateInvalid(sentence);
    case 'commander.conflictingOption': {
      const options = [...sentence.matchAll(/'([^']*)'/g)].map((match) => match[1]);
      return `${options.join(' 和 ')} 不能同时使用`;
    }
    default:
      return `命令用法有误(${sentence})`;
  }
}

function translateExcess(sentence: string): string {
  const match = /(?: for '(.*)')?\. Expected (\d+) arguments? but got (\d+)\.$/.exec(sentence);
  if (match === null) return '参数过多';
  const [, command, expected, actual] = match;
  return `${command === undefined ? '' : `${command} 的`}参数过多:应为 ${expected} 个,实际为 ${actual} 个`;
}

/** `option 'flags' argument 'value' is invalid. Reason`, or the same of an argument. */
function translateInvalid(sentence: string): string {
  const option = /^option '(.*?)' argument '(.*)' is invalid\. ?(.*)$/s.exec(sentence);
  const argument = /^command-argument value '(.*)' is invalid for argument '(.*?)'\. ?(.*)$/s.exec(sentence);
  const [name, value, reason] =
    option === null ? [argument?.[2], argument?.[1], argument?.[3]] : [option[1], option[2], option[3]];
  if (name === undefined) return `命令用法有误(${sentence})`;
  const why = (reason ?? '').replace(/^Allowed choices are (.*)\.$/s, '可选:$1');
  return `${name} 的值“${value}”无效。${why}`;
}
