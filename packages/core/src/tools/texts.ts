import { assertNever } from '../base/assert-never.ts';
import type { Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';
import type { PixelRegion, RegionFault } from '../media/region.ts';

/** The picture that a tool read, as its result names it. */
export interface ReadPicture {
  readonly path: string;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** A tool's definition and the meaning of its parameters, as a model reads them. */
export interface ToolWords {
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Every text that the tools show a model. */
export interface ToolTexts {
  readonly readFile: ToolWords;
  readonly viewImage: ToolWords;
  readonly listDirectory: ToolWords;
  /** One line. Source for `zh-CN`: first origin document, section 5.1. */
  imageRead(picture: ReadPicture): string;
  /** The line of the whole picture with the part of it that is shown; one line too. */
  regionRead(line: string, region: PixelRegion): string;
  readonly regionClipped: string;
  regionFault(path: string, fault: RegionFault): string;
  /** For a tool that reads files and was given a reference to a picture. */
  referenceIsNoFile(path: string): string;
  firstFrame(frames: number): string;
  lineCut(limitCharacters: number): string;
  notAFolder(path: string): string;
  readonly emptyFolder: string;
  listCut(shown: number): string;
  readonly link: string;
  readonly special: string;
  invalidArguments(tool: string, problems: readonly string[], expected: string): string;
}

export const toolTexts: Localized<ToolTexts> = {
  en: {
    readFile: {
      description:
        'Reads a file. Supports text files (by line with offset/limit) and image files (png/jpg/gif/webp).\nParameters: path (required), offset (optional, text only), limit (optional, text only).',
      parameters: {
        path: 'Path of the file. A relative path starts at the workspace.',
        offset: 'First line to read, counted from 1. Text files only.',
        limit: 'Number of lines to read, 2000 unless given. Text files only.',
      },
    },
    viewImage: {
      description:
        'Shows a picture file (png/jpg/gif/webp) so that you can look at it. Use it when the user names a picture or when a picture has to be seen to answer. With region, only that part is shown, at full resolution: use it for small text in a large picture.\nParameters: path (required), region (optional).',
      parameters: {
        path: 'Path of the picture; a relative path starts at the workspace. Or the reference attachment:<hex> of a picture of this conversation.',
        region:
          'Part of the upright original: x and y of its top left corner, width, height. In pixels of the original, or all four as fractions from 0 to 1.',
      },
    },
    listDirectory: {
      description:
        'Lists a folder: one entry a line, folders with a slash at the end, files with their size. Hidden files are shown. Parameters: path (optional, the workspace unless given).',
      parameters: { path: 'Path of the folder. A relative path starts at the workspace.' },
    },
    imageRead: (picture) => `Image read: ${imageFacts(picture)}`,
    regionRead: (line, { x, y, width, height }) =>
      `${line}, region ${width}×${height} at (${x}, ${y}), cut out at full resolution`,
    regionClipped: 'A part of the region lay outside the picture and was left out.',
    regionFault: (path, fault) =>
      `Error: the region ${regionFacts(fault)} ${englishRegionFault(fault)} ${singleLine(path)}, which is ${fault.widthPx}×${fault.heightPx}. Give x, y, width and height in pixels of that size, or as fractions from 0 to 1.`,
    referenceIsNoFile: (path) =>
      `Error: ${singleLine(path)} names a stored picture, and read_file reads files. If the conversation holds it, view_image shows it; a file of this name is read as ./${singleLine(path)}`,
    firstFrame: (frames) => `Animation: this is frame 1 of ${frames}.`,
    lineCut: (limit) => ` [line cut after ${limit} characters]`,
    notAFolder: (path) => `Error: not a folder: ${path}. Read files with read_file.`,
    emptyFolder: '(empty folder)',
    listCut: (shown) => `[cut: only the first ${shown} entries are listed]`,
    link: 'link',
    special: 'special file',
    invalidArguments: (tool, problems, expected) =>
      `Error: the arguments of ${tool} are not valid (INVALID_ARGUMENTS): ${problems.join('; ')}. Expected: ${expected}. Correct the arguments and call the tool again.`,
  },
  'zh-CN': {
    readFile: {
      // Source: first origin document, section 5.2, byte for byte.
      description:
        '读取文件内容。支持文本文件(可按行 offset/limit)和图片文件(png/jpg/gif/webp)。\n参数:path(必填)、offset(可选,文本专用)、limit(可选,文本专用)。',
      parameters: {
        path: '文件路径。相对路径以工作区为起点。',
        offset: '起始行号,从 1 开始。仅用于文本文件。',
        limit: '读取的行数,默认 2000。仅用于文本文件。',
      },
    },
    viewImage: {
      description:
        '查看图片文件(png/jpg/gif/webp)。用户提到图片、或需要看到图片才能回答时使用。\n指定 region 时,只以原始分辨率显示该区域:适合大图中的小字。\n参数:path(必填)、region(可选)。',
      parameters: {
        path: '图片路径,相对路径以工作区为起点;或本会话中图片的引用 attachment:<hex>。',
        region: '原图(已转正)的一部分:左上角的 x、y,以及 width、height。以原图像素为单位,或全部用 0 到 1 的比例。',
      },
    },
    listDirectory: {
      description:
        '列出文件夹内容:每行一项,文件夹以斜杠结尾,文件附带大小,包含隐藏文件。\n参数:path(可选,默认为工作区)。',
      parameters: { path: '文件夹路径。相对路径以工作区为起点。' },
    },
    imageRead: (picture) => `图片读取成功:${imageFacts(picture)}`,
    regionRead: (line, { x, y, width, height }) => `${line},区域 ${width}×${height},位于 (${x}, ${y}),以原始分辨率截取`,
    regionClipped: '区域超出图片的部分已略去。',
    regionFault: (path, fault) =>
      `错误:区域 ${regionFacts(fault)} ${chineseRegionFault(fault)}:${singleLine(path)}(${fault.widthPx}×${fault.heightPx})。请按该尺寸的像素或 0 到 1 的比例给出 x、y、width、height。`,
    referenceIsNoFile: (path) =>
      `错误:${singleLine(path)} 指的是已存储的图片,read_file 只读取文件。如果本会话中有该图片,请用 view_image 查看;同名文件请写作 ./${singleLine(path)}`,
    firstFrame: (frames) => `动画:这是第 1 帧,共 ${frames} 帧。`,
    lineCut: (limit) => ` [该行超过 ${limit} 个字符,已截断]`,
    notAFolder: (path) => `错误:不是文件夹:${path}。读取文件请用 read_file。`,
    emptyFolder: '(空文件夹)',
    listCut: (shown) => `[已截断:只列出前 ${shown} 项]`,
    link: '链接',
    special: '特殊文件',
    invalidArguments: (tool, problems, expected) =>
      `错误:${tool} 的参数无效(INVALID_ARGUMENTS):${problems.join(';')}。应为:${expected}。请更正参数后重新调用。`,
  },
};

function regionFacts({ request: { x, y, width, height } }: RegionFault): string {
  return `(x ${x}, y ${y}, width ${width}, height ${height})`;
}

function englishRegionFault({ code }: RegionFault): string {
  switch (code) {
    case 'NOT_FINITE':
      return 'is not made of numbers; it must be a part of';
    case 'EMPTY':
      return 'has no area; it must be a part of';
    case 'OUTSIDE':
      return 'lies outside';
    default:
      return assertNever(code);
  }
}

function chineseRegionFault({ code }: RegionFault): string {
  switch (code) {
    case 'NOT_FINITE':
      return '不是有效的数字';
    case 'EMPTY':
      return '没有面积';
    case 'OUTSIDE':
      return '位于图片之外';
    default:
      return assertNever(code);
  }
}

function imageFacts({ path, mime, sizeBytes, widthPx, heightPx }: ReadPicture): string {
  return `${singleLine(path)} (${mime}, ${formatBytes(sizeBytes)}, ${widthPx}×${heightPx})`;
}
