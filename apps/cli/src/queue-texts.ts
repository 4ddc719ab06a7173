import type { Locale, Localized } from '@fovea/core/base';
import type { QueueHold } from '@fovea/core/content';

/** What is said of messages that wait in a conversation. */
export interface QueueTexts {
  readonly empty: string;
  readonly running: string;
  readonly steer: string;
  readonly held: string;
  readonly blocked: (why: string) => string;
  readonly uncertain: string;
  readonly unreadable: string;
  readonly heldBecause: Readonly<Record<QueueHold, string>>;
  readonly heldCount: (count: number) => string;
  /** How what is held goes on, outside of the chat. */
  readonly howToResume: (sessionId: string) => string;
  readonly noSuchNumber: (count: number) => string;
  readonly cannotRequeue: (position: number) => string;
  readonly runsElsewhere: (process: string) => string;
  /** For `fovea run`: `position` counts from 1, the running one included. */
  readonly behindProcess: (process: string, position: number) => string;
  readonly behindOthers: (position: number) => string;
  /** The message that was just given is held itself. */
  readonly heldSelf: (because: QueueHold, sessionId: string) => string;
  readonly heldBehind: (count: number, sessionId: string) => string;
  readonly takenBack: string;
  readonly goesOnElsewhere: (sessionId: string) => string;
  readonly staysWaiting: (sessionId: string) => string;
}

const all: Localized<QueueTexts> = {
  en: {
    empty: 'Nothing waits in this conversation.',
    running: 'running',
    steer: 'for the running turn',
    held: 'held',
    blocked: (why) => `could not begin: ${why}`,
    uncertain: 'broken off after it may have changed something',
    unreadable: '(cannot be read by this version)',
    heldBecause: {
      interrupted: 'the turn before was broken off after it may have changed something',
      stopped: 'the turn before was stopped',
      failed: 'the turn before failed',
      blocked: 'the message before could not begin',
      'newer-schema': 'a newer Fovea wrote this queue, which this one can only read',
    },
    heldCount: (count) => (count === 1 ? '1 message is held' : `${count} messages are held`),
    howToResume: (sessionId) =>
      `fovea sessions queue ${sessionId} --resume goes on with them, --remove N and --requeue N decide about one.`,
    noSuchNumber: (count) =>
      count === 0 ? 'nothing waits in this conversation.' : `say which message: a number from 1 to ${count}.`,
    cannotRequeue: (position) =>
      `message ${position} waits already; --requeue is for one that could not begin or was broken off.`,
    runsElsewhere: (process) => `Process ${process} works on this conversation and goes on with what waits.`,
    behindProcess: (process, position) =>
      `Process ${process} is answering another message of this conversation; yours is number ${position}.`,
    behindOthers: (position) => `Other messages of this conversation come first; yours is number ${position}.`,
    heldSelf: (because, sessionId) =>
      `Your message is held: ${all.en.heldBecause[because]}. fovea sessions queue ${sessionId} --resume lets it go on, Ctrl+C takes it back.`,
    heldBehind: (count, sessionId) =>
      `${count === 1 ? '1 earlier message waits' : `${count} earlier messages wait`}; fovea sessions queue ${sessionId}`,
    takenBack: 'Your message was taken back before it was answered.',
    goesOnElsewhere: (sessionId) =>
      `Another process goes on answering; fovea sessions show ${sessionId} shows it afterwards.`,
    staysWaiting: (sessionId) => `Your message stays in the queue: fovea sessions queue ${sessionId}`,
  },
  'zh-CN': {
    empty: '此会话没有等待的消息。',
    running: '正在运行',
    steer: '发给正在运行的一轮',
    held: '暂停',
    blocked: (why) => `无法开始:${why}`,
    uncertain: '可能已有修改,之后中断',
    unreadable: '(此版本无法读取)',
    heldBecause: {
      interrupted: '上一轮可能已有修改,之后中断',
      stopped: '上一轮被停止',
      failed: '上一轮失败',
      blocked: '前一条消息无法开始',
      'newer-schema': '此队列由更新版本的 Fovea 写入,此版本只能读取',
    },
    heldCount: (count) => `${count} 条消息已暂停`,
    howToResume: (sessionId) =>
      `fovea sessions queue ${sessionId} --resume 继续运行,--remove N 和 --requeue N 处理其中一条。`,
    noSuchNumber: (count) => (count === 0 ? '此会话没有等待的消息。' : `请说明哪一条:1 到 ${count}。`),
    cannotRequeue: (position) => `第 ${position} 条已在等待;--requeue 只用于无法开始或中断的消息。`,
    runsElsewhere: (process) => `进程 ${process} 正在处理此会话,会继续运行等待的消息。`,
    behindProcess: (process, position) => `进程 ${process} 正在回答此会话的另一条消息;你的消息是第 ${position} 条。`,
    behindOthers: (position) => `此会话先回答其他消息;你的消息是第 ${position} 条。`,
    heldSelf: (because, sessionId) =>
      `消息已暂停:${all['zh-CN'].heldBecause[because]}。fovea sessions queue ${sessionId} --resume 继续,Ctrl+C 取回。`,
    heldBehind: (count, sessionId) => `有 ${count} 条之前的消息在等待;fovea sessions queue ${sessionId}`,
    takenBack: '消息在回答之前已取回。',
    goesOnElsewhere: (sessionId) => `另一个进程会继续回答;之后用 fovea sessions show ${sessionId} 查看。`,
    staysWaiting: (sessionId) => `消息仍在队列中:fovea sessions queue ${sessionId}`,
  },
};

export function queueTexts(locale: Locale): QueueTexts {
  return all[locale];
}
