import type { Localized } from '../base/locale.ts';
import { formatBytes } from '../base/units.ts';
import type { PictureRegion } from '../content/picture-region.ts';
import { kindName } from '../content/refusal-texts.ts';
import type { ColorName, DominantColor } from '../media/colors.ts';
import type { ViewFailure } from './plan-turn.ts';

/** What is known of a picture without reading it. Pixels are those of the upright picture. */
export interface PictureFacts {
  readonly name: string;
  readonly mediaType: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sizeBytes: number;
  readonly frames: number;
  /** The part of it that is read, if it is only one. */
  readonly region?: PictureRegion;
}

/** Every sentence of the offline reader. */
export interface OfflineTexts {
  /** The first line of each answer when there is no model. */
  readonly noModel: string;
  /** The first line of each answer when the reader was chosen although there are models. */
  readonly chosen: string;
  picture(facts: PictureFacts): string;
  colors(colors: readonly DominantColor[]): string;
  code(kind: string): string;
  readonly text: string;
  readonly noText: string;
  timedOut(limitMs: number): string;
  readonly readingFailed: string;
  missing(name: string): string;
  readonly failures: string;
  failure(failure: ViewFailure): string;
  readonly nothingToRead: string;
  readonly firstModel: string;
  readonly otherModel: string;
}

const colorNames: Readonly<Record<ColorName, string>> = {
  black: '黑色',
  white: '白色',
  grey: '灰色',
  red: '红色',
  orange: '橙色',
  yellow: '黄色',
  green: '绿色',
  cyan: '青色',
  blue: '蓝色',
  purple: '紫色',
  pink: '粉色',
  brown: '棕色',
};

export const offlineTexts: Localized<OfflineTexts> = {
  en: {
    noModel: 'No model is configured; this is what can be read without one.',
    chosen: 'This is the built-in reader: it reads text, codes and colours, and does not understand scenes.',
    picture: (facts) =>
      `**${escapeName(facts.name)}**: ${describe(facts)}${frames(facts, ', frame 1 of ', '')}${region(facts, ', region ', ' at ')}`,
    colors: (colors) =>
      `Colours: ${colors.map(({ name, hex, share }) => `${name} (${hex}) ${percent(share)} %`).join(', ')}`,
    code: (kind) => `${kind}:`,
    text: 'Text:',
    noText: 'No text was recognised.',
    timedOut: (limitMs) =>
      `Reading the text stopped after ${limitMs / 1000} s. A smaller cut-out of the picture can be read faster.`,
    readingFailed: 'The text could not be read: the reading process ended.',
    missing: (name) => `**${escapeName(name)}**: its stored bytes are missing or damaged.`,
    failures: 'Not read:',
    failure: ({ reason, alsoTried, mayBeLonger, suggestion }) =>
      [
        reason,
        ...(alsoTried.length === 0 ? [] : [`Not found either: ${alsoTried.join(', ')}.`]),
        ...(suggestion === undefined ? [] : [`There is a picture named "${escapeName(suggestion)}".`]),
        ...(mayNeedQuotes(mayBeLonger, suggestion) ? ['A name with blanks can be put in quotes.'] : []),
      ].join('\n  '),
    nothingToRead:
      'There is no picture to read. Name one in your question ("What does shot.png say?"), or attach it (`--attach shot.png`, or `/attach shot.png` in the chat).',
    firstModel:
      'For answers from a model, set a key in the environment (such as OPENAI_API_KEY or DEEPSEEK_API_KEY), or add a channel to the configuration, and choose it with `-m CHANNEL/MODEL`.',
    otherModel: 'For answers from a model, choose one with `-m CHANNEL/MODEL`, or with `/model` in the chat.',
  },
  'zh-CN': {
    noModel: '未配置模型;以下是没有模型时能读出的内容。',
    chosen: '这是内置读图器:它读取文字、条码和颜色,不理解画面内容。',
    picture: (facts) =>
      `**${escapeName(facts.name)}**:${describe(facts)}${frames(facts, ',第 1 帧,共 ', ' 帧')}${region(facts, ',区域 ', ',位于 ')}`,
    colors: (colors) =>
      `颜色:${colors.map(({ name, hex, share }) => `${colorNames[name]}(${hex}) ${percent(share)}%`).join('、')}`,
    code: (kind) => `${kind === 'QR Code' ? '二维码' : `条码(${kind})`}:`,
    text: '文字:',
    noText: '未识别到文字。',
    timedOut: (limitMs) => `文字识别在 ${limitMs / 1000} 秒后停止。截取较小的区域可以更快识别。`,
    readingFailed: '无法识别文字:识别进程已退出。',
    missing: (name) => `**${escapeName(name)}**:存储的图片数据缺失或已损坏。`,
    failures: '未读取:',
    failure: ({ reason, alsoTried, mayBeLonger, suggestion }) =>
      [
        reason,
        ...(alsoTried.length === 0 ? [] : [`也未找到:${alsoTried.join('、')}。`]),
        ...(suggestion === undefined ? [] : [`有一张名称相近的图片:“${escapeName(suggestion)}”。`]),
        ...(mayNeedQuotes(mayBeLonger, suggestion) ? ['名称中有空格时,可以用引号括起来。'] : []),
      ].join('\n  '),
    nothingToRead:
      '没有可读取的图片。请在问题中写出图片路径(“shot.png 里写了什么?”),或附加图片(`--attach shot.png`,对话中用 `/attach shot.png`)。',
    firstModel:
      '如需模型回答,请在环境变量中设置密钥(如 OPENAI_API_KEY 或 DEEPSEEK_API_KEY),或在配置中添加渠道,并用 `-m 渠道/模型` 选择。',
    otherModel: '如需模型回答,请用 `-m 渠道/模型` 选择,或在对话中用 `/model`。',
  },
};

function describe(facts: PictureFacts): string {
  return `${kindName(facts.mediaType)}, ${facts.widthPx}×${facts.heightPx}, ${formatBytes(facts.sizeBytes)}`;
}

function frames(facts: PictureFacts, before: string, after: string): string {
  return facts.frames > 1 ? `${before}${facts.frames}${after}` : '';
}

function region({ region: part }: PictureFacts, before: string, at: string): string {
  return part === undefined ? '' : `${before}${part.width}×${part.height}${at}(${part.x}, ${part.y})`;
}

/** What a similar name looks like says more than the question. */
function mayNeedQuotes(mayBeLonger: boolean, suggestion: string | undefined): boolean {
  return suggestion === undefined ? mayBeLonger : /\s/.test(suggestion);
}

function percent(share: number): number {
  return Math.max(1, Math.round(share * 100));
}

/** File names are data: they must not become Markdown. */
function escapeName(name: string): string {
  return name.replace(/[\r\n]+/g, ' ').replace(/[\\`*_[\]<>]/g, '\\$&');
}
