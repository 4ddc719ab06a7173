import type { Localized } from '../base/locale.ts';

/** What the loop itself says to a model, and the notices of pictures in its events. */
export interface AgentTexts {
  unknownTool(name: string, known: readonly string[]): string;
  invalidArguments(name: string, reason: string): string;
  toolFailed(name: string, reason: string): string;
  /** The session's profile allows no such call at all. */
  refusedByProfile(name: string): string;
  /** The call needs somebody's word, and nobody is there. */
  nobodyToAsk(name: string): string;
  /** `reason` in the words of whoever denied it. */
  deniedByUser(name: string, reason: string | undefined): string;
  /** The question itself failed. */
  approvalFailed(name: string, reason: string): string;
  /** Stands where data was removed from the text of a tool. */
  dataRemoved(characters: number): string;
  pictureReplaced(name: string, model: string): string;
  /** `name` is a URL, or the id of a file. */
  linkNotTaken(name: string, model: string): string;
  pictureMissing(name: string): string;
  pictureDamaged(name: string): string;
  /** Its stored bytes are there, and could not be made ready for the model. */
  pictureNotPrepared(name: string): string;
  pictureNotAdmitted(name: string): string;
}

export const agentTexts: Localized<AgentTexts> = {
  en: {
    unknownTool: (name, known) => `Error: there is no tool "${name}". The tools are: ${known.join(', ')}.`,
    invalidArguments: (name, reason) =>
      `Error: the arguments of ${name} are ${reason}. Call it again with one complete JSON object.`,
    toolFailed: (name, reason) => `Error: ${name} failed: ${reason}`,
    refusedByProfile: (name) =>
      `Refused: this session only reads, so ${name} was not run and nothing was changed. Go on without it, and tell the user what you would have done.`,
    nobodyToAsk: (name) =>
      `Refused: ${name} was not run, because this call needs the user's approval and nobody can be asked here. Go on without it, and tell the user what is still to be done. The user can allow such calls by working in a terminal or with --yes.`,
    deniedByUser: (name, reason) =>
      `Denied: ${name} was not run, because the user did not allow it.${reason === undefined ? '' : ` Their reason: ${reason}`}\nDo not repeat the call; ask the user or find another way.`,
    approvalFailed: (name, reason) =>
      `Refused: ${name} was not run, because the user could not be asked (${reason}). Go on without it, and tell the user what is still to be done.`,
    dataRemoved: (characters) => `[${characters} characters of base64 data removed]`,
    pictureReplaced: (name, model) => `${model} takes no pictures: it gets a sentence instead of ${name}.`,
    linkNotTaken: (name, model) =>
      `The endpoint of ${model} does not take ${name} by its address: it gets a sentence instead.`,
    pictureMissing: (name) => `The stored bytes of ${name} are gone: the model gets a sentence instead.`,
    pictureDamaged: (name) => `The stored bytes of ${name} are damaged: the model gets a sentence instead.`,
    pictureNotPrepared: (name) => `${name} could not be made ready to send: the model gets a sentence instead.`,
    pictureNotAdmitted: (name) => `${name} was not taken into this conversation: the model gets a sentence instead.`,
  },
  'zh-CN': {
    unknownTool: (name, known) => `错误:没有名为“${name}”的工具。可用工具:${known.join('、')}。`,
    invalidArguments: (name, reason) => `错误:${name} 的参数无效(${reason})。请用一个完整的 JSON 对象重新调用。`,
    toolFailed: (name, reason) => `错误:${name} 执行失败:${reason}`,
    refusedByProfile: (name) =>
      `已拒绝:本会话为只读,未运行 ${name},没有任何更改。请在不使用它的情况下继续,并告知用户你原本要做什么。`,
    nobodyToAsk: (name) =>
      `已拒绝:未运行 ${name},因为该调用需要用户批准,而此处无人可询问。请在不使用它的情况下继续,并告知用户尚待完成的事项。用户可在终端中运行或使用 --yes 来允许此类调用。`,
    deniedByUser: (name, reason) =>
      `未获批准:未运行 ${name},用户没有允许该调用。${reason === undefined ? '' : `理由:${reason}`}\n请勿重复该调用;请询问用户或另寻办法。`,
    approvalFailed: (name, reason) =>
      `已拒绝:未运行 ${name},因为无法询问用户(${reason})。请在不使用它的情况下继续,并告知用户尚待完成的事项。`,
    dataRemoved: (characters) => `[已移除 ${characters} 个字符的 base64 数据]`,
    pictureReplaced: (name, model) => `${model} 不支持图片输入:${name} 以文字说明代替。`,
    linkNotTaken: (name, model) => `${model} 的端点不接受以地址给出的 ${name},以文字说明代替。`,
    pictureMissing: (name) => `${name} 的已存储内容丢失,以文字说明代替。`,
    pictureDamaged: (name) => `${name} 的已存储内容已损坏,以文字说明代替。`,
    pictureNotPrepared: (name) => `${name} 无法处理为可发送的图片,以文字说明代替。`,
    pictureNotAdmitted: (name) => `${name} 未存入本会话,以文字说明代替。`,
  },
};
