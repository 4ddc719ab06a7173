import type { Locale, Localized } from '@fovea/core/base';

/** A model as the user names it, for lists of what there is. */
export interface NamedModel {
  /** `channel/model`. */
  readonly id: string;
  readonly channel: string;
}

/** A variable that holds a key which this build can do nothing with. */
export interface UnusableKey {
  readonly variable: string;
  /** What its supplier speaks instead. */
  readonly wireApis: readonly string[];
}

/**
 * Sentences of the composition for its user, each one line. They are whole: an error that carries
 * one has `data.localized: true` (`localizedError`), and nothing is put in front of it.
 * Chinese has half-width `:` `,` `;` `?` and parentheses, as the texts of refusals have.
 */
export interface ServerTexts {
  readonly unknownChannel: (channel: string, closest: string | undefined, known: readonly string[]) => string;
  readonly unknownModel: (problem: {
    readonly channel: string;
    readonly model: string;
    readonly closest: string | undefined;
    readonly known: readonly string[];
  }) => string;
  readonly notAReference: (text: string, closest: string | undefined, known: readonly NamedModel[]) => string;
  readonly unknownWireApi: (channel: string, wireApi: string, known: readonly string[]) => string;
  /** A supplier of the catalogue that is no channel, because its well-known variable is not set. */
  readonly supplierWithoutKey: (supplier: string, variable: string) => string;
  /** Its address is that of the customer's own resource or region. */
  readonly supplierWithoutAddress: (supplier: string, name: string) => string;
  readonly supplierNotSpoken: (supplier: string, wireApis: readonly string[], known: readonly string[]) => string;
  /** A kind of server that is looked for on this machine. `name` is what people call it. */
  readonly serverNotFound: (supplier: string, name: string) => string;
  /** The same where the configuration names channels, so that nothing is looked for. */
  readonly serverNotConfigured: (supplier: string) => string;
  readonly keyNotSet: (channel: string, variable: string) => string;
  readonly keyNotSendable: (channel: string, variable: string) => string;
  readonly keyNotNamed: (channel: string, suggestion: string) => string;
  readonly keyNotUsable: (key: UnusableKey) => string;
  readonly noModelChosen: (problem: {
    readonly choices: readonly NamedModel[];
    readonly unusableKeys: readonly UnusableKey[];
  }) => string;
  readonly noModelNamed: (channels: readonly string[]) => string;
  readonly workspaceEmpty: string;
  readonly workspaceMissing: (path: string) => string;
  readonly workspaceNoFolder: (path: string) => string;
  readonly sessionMissing: (id: string) => string;
  readonly sessionAmbiguous: (beginning: string, candidates: readonly string[]) => string;
  readonly sessionBusy: (id: string) => string;
  readonly sessionBusyElsewhere: (turn: { readonly id: string; readonly process: string }) => string;
  readonly leaseLost: (id: string) => string;
  /** Added to what a failed connection says of itself. */
  readonly throughProxy: (way: { readonly message: string; readonly proxy: string; readonly host: string }) => string;
  readonly badProxy: (variable: string) => string;
  readonly unknownLimitRow: (id: string, known: readonly string[]) => string;
}

/** So many names are listed; the rest is counted. */
const LONGEST_LIST = 8;
/** So many models of each channel are listed where all channels are. */
const EXAMPLES_PER_CHANNEL = 3;

interface ListWords {
  readonly separator: string;
  readonly groupSeparator: string;
  readonly rest: (count: number) => string;
}

const englishList: ListWords = { separator: ', ', groupSeparator: '; ', rest: (count) => `… ${count} more` };
const chineseList: ListWords = { separator: '、', groupSeparator: ';', rest: (count) => `… 另有 ${count} 个` };

function joinNames(names: readonly string[], words: ListWords, longest = LONGEST_LIST): string {
  const hidden = names.length - longest;
  const shown = hidden > 0 ? [...names.slice(0, longest), words.rest(hidden)] : names;
  return shown.join(words.separator);
}

/** Some models of each channel, channel by channel. */
function joinModels(models: readonly NamedModel[], words: ListWords): string {
  const channels = [...new Set(models.map((model) => model.channel))];
  const lists = channels.map((channel) => {
    const ids = models.filter((model) => model.channel === channel).map((model) => model.id);
    return joinNames(ids, words, EXAMPLES_PER_CHANNEL);
  });
  const hidden = lists.length - LONGEST_LIST;
  const shown = hidden > 0 ? [...lists.slice(0, LONGEST_LIST), words.rest(hidden)] : lists;
  return shown.join(words.groupSeparator);
}

const listEnglish = (names: readonly string[]) => joinNames(names, englishList);
const listChinese = (names: readonly string[]) => joinNames(names, chineseList);

const meantEnglish = (closest: string | undefined) => (closest === undefined ? '' : `did you mean "${closest}"? `);
const meantChinese = (closest: string | undefined) => (closest === undefined ? '' : `是否想写“${closest}”?`);

const english: ServerTexts = {
  unknownChannel: (channel, closest, known) =>
    `no channel is called "${channel}"; ${meantEnglish(closest)}there are: ${listEnglish(known)}`,
  unknownModel: ({ channel, model, closest, known }) =>
    `the channel "${channel}" has no model "${model}"; ${meantEnglish(closest)}it has: ${listEnglish(known)}`,
  notAReference: (text, closest, known) =>
    `"${text}" is not CHANNEL/MODEL; ${meantEnglish(closest)}there are: ${joinModels(known, englishList)}`,
  unknownWireApi: (channel, wireApi, known) =>
    `the channel "${channel}" speaks ${wireApi}, which this build does not; it speaks: ${listEnglish(known)}`,
  supplierWithoutKey: (supplier, variable) =>
    `no channel is called "${supplier}"; set ${variable}, or add a channel to config.jsonc`,
  supplierWithoutAddress: (supplier, name) =>
    `no channel is called "${supplier}"; add one to config.jsonc with the "baseUrl" of your own ${name}`,
  supplierNotSpoken: (supplier, wireApis, known) =>
    `the supplier "${supplier}" speaks ${wireApis.join(' and ')}, which this build does not; it speaks: ${listEnglish(known)}`,
  serverNotFound: (supplier, name) =>
    `no channel is called "${supplier}", because no server of ${name} with a model answers on this machine; start it, or add a channel to config.jsonc`,
  serverNotConfigured: (supplier) =>
    `no channel is called "${supplier}"; add it to config.jsonc, because no server is looked for where that file names channels`,
  keyNotSet: (channel, variable) =>
    `the key of the channel "${channel}" is missing: the environment variable ${variable} is not set`,
  keyNotSendable: (channel, variable) =>
    `the key of the channel "${channel}" cannot be sent: the environment variable ${variable} holds characters that HTTP cannot carry, such as a line break`,
  keyNotNamed: (channel, suggestion) =>
    `the key of the channel "${channel}" is missing: add "apiKey": "env:${suggestion}" to it in the configuration`,
  keyNotUsable: ({ variable, wireApis }) =>
    `${variable} is set, but this build does not speak ${wireApis.join(' or ')}`,
  noModelChosen: ({ choices, unusableKeys }) =>
    [
      'no model is chosen; name one with -m, or as "model" in the configuration',
      `There are: ${joinModels(choices, englishList)}`,
      ...unusableKeys.map(english.keyNotUsable),
      `Example: -m ${choices[0]?.id ?? 'CHANNEL/MODEL'}`,
    ].join('. '),
  noModelNamed: (channels) =>
    `no model is named; add "models" to a channel in the configuration. Channels: ${listEnglish(channels)}. Example: -m ${channels[0] ?? 'CHANNEL'}/MODEL`,
  workspaceEmpty: 'the path of the workspace folder is empty; "." is the current folder',
  workspaceMissing: (path) => `the workspace folder does not exist: ${path}`,
  workspaceNoFolder: (path) => `the workspace is not a folder: ${path}`,
  sessionMissing: (id) => `no session has the id ${id}`,
  sessionAmbiguous: (beginning, candidates) =>
    `several sessions begin with "${beginning}"; give more of the id. There are: ${listEnglish(candidates)}`,
  sessionBusy: (id) => `a turn of the session ${id} is still running; wait for its end`,
  sessionBusyElsewhere: ({ id, process }) =>
    `the process ${process} is running a turn of the session ${id}; wait for its end, or stop that process`,
  leaseLost: (id) => `another process has taken over the session ${id}; the turn was broken off here`,
  throughProxy: ({ message, proxy, host }) =>
    `${message}; the request went through the proxy ${proxy}, and NO_PROXY=${host} would send it directly`,
  badProxy: (variable) => `the environment variable ${variable} is not the http:// or https:// address of a proxy`,
  unknownLimitRow: (id, known) => `no limit row "${id}". There are: ${known.join(', ')}`,
};

const chinese: ServerTexts = {
  unknownChannel: (channel, closest, known) =>
    `没有名为“${channel}”的渠道。${meantChinese(closest)}可用:${listChinese(known)}`,
  unknownModel: ({ channel, model, closest, known }) =>
    `渠道“${channel}”没有模型“${model}”。${meantChinese(closest)}可用:${listChinese(known)}`,
  notAReference: (text, closest, known) =>
    `“${text}”不是“渠道/模型”的形式。${meantChinese(closest)}可用:${joinModels(known, chineseList)}`,
  unknownWireApi: (channel, wireApi, known) =>
    `渠道“${channel}”使用 ${wireApi},此版本不支持;支持的有:${listChinese(known)}`,
  supplierWithoutKey: (supplier, variable) =>
    `没有名为“${supplier}”的渠道。请设置环境变量 ${variable},或在 config.jsonc 中添加渠道`,
  supplierWithoutAddress: (supplier, name) =>
    `没有名为“${supplier}”的渠道。请在 config.jsonc 中添加渠道,并用 "baseUrl" 写明你自己的 ${name} 地址`,
  supplierNotSpoken: (supplier, wireApis, known) =>
    `供应商“${supplier}”使用 ${wireApis.join(' 和 ')},此版本不支持;支持的有:${listChinese(known)}`,
  serverNotFound: (supplier, name) =>
    `没有名为“${supplier}”的渠道:本机没有找到带模型的 ${name} 服务器。请启动它,或在 config.jsonc 中添加渠道`,
  serverNotConfigured: (supplier) =>
    `没有名为“${supplier}”的渠道。请在 config.jsonc 中添加它:该文件写有渠道时,不会查找本机的服务器`,
  keyNotSet: (channel, variable) => `缺少渠道“${channel}”的密钥:没有设置环境变量 ${variable}`,
  keyNotSendable: (channel, variable) =>
    `无法发送渠道“${channel}”的密钥:环境变量 ${variable} 含有 HTTP 无法传送的字符,例如换行`,
  keyNotNamed: (channel, suggestion) => `缺少渠道“${channel}”的密钥:请在配置中为它添加 "apiKey": "env:${suggestion}"`,
  keyNotUsable: ({ variable, wireApis }) => `已设置 ${variable},但此版本不支持 ${wireApis.join(' 或 ')}`,
  noModelChosen: ({ choices, unusableKeys }) =>
    [
      '没有选择模型,请用 -m 或配置中的“model”指定一个',
      `可用:${joinModels(choices, chineseList)}`,
      ...unusableKeys.map(chinese.keyNotUsable),
      `例如:-m ${choices[0]?.id ?? '渠道/模型'}`,
    ].join('。'),
  noModelNamed: (channels) =>
    `没有指定模型,请在配置中为渠道添加“models”。渠道:${listChinese(channels)}。例如:-m ${channels[0] ?? '渠道'}/模型`,
  workspaceEmpty: '工作区文件夹的路径为空;当前文件夹写作“.”',
  workspaceMissing: (path) => `工作区文件夹不存在:${path}`,
  workspaceNoFolder: (path) => `工作区不是文件夹:${path}`,
  sessionMissing: (id) => `没有编号为 ${id} 的会话`,
  sessionAmbiguous: (beginning, candidates) =>
    `有多个会话的编号以“${beginning}”开头,请多写几位。可能是:${listChinese(candidates)}`,
  sessionBusy: (id) => `会话 ${id} 仍有一轮在运行,请等它结束`,
  sessionBusyElsewhere: ({ id, process }) => `进程 ${process} 正在运行会话 ${id} 的一轮,请等它结束,或结束该进程`,
  leaseLost: (id) => `另一个进程已接管会话 ${id},这一轮在此处中断`,
  throughProxy: ({ message, proxy, host }) =>
    `无法连接端点(${message})。请求经过代理 ${proxy};设置 NO_PROXY=${host} 可以直接连接`,
  badProxy: (variable) => `环境变量 ${variable} 不是以 http:// 或 https:// 开头的代理地址`,
  unknownLimitRow: (id, known) => `没有名为“${id}”的限制行。可用:${known.join('、')}`,
};

const texts: Localized<ServerTexts> = { en: english, 'zh-CN': chinese };

export function serverTexts(locale: Locale): ServerTexts {
  return texts[locale];
}
