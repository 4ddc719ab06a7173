import type { Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';
import { kindName } from '../content/refusal-texts.ts';

import type { ToolWords } from './texts.ts';

/** What `run_command` shows a model. */
export interface CommandTexts {
  readonly runCommand: ToolWords;
  readonly noOutput: string;
  outputCut(leftOutBytes: number): string;
  /** `mediaType` is absent for bytes of no known kind. */
  binaryOutput(mediaType: string | undefined, sizeBytes: number): string;
  timedOut(seconds: number, mostSeconds: number): string;
  tooMuchOutput(limitBytes: number): string;
  readonly backgroundEnded: string;
  badFolder(path: string): string;
  readonly nulInCommand: string;
  readonly notGranted: string;
  notStarted(detail: string): string;
}

export const commandTexts: Localized<CommandTexts> = {
  en: {
    runCommand: {
      description:
        'Runs a shell command in the workspace (bash where there is one, else sh; cmd on Windows) and gives its output, standard output and errors in one, with the exit code. Long output is cut in the middle. There is no standard input: use options that do not ask. Processes that it leaves in the background end with it. To read, find, search or edit files use the other tools.\nParameters: command (required), cwd (optional), timeout_seconds (optional).',
      parameters: {
        command: 'The command line.',
        cwd: 'Folder below the workspace to run it in, the workspace unless given.',
        timeout_seconds: 'Seconds until it is ended, 120 unless given, at most 600.',
      },
    },
    noOutput: '(no output)',
    outputCut: (leftOutBytes) => `[cut: about ${formatBytes(leftOutBytes)} of the output are left out here]`,
    binaryOutput: (mediaType, sizeBytes) => {
      const isPicture = mediaType?.startsWith('image/') === true;
      const kind = mediaType === undefined ? 'binary data of an unknown kind' : kindName(mediaType);
      const next = isPicture ? 'Write it to a file and look at it with view_image' : 'Write it to a file';
      return `[the output is ${kind} (${formatBytes(sizeBytes)}) and is not shown. ${next}.]`;
    },
    timedOut: (seconds, mostSeconds) =>
      `The command took longer than ${seconds} s and was ended with all its processes. Run a smaller part of it, or give it more time with timeout_seconds (at most ${mostSeconds}).`,
    tooMuchOutput: (limitBytes) =>
      `The command wrote more than ${formatBytes(limitBytes)} and was ended with all its processes. Send its output to a file, or through head or grep.`,
    backgroundEnded: 'Processes that it had left running in the background were ended.',
    badFolder: (path) =>
      `Error: cwd is no folder below the workspace: ${singleLine(path)}. Leave it out to run in the workspace.`,
    nulInCommand: 'Error: the command holds a NUL character, which no command line can. Leave it out.',
    notGranted: 'Error: this command is not the one that was allowed. Call the tool again.',
    notStarted: (detail) => `Error: the command could not be started (${detail}).`,
  },
  'zh-CN': {
    runCommand: {
      description:
        '在工作区中运行 shell 命令(有 bash 则用 bash,否则用 sh;Windows 上用 cmd),返回合并的标准输出和错误输出以及退出码。过长的输出会截去中间部分。没有标准输入:请使用无需交互的选项。留在后台的进程会随命令一起结束。读取、查找、搜索或编辑文件请使用其他工具。\n参数:command(必填)、cwd(可选)、timeout_seconds(可选)。',
      parameters: {
        command: '命令行。',
        cwd: '工作区内运行命令的文件夹,默认为工作区。',
        timeout_seconds: '超时秒数,默认 120,最多 600。',
      },
    },
    noOutput: '(没有输出)',
    outputCut: (leftOutBytes) => `[已截断:此处略去约 ${formatBytes(leftOutBytes)} 的输出]`,
    binaryOutput: (mediaType, sizeBytes) => {
      const isPicture = mediaType?.startsWith('image/') === true;
      const kind = mediaType === undefined ? '未知的二进制数据' : kindName(mediaType, 'zh-CN');
      const next = isPicture ? '请写入文件后用 view_image 查看' : '请写入文件';
      return `[输出为${/^[ -~]/.test(kind) ? ` ${kind}` : kind}(${formatBytes(sizeBytes)}),不予显示。${next}。]`;
    },
    timedOut: (seconds, mostSeconds) =>
      `命令运行超过 ${seconds} 秒,已连同其所有进程一起终止。请运行其中较小的部分,或用 timeout_seconds(最多 ${mostSeconds})延长时间。`,
    tooMuchOutput: (limitBytes) =>
      `命令的输出超过 ${formatBytes(limitBytes)},已连同其所有进程一起终止。请将输出写入文件,或用 head、grep 过滤。`,
    backgroundEnded: '它留在后台运行的进程已被终止。',
    badFolder: (path) => `错误:cwd 不是工作区内的文件夹:${singleLine(path)}。省略它即在工作区中运行。`,
    nulInCommand: '错误:命令包含 NUL 字符,命令行中不能使用。请去掉。',
    notGranted: '错误:该命令与获准的命令不同。请重新调用。',
    notStarted: (detail) => `错误:无法启动命令(${detail})。`,
  },
};
