import { assertNever } from '../base/assert-never.ts';
import type { Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';
import type { GlobFault } from './path-pattern.ts';

import type { ToolWords } from './texts.ts';

/** What `find_files` and `search_text` show a model. */
export interface FindTexts {
  readonly findFiles: ToolWords;
  readonly searchText: ToolWords;
  globFault(fault: GlobFault): string;
  expressionFault(problem: string): string;
  nothingFound(isIgnoredToo: boolean): string;
  filesCut(shown: number, found: number): string;
  hitsCut(shown: number): string;
  walkCut(
    cut: WalkCut,
    bounds: { readonly entries: number; readonly depth: number; readonly durationMs: number },
  ): string;
  unreadableFolders(count: number): string;
  searchSkipped(skipped: SkippedFiles, limitBytes: number): string;
  searchStuck(path: string, patienceMs: number): string;
}

/** Why a walk ended before it had seen everything. */
export type WalkCut = 'entries' | 'depth' | 'duration';

/** Files whose text was not searched. */
export interface SkippedFiles {
  readonly binaryFiles: number;
  readonly largeFiles: number;
  readonly unreadableFiles: number;
}

export const findTexts: Localized<FindTexts> = {
  en: {
    findFiles: {
      description:
        'Finds files by a glob, below a folder and all folders in it: *.ts (in any folder), src/**/*.{ts,tsx}, **/test?.log. Gives their paths, sorted. Files that .gitignore leaves out are skipped unless include_ignored is true.\nParameters: pattern (required), path (optional), include_ignored (optional).',
      parameters: {
        pattern:
          'Glob: * and ? within a name, ** for any folders, [a-z], {a,b}. With a slash it starts at path; without one it is held against the name in every folder.',
        path: 'Folder to look in, the workspace unless given.',
        include_ignored: 'Also files that .gitignore leaves out, such as those in node_modules.',
      },
    },
    searchText: {
      description:
        'Searches the text of files line by line, below a folder and all folders in it, or in one file. Gives the lines that match, with file and line number. Files that .gitignore leaves out are skipped unless include_ignored is true; binary files always.\nParameters: pattern (required), path, glob, literal, ignore_case, context_lines, include_ignored (all optional).',
      parameters: {
        pattern:
          'Regular expression in the syntax of JavaScript, or plain text with literal. It is held against one line.',
        path: 'Folder or file to search, the workspace unless given.',
        glob: 'Only files whose path matches, such as *.ts or src/**/*.md.',
        literal: 'The pattern is plain text, no regular expression.',
        ignore_case: 'Upper and lower case count as the same.',
        context_lines: 'Lines shown before and behind each hit, 0 unless given.',
        include_ignored: 'Also files that .gitignore leaves out, such as those in node_modules.',
      },
    },
    globFault: (fault) =>
      fault === 'too-long'
        ? 'Error: the glob is longer than 1000 characters. Use a shorter one, or several calls.'
        : 'Error: the braces of the glob stand for more than 200 patterns. Use several calls.',
    expressionFault: (problem) =>
      `Error: the pattern is no valid regular expression (${singleLine(problem)}). Correct it, or set literal to true to search for it as plain text.`,
    nothingFound: (isIgnoredToo) =>
      isIgnoredToo
        ? '(nothing found)'
        : '(nothing found; files that .gitignore leaves out were not looked at: set include_ignored to true for those)',
    filesCut: (shown, found) =>
      `[cut: the first ${shown} of ${found} files are listed; use a narrower pattern or path]`,
    hitsCut: (shown) => `[cut: only the first ${shown} hits are shown; use a narrower pattern, path or glob]`,
    walkCut: (cut, bounds) => `[incomplete: ${englishWalkCut(cut, bounds)}; start at a folder further down with path]`,
    unreadableFolders: (count) => `[${count} ${count === 1 ? 'folder' : 'folders'} could not be read]`,
    searchSkipped: ({ binaryFiles, largeFiles, unreadableFiles }, limitBytes) => {
      const parts = [
        ...(binaryFiles > 0 ? [`${binaryFiles} binary or not UTF-8`] : []),
        ...(largeFiles > 0 ? [`${largeFiles} larger than ${formatBytes(limitBytes)}`] : []),
        ...(unreadableFiles > 0 ? [`${unreadableFiles} unreadable`] : []),
      ];
      return `[files not searched: ${parts.join(', ')}]`;
    },
    searchStuck: (path, patienceMs) =>
      `Error: the search was ended: the expression took longer than ${patienceMs / 1000} s on ${singleLine(path)}. Repeated groups such as (a+)+ cause this. Use a simpler expression, or set literal to true.`,
  },
  'zh-CN': {
    findFiles: {
      description:
        '按 glob 查找文件夹及其所有子文件夹中的文件:*.ts(任意文件夹)、src/**/*.{ts,tsx}、**/test?.log。返回排序后的路径。除非 include_ignored 为 true,否则跳过 .gitignore 排除的文件。\n参数:pattern(必填)、path(可选)、include_ignored(可选)。',
      parameters: {
        pattern:
          'glob:* 和 ? 匹配名称中的字符,** 匹配任意层文件夹,[a-z],{a,b}。含斜杠时从 path 开始匹配;不含斜杠时匹配每个文件夹中的文件名。',
        path: '要查找的文件夹,默认为工作区。',
        include_ignored: '包含 .gitignore 排除的文件,例如 node_modules 中的文件。',
      },
    },
    searchText: {
      description:
        '逐行搜索文件夹及其所有子文件夹中的文件,或单个文件的文本。返回匹配的行、文件和行号。除非 include_ignored 为 true,否则跳过 .gitignore 排除的文件;二进制文件始终跳过。\n参数:pattern(必填)、path、glob、literal、ignore_case、context_lines、include_ignored(均可选)。',
      parameters: {
        pattern: 'JavaScript 语法的正则表达式;literal 为 true 时为普通文本。按单行匹配。',
        path: '要搜索的文件夹或文件,默认为工作区。',
        glob: '只搜索路径匹配的文件,例如 *.ts 或 src/**/*.md。',
        literal: 'pattern 为普通文本,不是正则表达式。',
        ignore_case: '不区分大小写。',
        context_lines: '每处匹配前后显示的行数,默认 0。',
        include_ignored: '包含 .gitignore 排除的文件,例如 node_modules 中的文件。',
      },
    },
    globFault: (fault) =>
      fault === 'too-long'
        ? '错误:glob 超过 1000 个字符。请缩短,或分多次调用。'
        : '错误:glob 的花括号展开后超过 200 个模式。请分多次调用。',
    expressionFault: (problem) =>
      `错误:pattern 不是有效的正则表达式(${singleLine(problem)})。请更正,或将 literal 设为 true 按普通文本搜索。`,
    nothingFound: (isIgnoredToo) =>
      isIgnoredToo ? '(没有找到)' : '(没有找到;未查看 .gitignore 排除的文件,如需查看请将 include_ignored 设为 true)',
    filesCut: (shown, found) => `[已截断:共 ${found} 个文件,只列出前 ${shown} 个;请缩小 pattern 或 path 的范围]`,
    hitsCut: (shown) => `[已截断:只显示前 ${shown} 处匹配;请缩小 pattern、path 或 glob 的范围]`,
    walkCut: (cut, bounds) => `[不完整:${chineseWalkCut(cut, bounds)};请用 path 从更下层的文件夹开始]`,
    unreadableFolders: (count) => `[${count} 个文件夹无法读取]`,
    searchSkipped: ({ binaryFiles, largeFiles, unreadableFiles }, limitBytes) => {
      const parts = [
        ...(binaryFiles > 0 ? [`${binaryFiles} 个为二进制或非 UTF-8`] : []),
        ...(largeFiles > 0 ? [`${largeFiles} 个超过 ${formatBytes(limitBytes)}`] : []),
        ...(unreadableFiles > 0 ? [`${unreadableFiles} 个无法读取`] : []),
      ];
      return `[未搜索的文件:${parts.join(',')}]`;
    },
    searchStuck: (path, patienceMs) =>
      `错误:搜索已终止:正则表达式在 ${singleLine(path)} 上耗时超过 ${patienceMs / 1000} 秒。嵌套重复(如 (a+)+)会导致此问题。请使用更简单的表达式,或将 literal 设为 true。`,
  },
};

type WalkFigures = Parameters<FindTexts['walkCut']>[1];

function englishWalkCut(cut: WalkCut, { entries, depth, durationMs }: WalkFigures): string {
  switch (cut) {
    case 'entries':
      return `only the first ${entries} files and folders were looked at`;
    case 'depth':
      return `folders more than ${depth} levels down were not looked at`;
    case 'duration':
      return `it took longer than ${durationMs / 1000} s`;
    default:
      return assertNever(cut);
  }
}

function chineseWalkCut(cut: WalkCut, { entries, depth, durationMs }: WalkFigures): string {
  switch (cut) {
    case 'entries':
      return `只查看了前 ${entries} 个文件和文件夹`;
    case 'depth':
      return `未查看深于 ${depth} 层的文件夹`;
    case 'duration':
      return `耗时超过 ${durationMs / 1000} 秒`;
    default:
      return assertNever(cut);
  }
}
