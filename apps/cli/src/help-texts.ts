import type { Localized } from '@fovea/core/base';

/** What `--help` says. */
export interface HelpTexts {
  readonly usage: string;
  readonly arguments: string;
  readonly options: string;
  readonly commands: string;
  readonly withFacts: (description: string, facts: string) => string;
  readonly choices: (values: string) => string;
  readonly defaultValue: (value: string) => string;
  readonly optionsPlaceholder: string;
  readonly commandPlaceholder: string;
  readonly showHelp: string;
  readonly showVersion: string;
  readonly config: string;
  readonly run: string;
  readonly runPrompt: string;
  readonly model: string;
  readonly workspace: string;
  readonly session: string;
  readonly continueLast: string;
  readonly attach: string;
  readonly json: string;
  readonly yes: string;
  readonly undo: string;
  readonly undoSession: string;
  readonly chat: string;
  readonly inspect: string;
  readonly inspectPaths: string;
  readonly as: string;
  readonly variant: string;
  readonly endpoint: string;
  readonly sessions: string;
  readonly sessionsList: string;
  readonly sessionsShow: string;
  readonly sessionsFork: string;
  readonly sessionsDelete: string;
  readonly deleteYes: string;
  readonly sessionsQueue: string;
  readonly queueRemove: string;
  readonly queueMove: string;
  readonly queueBefore: string;
  readonly queueRequeue: string;
  readonly queueResume: string;
  readonly check: string;
  readonly collectGarbage: string;
  readonly submissionId: string;
  readonly sessionId: string;
  readonly limit: string;
  readonly help: string;
  readonly helpCommand: string;
  readonly examples: string;
}

const english: HelpTexts = {
  usage: 'Usage:',
  arguments: 'Arguments:',
  options: 'Options:',
  commands: 'Commands:',
  withFacts: (description, facts) => `${description} (${facts})`,
  choices: (values) => `one of: ${values}`,
  defaultValue: (value) => `default: ${value}`,
  optionsPlaceholder: '[options]',
  commandPlaceholder: '[command]',
  showHelp: 'show this help',
  showVersion: 'print the version',
  config: 'configuration file (default: config.jsonc in FOVEA_HOME)',
  run: 'run one turn and print the answer',
  runPrompt: 'what to ask; standard input is added to it',
  model: 'model that answers, as CHANNEL/MODEL',
  workspace: 'workspace folder (default: the current one)',
  session: 'go on with this session',
  continueLast: 'go on with the last session of the workspace',
  attach: 'show this picture to the model (repeatable)',
  yes: 'allow what would be asked; --yes=all also commands after a picture that a tool or a URL gave',
  undo: "take back the last turn's file changes",
  undoSession: 'of this session (default: the last one of the workspace)',
  json: 'print machine-readable JSON',
  chat: 'talk to the agent in this terminal',
  inspect: 'say what Fovea thinks of pictures, without sending them',
  inspectPaths: 'files to look at',
  as: 'judge the files as the tool view_image would, as the tool read_file would (which takes text too), or as attachments of a message',
  variant: 'write the picture as it would be sent to FILE (one PATH only)',
  endpoint: 'with --variant: make the picture as this endpoint takes it; "unknown" fits nearly every one',
  sessions: 'list, show, copy and delete conversations, and what waits in them',
  sessionsList: 'list conversations, newest first',
  sessionsShow: 'show the messages of a conversation',
  sessionsFork: 'begin a new conversation with the messages of this one, and print its id',
  sessionsDelete: 'delete a conversation for good; fovea gc frees the space of its pictures',
  deleteYes: 'delete without asking',
  sessionsQueue: 'list the messages that wait in a conversation, by number',
  queueRemove: 'take this message out',
  queueMove: 'put this message last, or before another one',
  queueBefore: 'with --move: the message before which it is put',
  queueRequeue: 'let a message run again that could not begin or was broken off',
  queueResume: 'let held messages run, and print their answers',
  check: 'verify everything that is stored; exit code 1 when something is wrong',
  collectGarbage: 'delete stored pictures and files that nothing refers to any more',
  submissionId: 'your id of this turn: the same id in the same session gives the same turn (with -s or -c)',
  sessionId: 'id of the session, or its beginning',
  limit: 'how many at most',
  help: 'show the help of a command',
  helpCommand: 'the command, such as run or sessions list',
  examples: [
    'Examples:',
    '  fovea                                         talk to the agent in this folder',
    '  fovea run "What does shot.png say?"           ask once',
    '  fovea run --attach a.png --attach b.png "Compare the two"',
    '  fovea inspect *.png                           which pictures would be taken, and why not',
  ].join('\n'),
};

const chinese: HelpTexts = {
  usage: '用法:',
  arguments: '参数:',
  options: '选项:',
  commands: '命令:',
  withFacts: (description, facts) => `${description}(${facts})`,
  choices: (values) => `可选:${values}`,
  defaultValue: (value) => `默认:${value}`,
  optionsPlaceholder: '[选项]',
  commandPlaceholder: '[命令]',
  showHelp: '显示此帮助',
  showVersion: '显示版本',
  config: '配置文件(默认:FOVEA_HOME 中的 config.jsonc)',
  run: '运行一轮并输出回答',
  runPrompt: '要问的内容;标准输入会附加在后面',
  model: '回答的模型,格式为 渠道/模型',
  workspace: '工作区文件夹(默认:当前文件夹)',
  session: '继续这个会话',
  continueLast: '继续该工作区的上一个会话',
  attach: '把这张图片给模型看(可重复)',
  yes: '允许本来需要询问的操作;--yes=all 还允许在看过来自工具或 URL 的图片之后运行命令',
  undo: '撤销上一轮对文件的修改',
  undoSession: '指定会话(默认:该工作区的上一个会话)',
  json: '输出机器可读的 JSON',
  chat: '在终端中与智能体对话',
  inspect: '检查图片是否会被接受,不发送',
  inspectPaths: '要检查的文件',
  as: '按哪种用途检查:工具 view_image、工具 read_file(也接受文本),或消息的附件',
  variant: '把将要发送的图片写入 FILE(只能有一个 PATH)',
  endpoint: '与 --variant 一起使用:按该端点的要求生成图片;"unknown" 几乎适用于所有端点',
  sessions: '列出、查看、复制和删除会话,以及其中等待的消息',
  sessionsList: '列出会话,最新的在前',
  sessionsShow: '显示一个会话的消息',
  sessionsFork: '用此会话的消息新建一个会话,并输出其 id',
  sessionsDelete: '永久删除一个会话;fovea gc 会释放其图片占用的空间',
  deleteYes: '不询问直接删除',
  sessionsQueue: '按编号列出会话中等待的消息',
  queueRemove: '取出这条消息',
  queueMove: '把这条消息移到最后,或移到另一条之前',
  queueBefore: '与 --move 一起使用:移到这条消息之前',
  queueRequeue: '让无法开始或中断的消息重新运行',
  queueResume: '让暂停的消息运行,并输出回答',
  check: '检查存储的全部内容;有问题时退出码为 1',
  collectGarbage: '删除不再被引用的图片和文件',
  submissionId: '本轮的 id,由调用者选择:同一会话中相同的 id 得到同一轮(需要 -s 或 -c)',
  sessionId: '会话 id 或其开头',
  limit: '最多显示多少个',
  help: '显示一个命令的帮助',
  helpCommand: '命令,例如 run 或 sessions list',
  examples: [
    '示例:',
    '  fovea                                         在此文件夹中与智能体对话',
    '  fovea run "shot.png 里写了什么?"              只问一次',
    '  fovea run --attach a.png --attach b.png "比较这两张图"',
    '  fovea inspect *.png                           哪些图片会被接受,以及原因',
  ].join('\n'),
};

export const helpTexts: Localized<HelpTexts> = { en: english, 'zh-CN': chinese };
