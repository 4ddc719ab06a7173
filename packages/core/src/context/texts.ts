import type { Localized } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import { formatBytes } from '../base/units.ts';
import type { PictureTransform } from './picture-transform.ts';

/** A picture as the sentences that stand for it name it. */
export interface PictureFacts {
  readonly name: string;
  readonly mediaType: string;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** The words that a request shows a model where the transcript alone does not say enough. */
export interface ContextTexts {
  /** Stands for a user's picture that a model without eyes cannot get. */
  blindUserPicture(picture: PictureFacts): string;
  /** The same for a picture that the endpoint would have fetched itself; `name` is its URL or file id. */
  blindLinkedPicture(name: string): string;
  /**
   * Stands for a tool's picture that a model without eyes cannot get; two lines.
   *
   * Source: the first line is that of the first origin document, section 5.7; the second says what
   * decision X4 demands.
   */
  blindToolPicture(path: string): string;
  /** Stands for a picture whose stored bytes are gone. */
  missingPicture(picture: PictureFacts): string;
  /** Stands for a user's URL, or file at a supplier, that this endpoint does not take. */
  linkNotSent(name: string): string;
  /** Stands for a picture of a user that is no stored attachment. */
  unstoredPicture(name: string): string;
  /** Precedes one picture of a tool in the synthetic message. */
  toolPictureLine(picture: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly path: string;
    /** See `pictureTransform`; absent for a picture that is sent as it is. */
    readonly transform?: string;
  }): string;
  /** Sizes, factor, region and what else was done to a picture that is not sent as it is. One line. */
  pictureTransform(transform: PictureTransform): string;
  /** Follows the pictures of a user: how one of them was sent, and how to see more of it. */
  userPictureNote(picture: {
    readonly number: number;
    readonly name: string;
    readonly transform: string;
    readonly reference: string;
  }): string;
  /** Precedes the text of a file that the user's `@path` names. */
  referencedText(file: { readonly path: string; readonly sizeBytes: number; readonly isCut: boolean }): string;
  /** Precedes the names in a folder that the user's `@path` names. */
  referencedFolder(folder: { readonly path: string; readonly entryCount: number; readonly shownCount: number }): string;
  /** Precedes the workspace's instructions where they changed. */
  instructionsChanged(file: { readonly path: string; readonly isCut: boolean }): string;
  readonly instructionsGone: string;
  /** Precedes the text of a message that was sent on another day than the one before it. */
  newDay(date: string): string;
  /** Precedes the text of a message that another model answers than the one before it. */
  otherModel(model: string): string;
  /** Answers a call whose run ended before its result was stored. */
  readonly interruptedCall: string;
  /** Answers a call that the user stopped. */
  readonly cancelledCall: string;
  /** Stands for the text of a tool that gave none: endpoints refuse an empty one. */
  readonly emptyResult: string;
}

/**
 * The first part of the synthetic message that carries the pictures of a tool group. A constant in
 * every language. Source: first origin document, section 5.4.
 */
export const ATTACHED_MEDIA_PREFIX = 'Attached media from tool result:';

export const contextTexts: Localized<ContextTexts> = {
  en: {
    blindUserPicture: (picture) =>
      `[Picture not shown: ${factsEn(picture)}. The current model takes no image input, so the image was not understood.]`,
    blindLinkedPicture: (name) =>
      `[Picture not shown: ${singleLine(name)}. The current model takes no image input, so the image was not understood.]`,
    blindToolPicture: (path) =>
      `Error: the image cannot be read (the current model takes no image input). Tell the user to switch to a model that supports vision and try again. File: ${singleLine(path)}\nThe image was not understood.`,
    missingPicture: (picture) =>
      `[Picture missing: ${factsEn(picture)}. Its stored bytes are gone, so it cannot be shown. Ask the user to give it again if it matters.]`,
    linkNotSent: (name) =>
      `[Picture not shown: ${singleLine(name)}. It was given by its address, and the current endpoint does not take it so.]`,
    unstoredPicture: (name) => `[Picture not shown: ${singleLine(name)}. It was not taken into this conversation.]`,
    toolPictureLine: ({ toolCallId, toolName, path, transform }) =>
      `Picture of tool call ${toolCallId} (${toolName}): ${singleLine(path)}${transform === undefined ? '' : `. ${transform}`}`,
    pictureTransform: (transform) => transformEn(transform),
    userPictureNote: ({ number, name, transform, reference }) =>
      `[Picture ${number} (${singleLine(name)}): ${transform} Reference: ${reference}]`,
    referencedText: ({ path, sizeBytes, isCut }) =>
      `[The user's message refers to the file ${singleLine(path)} (${formatBytes(sizeBytes)})${isCut ? '; only its beginning is shown' : ''}. Its text when the message was sent:]`,
    referencedFolder: ({ path, entryCount, shownCount }) =>
      entryCount === 0
        ? `[The user's message refers to the folder ${singleLine(path)}, which is empty.]`
        : `[The user's message refers to the folder ${singleLine(path)} (${entryCount} entries${shownCount < entryCount ? `; the first ${shownCount} are shown` : ''}):]`,
    instructionsChanged: ({ path, isCut }) =>
      `[The workspace's instructions (${singleLine(path)}) changed. From here on these replace the earlier ones${isCut ? '; only their beginning is shown' : ''}:]`,
    instructionsGone: "[The workspace's instructions (AGENTS.md) were removed. The earlier ones no longer hold.]",
    newDay: (date) => `[It is ${date} now.]`,
    otherModel: (model) =>
      `[From here on ${singleLine(model)} answers. What was said before of pictures that could not be seen held for another model.]`,
    interruptedCall:
      'Interrupted: the program ended before this call gave a result. It may or may not have run. Call the tool again if the result is needed.',
    cancelledCall: 'Cancelled: the user stopped the turn before this call gave a result.',
    emptyResult: '(no output)',
  },
  'zh-CN': {
    blindUserPicture: (picture) => `[图片未显示:${factsZh(picture)}。当前模型不支持图片输入,图片未被理解。]`,
    blindLinkedPicture: (name) => `[图片未显示:${singleLine(name)}。当前模型不支持图片输入,图片未被理解。]`,
    blindToolPicture: (path) =>
      `错误:无法读取图片(当前模型不支持图片输入)。请告知用户切换到支持视觉的模型后重试。文件:${singleLine(path)}\n图片未被理解。`,
    missingPicture: (picture) =>
      `[图片缺失:${factsZh(picture)}。已存储的内容丢失,无法显示。如有需要,请让用户重新提供。]`,
    linkNotSent: (name) => `[图片未显示:${singleLine(name)}。它以地址给出,当前端点不接受这种方式。]`,
    unstoredPicture: (name) => `[图片未显示:${singleLine(name)}。该图片未存入本会话。]`,
    toolPictureLine: ({ toolCallId, toolName, path, transform }) =>
      `工具调用 ${toolCallId}(${toolName})的图片:${singleLine(path)}${transform === undefined ? '' : `。${transform}`}`,
    pictureTransform: (transform) => transformZh(transform),
    userPictureNote: ({ number, name, transform, reference }) =>
      `[图片 ${number}(${singleLine(name)}):${transform}引用:${reference}]`,
    referencedText: ({ path, sizeBytes, isCut }) =>
      `[用户的消息引用了文件 ${singleLine(path)}(${formatBytes(sizeBytes)}${isCut ? ',仅显示开头' : ''})。发送消息时的内容:]`,
    referencedFolder: ({ path, entryCount, shownCount }) =>
      entryCount === 0
        ? `[用户的消息引用了空文件夹 ${singleLine(path)}。]`
        : `[用户的消息引用了文件夹 ${singleLine(path)}(${entryCount} 项${shownCount < entryCount ? `,仅显示前 ${shownCount} 项` : ''}):]`,
    instructionsChanged: ({ path, isCut }) =>
      `[工作区说明(${singleLine(path)})已更改。从此处起以下内容取代之前的说明${isCut ? ',仅显示开头' : ''}:]`,
    instructionsGone: '[工作区说明(AGENTS.md)已删除,之前的说明不再有效。]',
    newDay: (date) => `[现在是 ${date}。]`,
    otherModel: (model) => `[从此处起由 ${singleLine(model)} 作答。之前关于图片不可见的说明只针对另一个模型。]`,
    interruptedCall: '已中断:程序在该调用返回结果之前结束,调用可能已执行也可能未执行。如需结果,请重新调用。',
    cancelledCall: '已取消:用户在该调用返回结果之前停止了本轮。',
    emptyResult: '(无输出)',
  },
};

function factsEn({ name, mediaType, widthPx, heightPx }: PictureFacts): string {
  return `${singleLine(name)} (${mediaType}, ${widthPx}×${heightPx})`;
}

function factsZh({ name, mediaType, widthPx, heightPx }: PictureFacts): string {
  return `${singleLine(name)}(${mediaType},${widthPx}×${heightPx})`;
}

function transformEn(transform: PictureTransform): string {
  const { originalWidthPx, originalHeightPx, widthPx, heightPx, factor, region } = transform;
  const shown =
    region === undefined
      ? `Original ${originalWidthPx}×${originalHeightPx}`
      : `Region ${region.width}×${region.height} at (${region.x}, ${region.y}) of the original ${originalWidthPx}×${originalHeightPx}`;
  const scale = factor === 1 ? 'not scaled' : `factor ${formatFactor(factor)}`;
  const notes = [
    `${shown}, sent as ${widthPx}×${heightPx} (${scale}).`,
    ...(transform.isFirstFrame ? ['Only the first frame of the animation is shown.'] : []),
    ...(transform.isPadded ? ['It was padded with a plain margin.'] : []),
  ];
  return notes.join(' ');
}

function transformZh(transform: PictureTransform): string {
  const { originalWidthPx, originalHeightPx, widthPx, heightPx, factor, region } = transform;
  const shown =
    region === undefined
      ? `原图 ${originalWidthPx}×${originalHeightPx}`
      : `原图 ${originalWidthPx}×${originalHeightPx} 中 (${region.x}, ${region.y}) 处的 ${region.width}×${region.height} 区域`;
  const scale = factor === 1 ? '未缩放' : `缩放系数 ${formatFactor(factor)}`;
  const notes = [
    `${shown},发送尺寸 ${widthPx}×${heightPx}(${scale})。`,
    ...(transform.isFirstFrame ? ['仅显示动画的第一帧。'] : []),
    ...(transform.isPadded ? ['已填充边缘。'] : []),
  ];
  return notes.join('');
}

/** As many digits as place a pixel of a large picture. */
function formatFactor(factor: number): string {
  return String(Number(factor.toPrecision(4)));
}
