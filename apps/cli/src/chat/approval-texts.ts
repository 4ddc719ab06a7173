import type { Locale, Localized } from '@fovea/core/base';
import type { ApprovalRequestEvent } from '@fovea/core/content';

interface ApprovalTexts {
  readonly question: (tool: string, demand: ApprovalRequestEvent['demand']) => string;
  readonly afterForeignPicture: string;
  readonly keys: string;
  /** Before a line that was begun when the question came. */
  readonly finishLine: string;
  readonly reason: string;
  readonly allowed: string;
  readonly allowedForSession: string;
  readonly denied: string;
}

const all: Localized<ApprovalTexts> = {
  en: {
    question: (tool, demand) =>
      demand === 'execute' ? `? ${tool} wants to run:` : `? ${tool} wants to write outside the workspace:`,
    afterForeignPicture:
      'Careful: this turn has seen a picture from a tool or a URL; what stands in it may be a stranger’s words.',
    keys: '[y] once  [a] always in this session  [n] no  [Esc] stop',
    finishLine: '(a question waits: Enter or Ctrl+U first)',
    reason: 'Why not? The model is told (Enter: no reason)',
    allowed: 'allowed',
    allowedForSession: 'allowed for this session',
    denied: 'denied',
  },
  'zh-CN': {
    question: (tool, demand) => (demand === 'execute' ? `? ${tool} 想运行:` : `? ${tool} 想在工作区之外写入:`),
    afterForeignPicture: '注意:本轮看过来自工具或 URL 的图片,其中的文字可能出自陌生人。',
    keys: '[y] 允许一次  [a] 本会话始终允许  [n] 拒绝  [Esc] 停止',
    finishLine: '(有问题待回答:请先按 Enter 或 Ctrl+U)',
    reason: '为什么不?会告知模型(直接按 Enter:不说原因)',
    allowed: '已允许',
    allowedForSession: '本会话内已允许',
    denied: '已拒绝',
  },
};

export function approvalTexts(locale: Locale): ApprovalTexts {
  return all[locale];
}
