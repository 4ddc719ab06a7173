import { assertNever } from '../base/assert-never.ts';
import type { Locale, Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';

import type { ToolWords } from './texts.ts';
import type { ToolOutcome } from './tool.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';
import type { WriteFault } from './write-target.ts';

/** A file that a tool has written, as its result names it. */
export interface WrittenFile {
  readonly path: string;
  readonly isNew: boolean;
  readonly lines: number;
  readonly sizeBytes: number;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly replacements?: number;
}

/** What `write_file` shows a model. */
export interface WriteTexts {
  readonly writeFile: ToolWords;
  written(file: WrittenFile): string;
  unchanged(path: string): string;
  readonly lineEndKept: string;
  notAFileName(path: string): string;
  pictureName(path: string): string;
  badCharacter(kind: 'nul' | 'half', position: number): string;
  contentTooLarge(sizeBytes: number, limitBytes: number): string;
  protectedFile(path: string): string;
  notGranted(path: string): string;
  partIsAFile(path: string): string;
  notWritten(path: string, detail: string): string;
}

export const writeTexts: Localized<WriteTexts> = {
  en: {
    writeFile: {
      description:
        'Writes a whole text file: makes it, with the folders it needs, or replaces its content. Line ends and byte order mark of a file that is there are kept. To change a part of a file use edit_file. Cannot write pictures or other binary files.\nParameters: path (required), content (required).',
      parameters: {
        path: 'Path of the file. A relative path starts at the workspace.',
        content: 'The whole text of the file.',
      },
    },
    written: ({ path, isNew, lines, sizeBytes, addedLines, removedLines, replacements }) => {
      const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${formatBytes(sizeBytes)}`;
      if (isNew) return `File created: ${singleLine(path)} (${size})`;
      const places = replacements === undefined ? '' : `${replacements} ${replacements === 1 ? 'place' : 'places'}, `;
      const verb = replacements === undefined ? 'written' : 'edited';
      return `File ${verb}: ${singleLine(path)} (${places}+${addedLines} -${removedLines} lines; now ${size})`;
    },
    unchanged: (path) => `Nothing changed: ${singleLine(path)} has exactly this content already.`,
    lineEndKept: 'The file ends its lines with CRLF; the new text was given the same.',
    notAFileName: (path) =>
      `Error: this names a folder: ${singleLine(path)}. Give the path of a file; folders are made as needed.`,
    pictureName: (path) =>
      `Error: the name claims a picture, and this tool writes text: ${singleLine(path)}. Make the picture with a command (run_command), write SVG, or choose another name.`,
    badCharacter: (kind, position) =>
      kind === 'nul'
        ? `Error: the text holds a NUL character (character ${position}), which no text file has. Leave it out.`
        : `Error: the text holds half of a character (a lone surrogate, character ${position}), which cannot be stored. Leave it out.`,
    contentTooLarge: (sizeBytes, limitBytes) =>
      `Error: the file would be too large (${formatBytes(sizeBytes)}); files are written up to ${formatBytes(limitBytes)}. Split it.`,
    protectedFile: (path) =>
      `Error: ${singleLine(path)} may not be written: files of this name or place are protected. Choose another path, or tell the user what should be in it.`,
    notGranted: (path) =>
      `Error: writing ${singleLine(path)} was not allowed: it leads outside the workspace or into .git. Write below the workspace.`,
    partIsAFile: (path) =>
      `Error: a part of the path is a file, not a folder: ${singleLine(path)}. Choose another path.`,
    notWritten: (path, detail) =>
      `Error: the file could not be written (${detail}): ${singleLine(path)}. It is as it was before.`,
  },
  'zh-CN': {
    writeFile: {
      description:
        '写入整个文本文件:新建(包括所需的文件夹)或替换全部内容。保留已有文件的换行符和 BOM。修改文件的一部分请用 edit_file。不能写入图片或其他二进制文件。\n参数:path(必填)、content(必填)。',
      parameters: {
        path: '文件路径。相对路径以工作区为起点。',
        content: '文件的完整文本。',
      },
    },
    written: ({ path, isNew, lines, sizeBytes, addedLines, removedLines, replacements }) => {
      const size = `${lines} 行,${formatBytes(sizeBytes)}`;
      if (isNew) return `文件已创建:${singleLine(path)}(${size})`;
      const places = replacements === undefined ? '' : `${replacements} 处,`;
      const verb = replacements === undefined ? '写入' : '编辑';
      return `文件已${verb}:${singleLine(path)}(${places}+${addedLines} -${removedLines} 行;现为 ${size})`;
    },
    unchanged: (path) => `没有变化:${singleLine(path)} 的内容已经如此。`,
    lineEndKept: '该文件使用 CRLF 换行,新文本已保持一致。',
    notAFileName: (path) => `错误:这是文件夹的名称:${singleLine(path)}。请给出文件路径;所需的文件夹会自动创建。`,
    pictureName: (path) =>
      `错误:该名称表示图片,而此工具只写入文本:${singleLine(path)}。请用命令(run_command)生成图片、写入 SVG,或使用其他名称。`,
    badCharacter: (kind, position) =>
      kind === 'nul'
        ? `错误:文本包含 NUL 字符(第 ${position} 个字符),文本文件中不应出现。请去掉。`
        : `错误:文本包含半个字符(孤立的代理项,第 ${position} 个字符),无法存储。请去掉。`,
    contentTooLarge: (sizeBytes, limitBytes) =>
      `错误:文件会过大(${formatBytes(sizeBytes)}),写入上限为 ${formatBytes(limitBytes)}。请拆分。`,
    protectedFile: (path) =>
      `错误:不能写入 ${singleLine(path)}:该名称或位置的文件受保护。请使用其他路径,或告知用户应写入的内容。`,
    notGranted: (path) => `错误:未获准写入 ${singleLine(path)}:它位于工作区之外或 .git 中。请写入工作区内。`,
    partIsAFile: (path) => `错误:路径的一部分是文件而不是文件夹:${singleLine(path)}。请使用其他路径。`,
    notWritten: (path, detail) =>
      `错误:无法写入文件(${chineseDetails[detail] ?? detail}):${singleLine(path)}。文件保持原样。`,
  },
};

const chineseDetails: Readonly<Record<string, string>> = {
  'permission denied': '没有权限',
  'too many open files': '打开的文件过多',
  'input/output error': '输入输出错误',
  'a link that leads in a circle': '循环链接',
};

/** A fault in the words that a model reads. */
export function writeFaultOutcome(fault: WriteFault, path: string, locale: Locale): ToolOutcome {
  const texts = writeTexts[locale];
  switch (fault.kind) {
    case 'refused':
      return refusedOutcome(fault.refusal, locale);
    case 'protected':
      return failedOutcome(texts.protectedFile(path));
    case 'not-granted':
      return failedOutcome(texts.notGranted(path));
    case 'not-a-folder':
      return failedOutcome(texts.partIsAFile(path));
    case 'not-written':
      return failedOutcome(texts.notWritten(path, fault.detail));
    default:
      return assertNever(fault);
  }
}
