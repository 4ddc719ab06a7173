import type { Locale, Localized } from '@fovea/core/base';

/** What is said beside an answer while a turn is printed, and when its changes are taken back. */
export interface TurnTexts {
  readonly retry: (facts: { readonly attempt: number; readonly seconds: number; readonly code: string }) => string;
  readonly moreDiffLines: (count: number) => string;
  readonly undone: Readonly<Record<'restored' | 'removed' | 'kept' | 'failed', (path: string, why: string) => string>>;
  readonly nothingToUndo: string;
}

const all: Localized<TurnTexts> = {
  en: {
    retry: ({ attempt, seconds, code }) =>
      `The endpoint did not answer (${code}). Trying again in ${seconds} s (attempt ${attempt + 1}).`,
    moreDiffLines: (count) => (count === 1 ? '1 more line' : `${count} more lines`),
    undone: {
      restored: (path) => `restored: ${path}`,
      removed: (path) => `removed: ${path}`,
      kept: (path) => `left as it is, because it was changed since: ${path}`,
      failed: (path, why) => `not restored: ${path}${why === '' ? '' : ` (${why})`}`,
    },
    nothingToUndo: 'There is no file change to take back in this session.',
  },
  'zh-CN': {
    retry: ({ attempt, seconds, code }) => `接口没有应答(${code})。${seconds} 秒后重试(第 ${attempt + 1} 次)。`,
    moreDiffLines: (count) => `另有 ${count} 行`,
    undone: {
      restored: (path) => `已恢复:${path}`,
      removed: (path) => `已删除:${path}`,
      kept: (path) => `之后又被修改,保持原样:${path}`,
      failed: (path, why) => `未能恢复:${path}${why === '' ? '' : `(${why})`}`,
    },
    nothingToUndo: '本会话没有可以撤销的文件修改。',
  },
};

export function turnTexts(locale: Locale): TurnTexts {
  return all[locale];
}
