import type { Locale } from '../base/locale.ts';
import type { Refusal, RefusalCode } from '../base/refusal.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';

/** Who reads the words. A model is not told which files exist that it may not read. */
export type RefusalAudience = 'user' | 'model';

/**
 * The words of a refusal: the true kind, the figure, the limit, and the way out. The same words
 * stand in tool results, in `fovea inspect` and in the terminal.
 */
export function refusalText(refusal: Refusal, locale: Locale, audience: RefusalAudience = 'user'): string {
  const isHidden = refusal.code === 'FORBIDDEN' || refusal.code === 'OUTSIDE_WORKSPACE';
  const code = audience === 'model' && isHidden ? 'NOT_FOUND' : refusal.code;
  const shown = { ...refusal, name: showName(refusal.name) };
  if (locale === 'en') return english[code](shown);
  const wayOut = audience === 'user' ? chineseWaysOut[code]?.(shown) : undefined;
  return `${chinese[code](shown)}${wayOut === undefined ? '' : `。${wayOut}`}`;
}

/** Characters of a name that are shown: one that is far too long is known by its ends. */
const LONGEST_NAME = 300;

function showName(name: string): string {
  const line = singleLine(name);
  if (line.length <= LONGEST_NAME) return line;
  return `${line.slice(0, LONGEST_NAME / 2)}…${line.slice(-LONGEST_NAME / 2)}`;
}

/** Value of `detail` for a text that stands for a picture which is elsewhere. */
const GIT_LFS_POINTER = 'git-lfs-pointer';

/** Value of `detail` for a path of Windows that was given on another system. */
const WINDOWS_PATH = 'windows-path';

/** Value of `detail` for a picture that is too large as a whole, but of which a region may be shown. */
const REGION_ALLOWED = 'region-allowed';

/** Value of `detail` for a picture that costs more memory than others of its size, however it is decoded. */
const COSTLY_KIND = 'costly-kind';

/** Value of `detail` for a reference with too few digits. */
const SHORT_REFERENCE = 'short-reference';

/** Value of `detail` for a file whose name was given as that of a folder. */
const FILE_NOT_FOLDER = 'file-not-folder';

type Texts = Readonly<Record<RefusalCode, (refusal: Refusal) => string>>;

const english: Texts = {
  NOT_FOUND: ({ name, detail }) => `Error: not found: ${name}${englishAbsence(detail)}`,
  AMBIGUOUS_NAME: ({ name, candidates }) =>
    `Error: several files could be meant by "${name}". Give one of these names exactly: ${list(candidates)}`,
  OUTSIDE_WORKSPACE: ({ name }) =>
    `Error: the path is outside the workspace: ${name}. Copy the file into the workspace, or start with -C and its folder.`,
  FORBIDDEN: ({ name, detail }) => `Error: this file ${englishForbidden(detail)}: ${name}`,
  NOT_A_REGULAR_FILE: ({ name, detail }) => `Error: not a regular file but a ${detail ?? 'special file'}: ${name}`,
  UNREADABLE: ({ name, detail }) => `Error: the file cannot be read (${detail ?? 'input/output error'}): ${name}`,
  TOO_MANY_BYTES: ({ name, actual, limit, detail }) =>
    `Error: the file is too large (${excess(actual, limit)}); the limit is ${bytes(limit)}: ${name}. Make the picture smaller${englishSecondWay(detail)}.`,
  TOO_MANY_PIXELS: ({ name, actual, limit, detail }) =>
    `Error: the picture has too many pixels (${count(actual)}); the limit${detail === COSTLY_KIND ? ' for pictures that are stored like this one' : ''} is ${count(limit)}: ${name}. Scale it down${englishSecondWay(detail)}.`,
  TOO_MANY_FRAMES: ({ name, actual, limit }) =>
    `Error: the animation has too many frames (${count(actual)}); the limit is ${count(limit)}: ${name}. Save its first frame as PNG.`,
  UNSUPPORTED_FORMAT: ({ name, trueType }) =>
    `Error: ${kindName(trueType)} is not supported: ${name}. Supported are PNG, JPEG, GIF and WebP. ${englishWayOut(trueType, name)}`.trimEnd(),
  NOT_AN_IMAGE: ({ name, trueType, detail }) =>
    detail === GIT_LFS_POINTER
      ? `Error: this is not the picture but a Git LFS pointer to it: ${name}. Fetch the picture with: git lfs pull`
      : `Error: this is not a picture but ${trueType === undefined ? 'unknown data' : kindName(trueType)}: ${name}`,
  NOT_TEXT: ({ name, trueType }) =>
    `Error: this is not a text file but ${trueType ?? 'binary data of an unknown kind'}: ${name}`,
  NOT_UTF8: ({ name, detail }) =>
    `Error: the file is encoded as ${detail ?? 'no Unicode'}; only UTF-8 text can be read: ${name}. Convert it to UTF-8 first.`,
  TEXT_TOO_LARGE: ({ name, actual, limit }) =>
    `Error: the file is too large (${excess(actual, limit)}); files are read up to ${bytes(limit)}: ${name}`,
  CORRUPT: ({ name, truncated, trueType, detail }) =>
    truncated === true
      ? `Error: the ${kindName(trueType)} picture is incomplete, its end is missing: ${name}. Save or download it again.`
      : `Error: the ${kindName(trueType)} picture is damaged and cannot be decoded${parenthesis(detail)}: ${name}. Save or export it again.`,
  EMPTY: ({ name }) => `Error: the file is empty (0 bytes): ${name}`,
  CHANGED_WHILE_READING: ({ name }) => `Error: the file changed while it was read: ${name}. Try again.`,
  CANCELED: ({ name }) => `Error: cancelled: ${name}`,
  TIMED_OUT: ({ name, limit }) => `Error: reading took longer than ${seconds(limit)} s: ${name}`,
  TOO_MANY_ITEMS: ({ actual, limit }) =>
    `Error: too many attachments (${count(actual)}); one message may have ${count(limit)}.`,
  BATCH_TOO_LARGE: ({ actual, limit }) =>
    `Error: the attachments are too large in sum (${excess(actual, limit)}); one message may have ${bytes(limit)}.`,
  TYPE_NOT_ALLOWED: ({ name, trueType }) => `Error: ${kindName(trueType)} may not be attached: ${name}`,
  URL_NOT_ALLOWED: ({ name, ...facts }) => `Error: ${englishLinkFault(facts)}: ${name}`,
  URL_FETCH_FAILED: ({ name, detail }) => `Error: the URL could not be fetched${parenthesis(detail)}: ${name}`,
  MODEL_CANNOT_SEE: ({ name, detail }) =>
    `Error: the model ${detail ?? ''} takes no pictures, and no vision model is set up to describe them: ${name}. Choose a model that sees (-m CHANNEL/MODEL, or /model), or remove the picture.`,
  DOES_NOT_FIT: ({ name, actual, limit }) =>
    `Error: the pictures of this turn do not fit the endpoint (${count(actual)}, limit ${count(limit)}): ${name}`,
};

/**
 * In Chinese some refusals are fixed to the letter by the first origin document, section 5.1: for a
 * model they are exactly that. People are told the way out after it ({@link chineseWaysOut}).
 */
const chinese: Texts = {
  NOT_FOUND: ({ name, detail }) => `错误:文件不存在:${name}${chineseAbsence(detail)}`,
  AMBIGUOUS_NAME: ({ name, candidates }) => `错误:“${name}”可能指多个文件,请准确给出其中一个:${list(candidates)}`,
  OUTSIDE_WORKSPACE: ({ name }) => `错误:路径在工作区之外:${name}。请把文件复制到工作区,或用 -C 指定它所在的文件夹。`,
  FORBIDDEN: ({ name, detail }) => `错误:该文件${chineseForbidden(detail)}:${name}`,
  NOT_A_REGULAR_FILE: ({ name, detail }) => `错误:不是普通文件,而是${inChinese(detail ?? 'special file')}:${name}`,
  UNREADABLE: ({ name, detail }) => `错误:无法读取文件(${inChinese(detail ?? 'input/output error')}):${name}`,
  TOO_MANY_BYTES: ({ name, actual, limit, detail }) =>
    `错误:文件过大(${excess(actual, limit)}),图片读取上限为 ${bytes(limit)}:${name}${detail === REGION_ALLOWED ? '。可以用 region 查看其中一部分。' : ''}`,
  TOO_MANY_PIXELS: ({ name, actual, limit, detail }) =>
    `错误:图片像素过多(${count(actual)}),${detail === COSTLY_KIND ? '以这种方式存储的图片' : ''}上限为 ${count(limit)}:${name}。请缩小后重试${detail === REGION_ALLOWED ? ',或用 region 查看其中一部分' : ''}。`,
  TOO_MANY_FRAMES: ({ name, actual, limit }) =>
    `错误:动画帧数过多(${count(actual)}),上限为 ${count(limit)}:${name}。请把第一帧保存为 PNG。`,
  UNSUPPORTED_FORMAT: ({ name }) => `错误:不支持的图片格式:${name}`,
  NOT_AN_IMAGE: ({ name, trueType, detail }) =>
    detail === GIT_LFS_POINTER
      ? `错误:这不是图片本身,而是 Git LFS 指针:${name}。请运行 git lfs pull 获取图片。`
      : `错误:文件内容不是图片(${trueType === undefined ? '未知数据' : kindName(trueType, 'zh-CN')}):${name}`,
  NOT_TEXT: ({ name, trueType }) => `错误:不是文本文件(${trueType ?? '未知的二进制数据'}):${name}`,
  NOT_UTF8: ({ name, detail }) =>
    `错误:文件编码为 ${detail ?? '非 Unicode 编码'},只能读取 UTF-8 文本:${name}。请先转换为 UTF-8。`,
  TEXT_TOO_LARGE: ({ name, actual, limit }) =>
    `错误:文件过大(${excess(actual, limit)}),读取上限为 ${bytes(limit)}:${name}`,
  CORRUPT: ({ name, truncated, trueType, detail }) =>
    truncated === true
      ? `错误:${chineseFormat(trueType)}图片不完整,末尾缺失:${name}。请重新保存或下载。`
      : `错误:${chineseFormat(trueType)}图片已损坏,无法解码${narrowParenthesis(detail === undefined ? undefined : inChinese(detail))}:${name}。请重新保存或导出。`,
  EMPTY: ({ name }) => `错误:文件为空(0 B):${name}`,
  CHANGED_WHILE_READING: ({ name }) => `错误:读取期间文件发生变化:${name}。请重试。`,
  CANCELED: ({ name }) => `错误:已取消:${name}`,
  TIMED_OUT: ({ name, limit }) => `错误:读取超过 ${seconds(limit)} 秒:${name}`,
  TOO_MANY_ITEMS: ({ actual, limit }) => `错误:附件过多(${count(actual)}),每条消息最多 ${count(limit)} 个。`,
  BATCH_TOO_LARGE: ({ actual, limit }) =>
    `错误:附件总大小过大(${excess(actual, limit)}),每条消息上限为 ${bytes(limit)}。`,
  TYPE_NOT_ALLOWED: ({ name, trueType }) => `错误:不允许附加${chineseKind(trueType)}:${name}`,
  URL_NOT_ALLOWED: ({ name, ...facts }) => `错误:${chineseLinkFault(facts)}:${name}`,
  URL_FETCH_FAILED: ({ name, detail }) => `错误:无法获取 URL${narrowParenthesis(detail)}:${name}`,
  MODEL_CANNOT_SEE: ({ name, detail }) =>
    `错误:模型 ${detail ?? ''} 不支持图片输入,且未配置识图模型:${name}。请选择支持视觉的模型(-m 渠道/模型,或 /model),或移除图片。`,
  DOES_NOT_FIT: ({ name, actual, limit }) => `错误:本轮图片超出端点限制(${count(actual)},上限 ${count(limit)}):${name}`,
};

/** What people are told after the words above. */
const chineseWaysOut: Partial<Texts> = {
  TOO_MANY_BYTES: () => '请缩小图片后重试。',
  UNSUPPORTED_FORMAT: ({ name, trueType }) =>
    `${trueType === undefined ? '' : `该文件是${chineseKind(trueType)},`}支持的格式为 PNG、JPEG、GIF 和 WebP。${chineseWayOut(trueType, name)}`,
};

const kindNames: Readonly<Record<string, string>> = {
  'image/svg+xml': 'SVG',
  'image/heic': 'HEIC',
  'image/heif': 'HEIF',
  'image/avif': 'AVIF',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'image/x-icon': 'ICO',
  'image/vnd.adobe.photoshop': 'Photoshop (PSD)',
  'image/jp2': 'JPEG 2000',
  'image/jxl': 'JPEG XL',
  'video/x-mng': 'MNG',
  'application/pdf': 'PDF',
  'application/msword': 'an old Office document (DOC, XLS, PPT)',
  'application/x-cfb': 'an old Office document (DOC, XLS, PPT)',
  'application/rtf': 'RTF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word (DOCX)',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel (XLSX)',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint (PPTX)',
  'application/vnd.oasis.opendocument.text': 'OpenDocument text (ODT)',
  'application/vnd.oasis.opendocument.spreadsheet': 'OpenDocument spreadsheet (ODS)',
  'application/vnd.oasis.opendocument.presentation': 'OpenDocument presentation (ODP)',
  'video/mp4': 'MP4 video',
  'video/quicktime': 'QuickTime video (MOV)',
  'video/webm': 'WebM video',
  'video/matroska': 'Matroska video (MKV)',
  'video/x-matroska': 'Matroska video (MKV)',
  'video/vnd.avi': 'AVI video',
  'audio/mpeg': 'MP3 audio',
  'audio/wav': 'WAV audio',
  'audio/ogg': 'Ogg audio',
  'audio/flac': 'FLAC audio',
  'audio/x-flac': 'FLAC audio',
  'audio/x-m4a': 'M4A audio',
  'application/zip': 'a ZIP archive',
  'text/html': 'HTML',
  'text/plain': 'text',
  'application/json': 'JSON',
};

const chineseKindNames: Readonly<Record<string, string>> = {
  'application/zip': 'ZIP 压缩包',
  'application/msword': '旧版 Office 文档(DOC、XLS、PPT)',
  'application/x-cfb': '旧版 Office 文档(DOC、XLS、PPT)',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word 文档(DOCX)',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel 表格(XLSX)',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint 演示文稿(PPTX)',
  'video/mp4': 'MP4 视频',
  'video/quicktime': 'QuickTime 视频(MOV)',
  'video/webm': 'WebM 视频',
  'video/matroska': 'Matroska 视频(MKV)',
  'video/vnd.avi': 'AVI 视频',
  'audio/mpeg': 'MP3 音频',
  'audio/wav': 'WAV 音频',
  'audio/ogg': 'Ogg 音频',
  'audio/flac': 'FLAC 音频',
  'text/plain': '文本',
};

/** A media type as people call it: `image/heic` is `HEIC`, `image/png` is `PNG`. */
export function kindName(mediaType: string | undefined, locale: Locale = 'en'): string {
  if (mediaType === undefined) return locale === 'zh-CN' ? '图片' : 'image';
  const name = locale === 'zh-CN' ? chineseKindNames[mediaType] : undefined;
  return name ?? kindNames[mediaType] ?? plainKindName(mediaType);
}

/** `video/x-flv` is `FLV video`; of other kinds than pictures, videos and sounds the type is shown as it is. */
function plainKindName(mediaType: string): string {
  const [family = '', subtype = ''] = mediaType.split('/');
  const name = subtype.replace(/^x-/, '').toUpperCase();
  if (family === 'image') return name;
  return family === 'video' || family === 'audio' ? `${name} ${family}` : mediaType;
}

/** Documents of pages, of which one can be saved as a picture. */
function isDocument(mediaType: string | undefined): boolean {
  return /^application\/(?:pdf|msword|rtf|x-cfb|vnd\.)/.test(mediaType ?? '');
}

/** A kind within a Chinese sentence: a blank stands between Latin and Chinese letters only. */
function chineseKind(mediaType: string | undefined): string {
  const name = kindName(mediaType, 'zh-CN');
  return /^[ -~]/.test(name) ? ` ${name}` : name;
}

function chineseFormat(mediaType: string | undefined): string {
  return mediaType === undefined ? '' : `${kindName(mediaType, 'zh-CN')} `;
}

/** What {@link Refusal} carries as `detail` of a file; anything else is shown as it is. */
const chineseDetails: Readonly<Record<string, string>> = {
  folder: '文件夹',
  pipe: '管道',
  socket: '套接字',
  device: '设备',
  link: '链接',
  'special file': '特殊文件',
  'permission denied': '没有权限',
  'too many open files': '打开的文件过多',
  'input/output error': '输入输出错误',
  'a link that leads in a circle': '循环链接',
  'its stored bytes are gone': '已存储的内容丢失',
  'its stored bytes are damaged': '已存储的内容已损坏',
  'its base64 is not valid': 'base64 数据无效',
  'its percent-encoding is not valid': '百分号编码无效',
};

function inChinese(detail: string): string {
  return chineseDetails[detail] ?? detail;
}

/** What stands behind the name of something that was not found. */
function englishAbsence(detail: string | undefined): string {
  switch (detail) {
    case WINDOWS_PATH:
      return '. This is a path of Windows, and this system is another: give the path relative to the workspace, with forward slashes.';
    case SHORT_REFERENCE:
      return '. This reference is too short: give at least 12 of its hexadecimal digits.';
    case FILE_NOT_FOLDER:
      return '. There is a file of this name, and no folder: leave the slash at the end out.';
    default:
      return '';
  }
}

function chineseAbsence(detail: string | undefined): string {
  switch (detail) {
    case WINDOWS_PATH:
      return '。这是 Windows 路径,而当前系统不是 Windows:请给出相对于工作区的路径,使用正斜杠。';
    case SHORT_REFERENCE:
      return '。引用过短:请至少给出 12 位十六进制数字。';
    case FILE_NOT_FOLDER:
      return '。该名称是文件而不是文件夹:请去掉末尾的斜杠。';
    default:
      return '';
  }
}

/** What else can be done about a picture that is too large. */
function englishSecondWay(detail: string | undefined): string {
  return detail === REGION_ALLOWED ? ', or look at a part of it with region' : ' and try again';
}

/** Which list forbids a file: Fovea's own, or that of the configuration; neither when it is not known. */
function englishForbidden(detail: string | undefined): string {
  if (detail === 'built-in') return 'is on the built-in list of files that are never read';
  if (detail === 'configured') return 'may not be read by the configuration (permissions.forbidRead)';
  return 'is on the list of files that are never read';
}

function chineseForbidden(detail: string | undefined): string {
  if (detail === 'built-in') return '在内置的禁止读取列表中';
  if (detail === 'configured') return '被配置(permissions.forbidRead)禁止读取';
  return '在禁止读取列表中';
}

type LinkFacts = Pick<Refusal, 'detail' | 'actual' | 'limit'>;

function englishLinkFault({ detail, actual, limit }: LinkFacts): string {
  switch (detail) {
    case 'endpoint-without-urls':
      return 'this endpoint takes no picture by its URL. Download the picture and attach the file';
    case 'url-too-long':
      return `the URL is too long for this endpoint (${count(actual)} characters, limit ${count(limit)}). Download the picture and attach the file`;
    case 'endpoint-without-files':
      return "this endpoint takes no picture by a file's id. Attach the picture itself";
    case 'file-of-another-channel':
      return 'this file is kept at another channel. Attach the picture itself';
    case 'bad-url':
      return 'this is not an http:// or https:// address of a picture';
    default:
      return 'this URL may not be fetched';
  }
}

function chineseLinkFault({ detail, actual, limit }: LinkFacts): string {
  switch (detail) {
    case 'endpoint-without-urls':
      return '该端点不接受以 URL 给出的图片,请下载图片后附加文件';
    case 'url-too-long':
      return `该 URL 对此端点过长(${count(actual)} 个字符,上限 ${count(limit)}),请下载图片后附加文件`;
    case 'endpoint-without-files':
      return '该端点不接受以文件编号给出的图片,请附加图片本身';
    case 'file-of-another-channel':
      return '该文件保存在另一个渠道,请附加图片本身';
    case 'bad-url':
      return '这不是以 http:// 或 https:// 开头的图片地址';
    default:
      return '不允许访问该 URL';
  }
}

function englishWayOut(trueType: string | undefined, name: string): string {
  if (isDocument(trueType)) return 'Save the page you need as PNG.';
  if (trueType?.startsWith('video/') === true) return 'Save a frame of it as PNG.';
  if (trueType?.startsWith('image/') !== true) return '';
  return `Export it as PNG or JPEG, or: ${magickLine(name)}`;
}

function chineseWayOut(trueType: string | undefined, name: string): string {
  if (isDocument(trueType)) return '请把需要的页面保存为 PNG。';
  if (trueType?.startsWith('video/') === true) return '请把其中一帧保存为 PNG。';
  if (trueType?.startsWith('image/') !== true) return '';
  return `请导出为 PNG 或 JPEG,或运行:${magickLine(name)}`;
}

/** A command that people will paste into a shell: no name may become a part of it, and none is written over. */
function magickLine(name: string): string {
  const converted = `${name.replace(/\.[^./\\]*$/, '')}.png`;
  const target = converted === name ? `${name.slice(0, -'.png'.length)}-converted.png` : converted;
  return `magick ${shellWord(name)} ${shellWord(target)}`;
}

function shellWord(name: string): string {
  const word = name.startsWith('-') ? `./${name}` : name;
  return /^[\w./+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A size that is beyond a limit: to the byte where both would read the same. */
function excess(actual: number | undefined, limit: number | undefined): string {
  return actual !== undefined && bytes(actual) === bytes(limit) ? `${count(actual)} B` : bytes(actual);
}

function bytes(value: number | undefined): string {
  return value === undefined ? '?' : formatBytes(value);
}

function count(value: number | undefined): string {
  return value === undefined ? '?' : value.toLocaleString('en-US');
}

function seconds(value: number | undefined): string {
  return value === undefined ? '?' : String(Math.round(value / 1000));
}

function list(values: readonly string[] | undefined): string {
  return (values ?? []).map((value) => `"${showName(value)}"${unusualSigns(value)}`).join(', ');
}

/** Names that look the same are told apart by their spaces that are no blanks, and by loose accents. */
function unusualSigns(name: string): string {
  const signs = [...new Set(name.match(/(?! )\p{Zs}|\p{M}/gu))];
  const numbers = signs.map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  return numbers.length === 0 ? '' : ` (${numbers.join(', ')})`;
}

function parenthesis(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

function narrowParenthesis(detail: string | undefined): string {
  return detail === undefined ? '' : `(${detail})`;
}
