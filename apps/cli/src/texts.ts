import type { Locale, Localized } from '@fovea/core/base';
import { type HelpTexts, helpTexts } from './help-texts.ts';

/** Every text of the command line that is not a refusal or an error, in both languages. */
interface CliTexts {
  readonly summary: string;
  readonly help: HelpTexts;
  readonly errorPrefix: string;
  /** Between a prefix and what follows. */
  readonly colon: string;
  readonly comma: string;
  /** Follows a refusal of what was not found. */
  readonly didYouMean: (name: string) => string;
  readonly warningPrefix: string;
  readonly interrupted: string;
  readonly turnBrokenOff: string;
  readonly readingInput: string;
  readonly promptMissing: string;
  readonly submissionNeedsSession: string;
  readonly unknownCommand: (word: string, near: string | undefined) => string;
  readonly wholeNumber: string;
  readonly folderName: string;
  readonly emptyName: string;
  readonly beforeNeedsMove: string;
  readonly binaryData: string;
  readonly inputNotText: (kind: string) => string;
  readonly inputTooLarge: (limit: string) => string;
  readonly noTerminal: string;
  readonly outputFailed: (code: string) => string;
  readonly otherEncoding: string;
  readonly noWorkspace: (path: string) => string;
  readonly chooseModel: string;
  readonly readerEyes: string;
  readonly modelLine: (model: string, eyes: string) => string;
  readonly eyes: Readonly<Record<'yes' | 'no' | 'unknown', string>>;
  readonly noSessions: string;
  readonly noSession: (id: string) => string;
  readonly noLastSession: (workspace: string) => string;
  readonly nothingDoneIn: (workspace: string) => string;
  readonly sessionAndContinue: string;
  readonly variantNeedsOne: string;
  readonly variantOverOriginal: string;
  readonly cannotWrite: (path: string, reason: string) => string;
  /** What was done to a picture before it is sent; sizes as `64×32`. */
  readonly changes: {
    readonly none: string;
    readonly scaled: (from: string, to: string) => string;
    readonly padded: (from: string, to: string) => string;
    readonly scaledAndPadded: (from: string, to: string) => string;
    readonly saved: (kind: string) => string;
    readonly firstFrame: string;
    readonly encodedAnew: string;
    readonly withoutMetadata: string;
  };
  readonly accepted: string;
  readonly refused: string;
  readonly textFile: string;
  readonly frames: (count: number) => string;
  readonly chatWelcome: (model: string, eyes: string, workspace: string) => string;
  readonly chatWelcomeReader: (workspace: string) => string;
  /** How to get a model; `variables` are the keys that this build can use. */
  readonly chatNoModel: (variables: readonly string[], configFile: string) => string;
  readonly chatHint: string;
  readonly chatHelp: string;
  readonly chatContinued: (title: string, sessionId: string) => string;
  readonly chatAttached: (name: string, facts: string) => string;
  readonly chatAttachedAlready: (name: string) => string;
  readonly chatNothingAttached: string;
  readonly chatNoSuchAttachment: (count: number) => string;
  readonly linkOutside: (folder: string) => string;
  readonly chatDetached: (name: string) => string;
  readonly chatUnknownCommand: (command: string, near: string | undefined) => string;
  readonly chatSeveralModels: (name: string, ids: readonly string[]) => string;
  readonly chatModelIs: (model: string, eyes: string) => string;
  readonly chatNewSession: string;
  readonly chatPressAgain: string;
  readonly chatStopping: string;
  readonly chatDraftKept: string;
  readonly chatWaiting: (model: string, seconds: number) => string;
  readonly chatNoClipboard: string;
  readonly chatPastedText: (lines: number) => string;
  readonly chatBye: (sessionId: string) => string;
  readonly roles: Readonly<Record<'user' | 'assistant' | 'tool', string>>;
}

const english: CliTexts = {
  summary: 'An agent in which pictures work: it sees the screenshots and photos of your folder.',
  help: helpTexts.en,
  errorPrefix: 'Error',
  colon: ': ',
  comma: ', ',
  didYouMean: (name) => `. Did you mean ${name}?`,
  warningPrefix: 'Warning',
  interrupted: 'Interrupted.',
  turnBrokenOff: '(The program ended here, before the turn was finished.)',
  readingInput: 'Reading standard input (end it with Ctrl+D) …',
  unknownCommand: (word, near) =>
    `unknown command '${shorten(word)}'. ${near === undefined ? '' : `Did you mean ${near}? `}To ask once: fovea run "…". All commands: fovea help`,
  wholeNumber: 'Give a whole number from 1.',
  emptyName: 'It is empty.',
  beforeNeedsMove: '--before belongs to --move: --move N --before M.',
  folderName: 'Give the name of a folder.',
  binaryData: 'binary data',
  promptMissing: 'nothing to ask. Give a prompt: fovea run "What does shot.png say?"',
  submissionNeedsSession: '--submission-id belongs to a session: give -s or -c, too.',
  inputNotText: (kind) => `standard input is not UTF-8 text but ${kind}. Save it as a file and use --attach PATH.`,
  inputTooLarge: (limit) =>
    `standard input is larger than ${limit}. Save it as a file and name its path in the prompt.`,
  outputFailed: (code) =>
    `standard output cannot be written (${code === 'ENOSPC' ? 'no space left on the device' : code}).`,
  otherEncoding: 'text in another encoding',
  noTerminal:
    'fovea chat needs a terminal. Without one, ask once: fovea run "…" (fovea run --help shows how), or start it in a terminal.',
  noWorkspace: (path) => `the workspace folder does not exist: ${path}`,
  chooseModel: 'Which model shall answer?',
  readerEyes: 'built-in reader: text, codes, colours',
  modelLine: (model, eyes) => `${model} (${eyes})`,
  eyes: { yes: 'sees pictures', no: 'takes no pictures', unknown: 'may see pictures' },
  noSessions: 'No conversations yet.',
  noSession: (id) => `no session "${id}". fovea sessions list shows them.`,
  noLastSession: (workspace) => `there is no earlier session for ${workspace}. Leave out -c to begin one.`,
  nothingDoneIn: (workspace) => `there is no session for ${workspace}, so there is nothing to take back.`,
  sessionAndContinue: 'give either -s or -c, not both.',
  variantNeedsOne: '--variant takes exactly one PATH.',
  variantOverOriginal: '--variant would overwrite the original. Choose another FILE.',
  cannotWrite: (path, reason) => `cannot write ${path}: ${reason}`,
  changes: {
    none: 'sent unchanged',
    scaled: (from, to) => `scaled from ${from} to ${to}`,
    padded: (from, to) => `padded from ${from} to ${to}`,
    scaledAndPadded: (from, to) => `scaled and padded from ${from} to ${to}`,
    saved: (kind) => `saved as ${kind}`,
    firstFrame: 'first frame only',
    encodedAnew: 'encoded anew',
    withoutMetadata: 'metadata removed',
  },
  accepted: 'accepted',
  refused: 'refused',
  textFile: 'text',
  frames: (count) => (count === 1 ? '1 frame' : `${count} frames`),
  chatWelcome: (model, eyes, workspace) => `Fovea · ${model} (${eyes}) · ${workspace}`,
  chatWelcomeReader: (workspace) =>
    `Fovea · no model is configured: the built-in reader answers (text, codes, colours) · ${workspace}`,
  chatNoModel: (variables, configFile) =>
    `For a model, set its key (${variables.join(', ')}) and start again, or add a channel to ${configFile}`,
  chatHint: 'Ask about pictures in this folder, or paste a picture or its path. /help shows what else there is.',
  chatHelp: [
    '/attach PATH …   show pictures to the model with the next message (quotes and *.png work; alone: lists them)',
    '/detach [N]      take an attached picture away (all, or number N)',
    '/paste           attach the picture of the clipboard (also Ctrl+V)',
    '/model [NAME]    list the models, or choose one by name',
    '/sessions [N]    list the conversations of this workspace, or go on with one',
    '/undo            take back the file changes of the last turn',
    '/cost            tokens and money of this conversation',
    '/queue           what waits; /queue remove N, move N [M], requeue N, resume',
    '/unqueue [N]     take back what waits (Up on an empty line: the last one, to edit it)',
    '/steer TEXT      tell the running turn something, at its next step',
    '/new             begin a new conversation',
    '/help            this list',
    '/quit            leave (also Ctrl+D, or Ctrl+C twice)',
    '@path in a message shows the file (Tab completes it). Pasting or dropping a picture file attaches it.',
    'Esc or Ctrl+C stops a running answer; what you enter meanwhile is sent after it, with the pictures attached until then.',
  ].join('\n'),
  chatContinued: (title, sessionId) => `Going on with "${title}" (${sessionId}).`,
  chatAttached: (name, facts) => `Attached ${name} (${facts})`,
  chatAttachedAlready: (name) => `Attached already: ${name}`,
  chatNothingAttached: 'Nothing is attached.',
  chatNoSuchAttachment: (count) =>
    count === 0
      ? 'Nothing is attached.'
      : `Say which picture: /detach N with N from 1 to ${count}, or /detach alone for all.`,
  linkOutside: (folder) => `the folder is a link out of the workspace: ${folder}`,
  chatDetached: (name) => `No longer attached: ${name}`,
  chatUnknownCommand: (command, near) =>
    `Unknown command ${command}. ${near === undefined ? '' : `Did you mean ${near}? `}/help lists the commands.`,
  chatSeveralModels: (name, ids) => `several models are called "${name}": ${ids.join(', ')}`,
  chatModelIs: (model, eyes) => `Now answering: ${model} (${eyes}).`,
  chatNewSession: 'A new conversation begins with your next message.',
  chatPressAgain: 'Press Ctrl+C again to leave.',
  chatStopping: 'Stopping …',
  chatDraftKept: 'Nothing was sent. Your text and the attachments are still here.',
  chatWaiting: (model, seconds) => `${model} … ${seconds} s`,
  chatNoClipboard:
    'There is no picture in the clipboard, or it cannot be read (needs wl-paste, xclip, pngpaste or PowerShell).',
  chatPastedText: (lines) => `[pasted text, ${lines} lines]`,
  chatBye: (sessionId) => `To go on later: fovea chat -s ${sessionId}`,
  roles: { user: 'you', assistant: 'model', tool: 'tool' },
};

const chinese: CliTexts = {
  summary: '一个让图片真正可用的智能体:它能看到你文件夹里的截图和照片。',
  help: helpTexts['zh-CN'],
  errorPrefix: '错误',
  colon: ':',
  comma: ',',
  didYouMean: (name) => `。是否指 ${name}?`,
  warningPrefix: '警告',
  interrupted: '已中断。',
  turnBrokenOff: '(程序在此中止,本轮没有完成。)',
  readingInput: '正在读取标准输入(按 Ctrl+D 结束)…',
  unknownCommand: (word, near) =>
    `未知命令“${shorten(word)}”。${near === undefined ? '' : `是否想用 ${near}?`}只问一次:fovea run "…"。全部命令:fovea help`,
  wholeNumber: '请给出不小于 1 的整数。',
  emptyName: '不能为空。',
  beforeNeedsMove: '--before 与 --move 一起使用:--move N --before M。',
  folderName: '请给出文件夹名。',
  binaryData: '二进制数据',
  promptMissing: '没有要问的内容。请给出提示:fovea run "shot.png 里写了什么?"',
  submissionNeedsSession: '--submission-id 属于一个会话:请同时给出 -s 或 -c。',
  inputNotText: (kind) => `标准输入不是 UTF-8 文本,而是 ${kind}。请保存为文件并使用 --attach PATH。`,
  inputTooLarge: (limit) => `标准输入超过 ${limit}。请保存为文件,并在提示中写出路径。`,
  outputFailed: (code) => `无法写入标准输出(${code === 'ENOSPC' ? '设备没有剩余空间' : code})。`,
  otherEncoding: '其他编码的文本',
  noTerminal: 'fovea chat 需要终端。没有终端时可以只问一次:fovea run "…"(见 fovea run --help),或在终端中启动。',
  noWorkspace: (path) => `工作区文件夹不存在:${path}`,
  chooseModel: '由哪个模型回答?',
  readerEyes: '内置阅读器:文字、条码、颜色',
  modelLine: (model, eyes) => `${model}(${eyes})`,
  eyes: { yes: '能看图片', no: '不支持图片', unknown: '可能支持图片' },
  noSessions: '还没有会话。',
  noSession: (id) => `没有会话“${id}”。fovea sessions list 列出全部会话。`,
  noLastSession: (workspace) => `${workspace} 没有之前的会话。去掉 -c 即可新建。`,
  nothingDoneIn: (workspace) => `${workspace} 没有会话,没有可以撤销的修改。`,
  sessionAndContinue: '-s 和 -c 只能给出一个。',
  variantNeedsOne: '--variant 只能有一个 PATH。',
  variantOverOriginal: '--variant 会覆盖原图。请选择另一个 FILE。',
  cannotWrite: (path, reason) => `无法写入 ${path}:${reason}`,
  changes: {
    none: '原样发送',
    scaled: (from, to) => `从 ${from} 缩放到 ${to}`,
    padded: (from, to) => `从 ${from} 补边到 ${to}`,
    scaledAndPadded: (from, to) => `从 ${from} 缩放并补边到 ${to}`,
    saved: (kind) => `另存为 ${kind}`,
    firstFrame: '仅第一帧',
    encodedAnew: '重新编码',
    withoutMetadata: '已移除元数据',
  },
  accepted: '接受',
  refused: '拒绝',
  textFile: '文本',
  frames: (count) => `${count} 帧`,
  chatWelcome: (model, eyes, workspace) => `Fovea · ${model}(${eyes}) · ${workspace}`,
  chatWelcomeReader: (workspace) => `Fovea · 未配置模型:由内置阅读器回答(文字、条码、颜色) · ${workspace}`,
  chatNoModel: (variables, configFile) =>
    `如需模型,请设置密钥(${variables.join('、')})后重新启动,或在 ${configFile} 中添加渠道`,
  chatHint: '可以询问此文件夹中的图片,或粘贴图片及其路径。/help 显示更多。',
  chatHelp: [
    '/attach PATH …   在下一条消息中给模型看图片(可用引号和 *.png;单独使用则列出)',
    '/detach [N]      移除附加的图片(全部,或第 N 张)',
    '/paste           附加剪贴板中的图片(也可按 Ctrl+V)',
    '/model [NAME]    列出模型,或选择一个',
    '/sessions [N]    列出此工作区的会话,或继续其中一个',
    '/undo            撤销上一轮对文件的修改',
    '/cost            本会话的 tokens 和费用',
    '/queue           查看排队的消息;/queue remove N、move N [M]、requeue N、resume',
    '/unqueue [N]     取回排队的消息(在空行按上箭头:取回最后一条并编辑)',
    '/steer 文字      在下一步告诉正在运行的一轮',
    '/new             开始新会话',
    '/help            显示此列表',
    '/quit            退出(也可按 Ctrl+D,或按两次 Ctrl+C)',
    '消息中的 @路径 会给模型看该文件(Tab 补全)。粘贴或拖入图片文件即可附加。',
    'Esc 或 Ctrl+C 停止正在进行的回答;其间输入的内容连同此前附加的图片会在其后发送。',
  ].join('\n'),
  chatContinued: (title, sessionId) => `继续“${title}”(${sessionId})。`,
  chatAttached: (name, facts) => `已附加 ${name}(${facts})`,
  chatAttachedAlready: (name) => `已经附加过:${name}`,
  chatNothingAttached: '没有附加任何图片。',
  chatNoSuchAttachment: (count) =>
    count === 0 ? '没有附加任何图片。' : `请说明哪一张:/detach N(N 为 1 到 ${count}),或只用 /detach 移除全部。`,
  linkOutside: (folder) => `该文件夹是指向工作区之外的链接:${folder}`,
  chatDetached: (name) => `已移除:${name}`,
  chatUnknownCommand: (command, near) =>
    `未知命令 ${command}。${near === undefined ? '' : `是否想用 ${near}?`}/help 列出全部命令。`,
  chatSeveralModels: (name, ids) => `有多个模型名为“${name}”:${ids.join('、')}`,
  chatModelIs: (model, eyes) => `现在由 ${model} 回答(${eyes})。`,
  chatNewSession: '下一条消息将开始新会话。',
  chatPressAgain: '再按一次 Ctrl+C 退出。',
  chatStopping: '正在停止…',
  chatDraftKept: '没有发送。文字和附件都还在。',
  chatWaiting: (model, seconds) => `${model} … ${seconds} 秒`,
  chatNoClipboard: '剪贴板中没有图片,或无法读取(需要 wl-paste、xclip、pngpaste 或 PowerShell)。',
  chatPastedText: (lines) => `[粘贴的文本,${lines} 行]`,
  chatBye: (sessionId) => `以后继续:fovea chat -s ${sessionId}`,
  roles: { user: '你', assistant: '模型', tool: '工具' },
};

/** What a user typed, short enough for one line. */
function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

const all: Localized<CliTexts> = { en: english, 'zh-CN': chinese };

export type { CliTexts };

export function cliTexts(locale: Locale): CliTexts {
  return all[locale];
}
