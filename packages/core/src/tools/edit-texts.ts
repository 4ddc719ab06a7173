import { assertNever } from '../base/assert-never.ts';
import type { Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import type { NearMiss } from './find-text.ts';

import type { ToolWords } from './texts.ts';

/** What `edit_file` shows a model, beside what `write_file` says as well. */
export interface EditTexts {
  readonly editFile: ToolWords;
  noFile(path: string): string;
  notFound(path: string, nearMiss: NearMiss | undefined): string;
  severalPlaces(path: string, count: number, firstLines: readonly number[]): string;
}

export const editTexts: Localized<EditTexts> = {
  en: {
    editFile: {
      description:
        'Replaces a part of a text file. old_text has to occur exactly once in the file, with its white space; take as many lines of it as make it unique, or set replace_all to change every place. Line ends count as equal and are kept.\nParameters: path (required), old_text (required), new_text (required), replace_all (optional).',
      parameters: {
        path: 'Path of the file. A relative path starts at the workspace.',
        old_text: 'The text that is there now, exactly, without line numbers.',
        new_text: 'The text that takes its place. Empty to remove it.',
        replace_all: 'Change every place where old_text occurs.',
      },
    },
    noFile: (path) => `Error: not found: ${singleLine(path)}. Make the file with write_file.`,
    notFound: (path, nearMiss) =>
      `Error: old_text does not occur in ${singleLine(path)}, so nothing was changed. ${englishNearMiss(nearMiss)}`,
    severalPlaces: (path, count, lines) =>
      `Error: old_text occurs ${count} times in ${singleLine(path)} (${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ', ...' : ''}), so nothing was changed. Add lines around it until it occurs once, or set replace_all to true to change every place.`,
  },
  'zh-CN': {
    editFile: {
      description:
        '替换文本文件的一部分。old_text 必须在文件中恰好出现一次,空白须一致;请包含足够的行使其唯一,或将 replace_all 设为 true 替换所有位置。换行符视为相同并予以保留。\n参数:path(必填)、old_text(必填)、new_text(必填)、replace_all(可选)。',
      parameters: {
        path: '文件路径。相对路径以工作区为起点。',
        old_text: '文件中现有的文本,须完全一致,不含行号。',
        new_text: '替换后的文本。留空表示删除。',
        replace_all: '替换 old_text 出现的所有位置。',
      },
    },
    noFile: (path) => `错误:文件不存在:${singleLine(path)}。请用 write_file 创建。`,
    notFound: (path, nearMiss) => `错误:${singleLine(path)} 中没有 old_text,未作任何更改。${chineseNearMiss(nearMiss)}`,
    severalPlaces: (path, count, lines) =>
      `错误:old_text 在 ${singleLine(path)} 中出现 ${count} 次(第 ${lines.join('、')} 行${count > lines.length ? '等' : ''}),未作任何更改。请加入前后的行使其唯一,或将 replace_all 设为 true 替换所有位置。`,
  },
};

function englishNearMiss(nearMiss: NearMiss | undefined): string {
  if (nearMiss === undefined) return 'Nothing like it is there either: read the file again, it may have changed.';
  if (nearMiss.kind === 'line') {
    return `Something like it begins at line ${nearMiss.line}: read the file there and copy the text exactly.`;
  }
  const { kind, firstLine, lastLine, text } = nearMiss;
  const place = firstLine === lastLine ? `Line ${firstLine} differs` : `Lines ${firstLine} to ${lastLine} differ`;
  const it = firstLine === lastLine ? 'It is' : 'They are';
  switch (kind) {
    case 'white-space':
      return `${place} from it only in white space. ${it} exactly:\n${text}`;
    case 'signs':
      return `${place} from it only in case, quotes, dashes or white space. ${it} exactly:\n${text}`;
    default:
      return assertNever(kind);
  }
}

function chineseNearMiss(nearMiss: NearMiss | undefined): string {
  if (nearMiss === undefined) return '也没有相近的内容:文件可能已更改,请重新读取。';
  if (nearMiss.kind === 'line') return `相近的内容从第 ${nearMiss.line} 行开始:请读取该处并原样复制。`;
  const { kind, firstLine, lastLine, text } = nearMiss;
  const place = firstLine === lastLine ? `第 ${firstLine} 行` : `第 ${firstLine} 至 ${lastLine} 行`;
  switch (kind) {
    case 'white-space':
      return `${place}仅空白不同,原文为:\n${text}`;
    case 'signs':
      return `${place}仅大小写、引号、破折号或空白不同,原文为:\n${text}`;
    default:
      return assertNever(kind);
  }
}
