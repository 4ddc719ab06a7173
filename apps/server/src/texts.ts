import type { Locale, Localized } from '@fovea/core/base';

/** Sentences of the composition for its user, each one line. */
export interface ServerTexts {
  readonly unknownChannel: (channel: string, closest: string | undefined, known: readonly string[]) => string;
  readonly unknownModel: (problem: {
    readonly channel: string;
    readonly model: string;
    readonly closest: string | undefined;
    readonly known: readonly string[];
  }) => string;
  readonly notAReference: (text: string, closest: string | undefined, known: readonly string[]) => string;
  readonly unknownWireApi: (channel: string, wireApi: string, known: readonly string[]) => string;
  readonly keyNotSet: (channel: string, variable: string) => string;
  readonly keyNotNamed: (channel: string, suggestion: string) => string;
  readonly noModelChosen: (choices: readonly string[]) => string;
  readonly noModelNamed: (channels: readonly string[]) => string;
  readonly workspaceMissing: (path: string) => string;
  readonly workspaceNoFolder: (path: string) => string;
  readonly sessionMissing: (id: string) => string;
  readonly sessionBusy: (id: string) => string;
}

/** So many names are listed; the rest is counted. */
const LONGEST_LIST = 30;

function joinNames(names: readonly string[], rest: (count: number) => string, separator: string): string {
  const shown = names.slice(0, LONGEST_LIST);
  const hidden = names.length - shown.length;
  return [...shown, ...(hidden === 0 ? [] : [rest(hidden)])].join(separator);
}

const listEnglish = (names: readonly string[]) => joinNames(names, (count) => `and ${count} more`, ', ');
const listChinese = (names: readonly string[]) => joinNames(names, (count) => `等另外 ${count} 个`, '、');

const english: ServerTexts = {
  unknownChannel: (channel, closest, known) =>
    `no channel is called "${channel}"; ${closest === undefined ? '' : `did you mean "${closest}"? `}there are: ${listEnglish(known)}`,
  unknownModel: ({ channel, model, closest, known }) =>
    `the channel "${channel}" has no model "${model}"; ${closest === undefined ? '' : `did you mean "${closest}"? `}it has: ${listEnglish(known)}`,
  notAReference: (text, closest, known) =>
    `"${text}" is not CHANNEL/MODEL; ${closest === undefined ? '' : `did you mean "${closest}"? `}there are: ${listEnglish(known)}`,
  unknownWireApi: (channel, wireApi, known) =>
    `the channel "${channel}" speaks ${wireApi}, which this build does not; it speaks: ${listEnglish(known)}`,
  keyNotSet: (channel, variable) =>
    `the key of the channel "${channel}" is missing: the environment variable ${variable} is not set`,
  keyNotNamed: (channel, suggestion) =>
    `the key of the channel "${channel}" is missing: add "apiKey": "env:${suggestion}" to it in the configuration`,
  noModelChosen: (choices) =>
    `no model is chosen; name one with -m CHANNEL/MODEL or as "model" in the configuration. There are: ${listEnglish(choices)}`,
  noModelNamed: (channels) =>
    `no model is named; add "models" to a channel in the configuration, or use -m ${channels[0] ?? 'CHANNEL'}/MODEL. Channels: ${listEnglish(channels)}`,
  workspaceMissing: (path) => `the workspace folder does not exist: ${path}`,
  workspaceNoFolder: (path) => `the workspace is not a folder: ${path}`,
  sessionMissing: (id) => `no session has the id ${id}`,
  sessionBusy: (id) => `a turn of the session ${id} is still running; wait for its end`,
};

const chinese: ServerTexts = {
  unknownChannel: (channel, closest, known) =>
    `没有名为“${channel}”的渠道；${closest === undefined ? '' : `是否想写“${closest}”？`}可用：${listChinese(known)}`,
  unknownModel: ({ channel, model, closest, known }) =>
    `渠道“${channel}”没有模型“${model}”；${closest === undefined ? '' : `是否想写“${closest}”？`}可用：${listChinese(known)}`,
  notAReference: (text, closest, known) =>
    `“${text}”不是“渠道/模型”的形式；${closest === undefined ? '' : `是否想写“${closest}”？`}可用：${listChinese(known)}`,
  unknownWireApi: (channel, wireApi, known) =>
    `渠道“${channel}”使用 ${wireApi}，此版本不支持；支持：${listChinese(known)}`,
  keyNotSet: (channel, variable) => `缺少渠道“${channel}”的密钥：没有设置环境变量 ${variable}`,
  keyNotNamed: (channel, suggestion) => `缺少渠道“${channel}”的密钥：请在配置中为它添加 "apiKey": "env:${suggestion}"`,
  noModelChosen: (choices) =>
    `没有选择模型；请用 -m 渠道/模型 或配置中的“model”指定一个。可用：${listChinese(choices)}`,
  noModelNamed: (channels) =>
    `没有指定模型；请在配置中为渠道添加“models”，或使用 -m ${channels[0] ?? '渠道'}/模型。渠道：${listChinese(channels)}`,
  workspaceMissing: (path) => `工作区文件夹不存在：${path}`,
  workspaceNoFolder: (path) => `工作区不是文件夹：${path}`,
  sessionMissing: (id) => `没有编号为 ${id} 的会话`,
  sessionBusy: (id) => `会话 ${id} 仍有一轮在运行，请等它结束`,
};

const texts: Localized<ServerTexts> = { en: english, 'zh-CN': chinese };

export function serverTexts(locale: Locale): ServerTexts {
  return texts[locale];
}
