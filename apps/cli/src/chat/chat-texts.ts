import type { Locale, Localized } from '@fovea/core/base';

/** What the chat says of sessions, costs and the lines that wait. */
interface ChatTexts {
  readonly queuedCount: (count: number) => string;
  readonly queueEmpty: string;
  readonly queuePaused: (count: number) => string;
  /** What waits can only go on when the user decides about it. */
  readonly queueUndecided: (count: number) => string;
  readonly queueUsage: string;
  readonly steerUsage: string;
  readonly noSuchLine: (count: number) => string;
  readonly noSuchNumber: (count: number) => string;
  readonly waitsAlready: (position: number) => string;
  readonly commandsStay: string;
  readonly picturesStay: string;
  readonly runsElsewhere: (pid: number) => string;
  /** A message that is stored and is not answered yet when the user leaves. */
  readonly stillWaits: (line: string) => string;
  readonly steered: (line: string) => string;
  readonly unqueued: (line: string) => string;
  /** A message that waited, or was being typed, when the user left. */
  readonly notSent: (line: string) => string;
  readonly moreChoices: (count: number) => string;
  readonly noSessionsHere: string;
  readonly sessionsHint: string;
  readonly noSuchSession: (name: string) => string;
  readonly nothingUsed: string;
  readonly usage: (facts: {
    readonly model: string;
    readonly answers: number;
    readonly input: string;
    readonly cached: string;
    readonly output: string;
    readonly cost: string;
  }) => string;
  readonly costUnknown: string;
  readonly total: (costs: string) => string;
  readonly noSessionYet: string;
}

const all: Localized<ChatTexts> = {
  en: {
    queuedCount: (count) => `[${count} queued]`,
    queueEmpty: 'Nothing is queued. What you enter while an answer runs is sent after it.',
    queuePaused: (count) =>
      `${count === 1 ? '1 message waits' : `${count} messages wait`}: Enter on an empty line sends on, /queue shows them, /unqueue [N] takes them back.`,
    queueUndecided: (count) =>
      `${count === 1 ? '1 message could not be finished' : `${count} messages could not be finished`}: /queue shows why, /queue requeue N runs one again, /queue remove N takes it out.`,
    queueUsage: 'Say it so: /queue, /queue remove N, /queue move N [M], /queue requeue N or /queue resume.',
    steerUsage: 'Say what the running turn shall know: /steer TEXT.',
    noSuchNumber: (count) => (count === 0 ? 'Nothing is queued.' : `Say which one: a number from 1 to ${count}.`),
    waitsAlready: (position) => `Number ${position} waits already; /queue resume lets what is held go on.`,
    commandsStay: 'Lines that are not in the conversation’s queue keep their place at the end.',
    picturesStay:
      'It was entered in another chat with pictures, which cannot be taken back; /queue remove N takes it out.',
    runsElsewhere: (pid) =>
      `Process ${pid} answers here; it has to be stopped there. Press Ctrl+C again to leave, and it goes on.`,
    stillWaits: (line) => `Waits: ${line}`,
    steered: (line) => `› ${line} (for the running turn)`,
    noSuchLine: (count) =>
      count === 0
        ? 'Nothing is queued.'
        : `Say which one: /unqueue N with N from 1 to ${count}, or /unqueue alone for all.`,
    unqueued: (line) => `No longer queued: ${line}`,
    notSent: (line) => `Not sent: ${line}`,
    moreChoices: (count) => `… and ${count} more`,
    noSessionsHere: 'There is no earlier conversation in this workspace.',
    sessionsHint: '/sessions N or the beginning of an id goes on with one.',
    noSuchSession: (name) => `no conversation "${name}" in this workspace. /sessions lists them.`,
    nothingUsed: 'No model has answered in this conversation yet.',
    usage: ({ model, answers, input, cached, output, cost }) =>
      `${model}: ${answers === 1 ? '1 answer' : `${answers} answers`}, ${input} tokens in (${cached} cached), ${output} out, ${cost}`,
    costUnknown: 'no price known',
    total: (costs) => `Total: ${costs}`,
    noSessionYet: 'This conversation has not begun yet.',
  },
  'zh-CN': {
    queuedCount: (count) => `[${count} 条排队]`,
    queueEmpty: '没有排队的消息。回答进行中输入的内容会在其后发送。',
    queuePaused: (count) => `${count} 条消息在等待:在空行按 Enter 继续发送,/queue 查看,/unqueue [N] 取回。`,
    queueUndecided: (count) =>
      `${count} 条消息未能完成:/queue 查看原因,/queue requeue N 重新运行,/queue remove N 取出。`,
    queueUsage: '用法:/queue、/queue remove N、/queue move N [M]、/queue requeue N 或 /queue resume。',
    steerUsage: '请写出要告诉正在运行的一轮的内容:/steer 文字。',
    noSuchNumber: (count) => (count === 0 ? '没有排队的消息。' : `请说明哪一条:1 到 ${count}。`),
    waitsAlready: (position) => `第 ${position} 条已在等待;/queue resume 让暂停的消息继续。`,
    commandsStay: '不在会话队列中的行保持在末尾。',
    picturesStay: '它是在另一个对话中带图片输入的,图片无法取回;/queue remove N 可取出。',
    runsElsewhere: (pid) => `由进程 ${pid} 回答,需在那里停止。再按一次 Ctrl+C 退出,它会继续。`,
    stillWaits: (line) => `等待中:${line}`,
    steered: (line) => `› ${line}(发给正在运行的一轮)`,
    noSuchLine: (count) =>
      count === 0 ? '没有排队的消息。' : `请说明哪一条:/unqueue N(N 为 1 到 ${count}),或只用 /unqueue 取回全部。`,
    unqueued: (line) => `不再排队:${line}`,
    notSent: (line) => `未发送:${line}`,
    moreChoices: (count) => `……另有 ${count} 个`,
    noSessionsHere: '此工作区没有之前的会话。',
    sessionsHint: '/sessions N 或 id 的开头可继续其中一个。',
    noSuchSession: (name) => `此工作区没有会话“${name}”。/sessions 列出全部。`,
    nothingUsed: '本会话还没有模型回答过。',
    usage: ({ model, answers, input, cached, output, cost }) =>
      `${model}:${answers} 次回答,输入 ${input} tokens(其中缓存 ${cached}),输出 ${output},${cost}`,
    costUnknown: '价格未知',
    total: (costs) => `合计:${costs}`,
    noSessionYet: '本会话尚未开始。',
  },
};

export function chatTexts(locale: Locale): ChatTexts {
  return all[locale];
}
