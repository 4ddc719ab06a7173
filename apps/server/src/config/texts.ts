import type { Locale, Localized } from '@fovea/core/base';

/** What a value of the configuration may be, in words. */
export interface ExpectationTexts {
  readonly text: string;
  readonly nonEmptyText: string;
  readonly modelReference: string;
  readonly webAddress: string;
  readonly variableName: string;
  readonly singleLine: string;
  readonly wholeNumber: (minimum: number | undefined, maximum?: number) => string;
  readonly number: (minimum: number | undefined) => string;
  readonly trueOrFalse: string;
  readonly list: string;
  readonly nonEmptyList: string;
  readonly object: string;
  readonly or: (choices: readonly string[]) => string;
}

/** Names of what stands there instead. */
export type FoundKind = 'object' | 'array' | 'string' | 'number' | 'null';

export interface ConfigTexts {
  readonly expectations: ExpectationTexts;
  readonly found: Readonly<Record<FoundKind, string>>;
  readonly badValue: (expected: string, found: string | undefined) => string;
  readonly unknownKey: (closest: string | undefined, known: readonly string[]) => string;
  readonly badName: (expected: string) => string;
  readonly names: {
    readonly withoutSlash: string;
    readonly nonBlank: string;
    readonly header: string;
    readonly reserved: string;
  };
  readonly duplicateKey: string;
  readonly missingKey: (keys: readonly string[]) => string;
  readonly syntax: Readonly<Record<SyntaxFault, string>>;
  readonly reservedChannel: (name: string) => string;
  readonly unknownSupplier: (name: string, closest: string | undefined, known: readonly string[]) => string;
  readonly baseUrlNeeded: (supplier: string) => string;
  readonly badKeyVariable: string;
  /** A key with characters that no header can carry. The key itself is never shown. */
  readonly badKeyCharacters: string;
  readonly reservedHeader: string;
  readonly badPort: string;
  readonly badHost: string;
  readonly blankInUrl: string;
  readonly passwordInUrl: string;
  readonly noInlineOnChat: string;
  readonly pathNotAbsolute: string;
  readonly pathOrName: string;
  readonly commandOrUrl: string;
  readonly overOrFrom: string;
  readonly fileMissing: (file: string) => string;
  readonly fileIsFolder: (file: string) => string;
  readonly fileNotRegular: (file: string) => string;
  readonly fileTooLarge: (file: string) => string;
  readonly fileUnreadable: (file: string, reason: string) => string;
  readonly fileNotUtf8: (file: string) => string;
  readonly literalKeys: (file: string, channels: readonly string[]) => string;
  readonly unusedKeys: (file: string, keys: readonly string[]) => string;
}

export type SyntaxFault =
  | 'value-expected'
  | 'too-deep'
  | 'comma-expected'
  | 'colon-expected'
  | 'property-name-expected'
  | 'brace-expected'
  | 'bracket-expected'
  | 'end-expected'
  | 'comment-open'
  | 'text-open'
  | 'bad-escape'
  | 'bad-number'
  | 'bad-symbol';

function joinChoices(choices: readonly string[], word: string): string {
  return choices.length < 2 ? (choices[0] ?? '') : `${choices.slice(0, -1).join(', ')} ${word} ${choices.at(-1)}`;
}

const english: ConfigTexts = {
  expectations: {
    text: 'a text',
    nonEmptyText: 'a text that is not empty',
    modelReference: 'CHANNEL/MODEL',
    webAddress: 'an address that starts with http:// or https://',
    variableName: 'the name of an environment variable',
    singleLine: 'a text of one line in characters that HTTP can carry (Latin-1)',
    wholeNumber: (minimum, maximum) =>
      `a whole number${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`,
    number: (minimum) => (minimum === undefined ? 'a number' : `a number from ${minimum}`),
    trueOrFalse: 'true or false',
    list: 'a list [...]',
    nonEmptyList: 'a list [...] that is not empty',
    object: 'an object {...}',
    or: (choices) => joinChoices(choices, 'or'),
  },
  found: {
    object: 'an object',
    array: 'a list',
    string: 'a text',
    number: 'a number',
    null: 'null',
  },
  badValue: (expected, found) => `expected ${expected}${found === undefined ? '' : `, found ${found}`}`,
  unknownKey: (closest, known) =>
    `unknown key${closest === undefined ? `; known here: ${known.join(', ')}` : `; did you mean "${closest}"?`}`,
  badName: (expected) => `this name cannot be used: ${expected}`,
  names: {
    withoutSlash: 'a name has no slash and no blank',
    nonBlank: 'a name is not empty',
    header: 'the name of a header has letters, digits and hyphens',
    reserved: 'it is reserved',
  },
  duplicateKey: 'this key stands twice in the same object',
  missingKey: (keys) => `missing: ${keys.map((key) => `"${key}"`).join(', ')}`,
  syntax: {
    'value-expected': 'a value is missing here',
    'too-deep': 'brackets are nested too deeply here',
    'comma-expected': 'a comma is missing before this',
    'colon-expected': 'a colon is missing before this',
    'property-name-expected': 'a key in double quotes is missing here',
    'brace-expected': 'a closing } is missing',
    'bracket-expected': 'a closing ] is missing',
    'end-expected': 'the file should end here; only comments may follow the closing bracket',
    'comment-open': 'this comment is not closed',
    'text-open': 'this text has no closing double quote',
    'bad-escape': 'this text holds a character or escape that JSON does not allow',
    'bad-number': 'this is not a number as JSON writes it',
    'bad-symbol': 'this is not JSON; texts and keys need double quotes',
  },
  reservedChannel: (name) => `the name "${name}" belongs to the built-in reader; choose another`,
  unknownSupplier: (name, closest, known) =>
    `no supplier is called "${name}"; ${
      closest === undefined ? `known: ${known.join(', ')}` : `did you mean "${closest}"?`
    }`,
  baseUrlNeeded: (supplier) => `"baseUrl" is needed, because the supplier "${supplier}" has no address of its own`,
  badKeyVariable: 'after "env:" the name of an environment variable is expected, as in "env:LAB_KEY"',
  badKeyCharacters: 'the key holds characters that HTTP cannot carry, such as a line break or a letter beyond Latin-1',
  reservedHeader: 'this header cannot be set: it belongs to the connection',
  badPort: 'the port of the address is not a number up to 65535',
  badHost: 'the host of the address is not valid',
  blankInUrl: 'the address holds a blank or a line break',
  passwordInUrl: 'the address must hold no user name or password; use "apiKey" or "headers"',
  noInlineOnChat: 'openai-chat takes the pictures of tools only after the group; expected "after-group" or null',
  pathNotAbsolute: 'expected an absolute path or one that starts with ~/',
  pathOrName: 'expected an absolute path, one that starts with ~/, or a bare name such as *.pem',
  commandOrUrl: 'a server needs either "command" or "url"',
  overOrFrom: 'either "over" or "from" is needed',
  fileMissing: (file) => `${file}: the configuration file does not exist`,
  fileIsFolder: (file) => `${file}: this is a folder; a configuration file was expected`,
  fileNotRegular: (file) => `${file}: this is a pipe, device or socket; a configuration file was expected`,
  fileTooLarge: (file) => `${file}: the configuration file is larger than 1 MiB`,
  fileUnreadable: (file, reason) => `${file}: the configuration file cannot be read (${reason})`,
  fileNotUtf8: (file) => `${file}: the configuration file is not UTF-8 text; save it as UTF-8`,
  literalKeys: (file, channels) =>
    `${file}: a key is written in the file (${channels
      .map((channel) => `channels.${channel}.apiKey`)
      .join(', ')}); "env:NAME" keeps it out of the file`,
  unusedKeys: (file, keys) =>
    `${file}: ${joinChoices(keys, 'and')} ${keys.length === 1 ? 'is' : 'are'} not used by this build yet`,
};

const chinese: ConfigTexts = {
  expectations: {
    text: '文本',
    nonEmptyText: '非空文本',
    modelReference: '渠道/模型',
    webAddress: '以 http:// 或 https:// 开头的地址',
    variableName: '环境变量名',
    singleLine: 'HTTP 能传送的单行文本(Latin-1 字符)',
    wholeNumber: (minimum, maximum) =>
      `${minimum === undefined ? '' : `不小于 ${minimum} `}${maximum === undefined ? '' : `且不大于 ${maximum} `}${minimum === undefined && maximum === undefined ? '' : '的'}整数`,
    number: (minimum) => (minimum === undefined ? '数字' : `不小于 ${minimum} 的数字`),
    trueOrFalse: 'true 或 false',
    list: '列表 [...]',
    nonEmptyList: '非空列表 [...]',
    object: '对象 {...}',
    or: (choices) => joinChoices(choices, '或'),
  },
  found: {
    object: '对象',
    array: '列表',
    string: '文本',
    number: '数字',
    null: 'null',
  },
  badValue: (expected, found) => `应为${expected}${found === undefined ? '' : `,实际为${found}`}`,
  unknownKey: (closest, known) =>
    `未知的键${closest === undefined ? `;此处可用:${known.join('、')}` : `;是否想写“${closest}”?`}`,
  badName: (expected) => `不能使用这个名称:${expected}`,
  names: {
    withoutSlash: '名称不能含斜杠或空白',
    nonBlank: '名称不能为空',
    header: '请求头名称由字母、数字和连字符组成',
    reserved: '它是保留名称',
  },
  duplicateKey: '同一对象中重复出现了这个键',
  missingKey: (keys) => `缺少:${keys.map((key) => `“${key}”`).join('、')}`,
  syntax: {
    'value-expected': '此处缺少值',
    'too-deep': '此处括号嵌套过深',
    'comma-expected': '此处之前缺少逗号',
    'colon-expected': '此处之前缺少冒号',
    'property-name-expected': '此处缺少带双引号的键',
    'brace-expected': '缺少右花括号 }',
    'bracket-expected': '缺少右方括号 ]',
    'end-expected': '文件应在此处结束;右括号之后只能有注释',
    'comment-open': '注释没有结束',
    'text-open': '文本缺少右双引号',
    'bad-escape': '文本中有 JSON 不允许的字符或转义',
    'bad-number': '不是 JSON 的数字写法',
    'bad-symbol': '不是 JSON;文本和键需要双引号',
  },
  reservedChannel: (name) => `名称“${name}”属于内置的离线阅读器,请换一个`,
  unknownSupplier: (name, closest, known) =>
    `没有名为“${name}”的供应商;${closest === undefined ? `可用:${known.join('、')}` : `是否想写“${closest}”?`}`,
  baseUrlNeeded: (supplier) => `需要“baseUrl”,因为供应商“${supplier}”没有自己的地址`,
  badKeyVariable: '“env:”之后应为环境变量名,例如“env:LAB_KEY”',
  badKeyCharacters: '密钥含有 HTTP 无法传送的字符,例如换行或 Latin-1 以外的字符',
  reservedHeader: '不能设置这个请求头:它属于连接本身',
  badPort: '地址中的端口不是 65535 以内的数字',
  badHost: '地址中的主机无效',
  blankInUrl: '地址中有空白或换行',
  passwordInUrl: '地址中不能含用户名或密码;请使用“apiKey”或“headers”',
  noInlineOnChat: 'openai-chat 只能在整组工具结果之后接收工具图片;应为 "after-group" 或 null',
  pathNotAbsolute: '应为绝对路径或以 ~/ 开头的路径',
  pathOrName: '应为绝对路径、以 ~/ 开头的路径或不含斜杠的名称(例如 *.pem)',
  commandOrUrl: '服务器需要“command”或“url”之一',
  overOrFrom: '需要“over”或“from”之一',
  fileMissing: (file) => `${file}:配置文件不存在`,
  fileIsFolder: (file) => `${file}:这是文件夹,应为配置文件`,
  fileNotRegular: (file) => `${file}:这是管道、设备或套接字,应为配置文件`,
  fileTooLarge: (file) => `${file}:配置文件超过 1 MiB`,
  fileUnreadable: (file, reason) => `${file}:无法读取配置文件(${reason})`,
  fileNotUtf8: (file) => `${file}:配置文件不是 UTF-8 文本,请保存为 UTF-8`,
  literalKeys: (file, channels) =>
    `${file}:文件中写有密钥(${channels
      .map((channel) => `channels.${channel}.apiKey`)
      .join('、')});用“env:NAME”可以不把密钥写进文件`,
  unusedKeys: (file, keys) => `${file}:此版本尚未使用 ${keys.join('、')}`,
};

const texts: Localized<ConfigTexts> = { en: english, 'zh-CN': chinese };

export function configTexts(locale: Locale): ConfigTexts {
  return texts[locale];
}
