import type { ErrorCode, Locale } from '@fovea/core/base';

/** The error as it is told; `data.localized` is true where the message is in the user's language. */
export interface TellableError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The user-facing line of an error: one line, chosen by its code. English errors carry a whole
 * sentence already; in Chinese the code's sentence comes first and the technical words follow,
 * unless the message is Chinese itself.
 */
export function errorLine(error: TellableError, locale: Locale): string {
  const message = error.message.replace(/\s*\n\s*/g, ' ').trim();
  if (locale === 'en') return english[error.code] === undefined ? message : `${message}. ${english[error.code]}`;
  const sentence = chinese[error.code];
  if (sentence === undefined || error.data?.['localized'] === true || /\p{Script=Han}/u.test(message)) return message;
  return `${sentence}(${message})`;
}

/** What to do, where the sentence of the error does not say it. */
const english: Partial<Record<ErrorCode, string>> = {
  SUBMISSION_CONFLICT: 'Choose another id for other content.',
  QUEUE_FULL: 'Wait until some are answered, or take one out: fovea sessions queue shows them.',
  QUEUE_READ_ONLY: 'Use the newer Fovea.',
  TEXT_TOO_LONG: 'Save it as a file, and name the file in the message.',
};

const chinese: Partial<Record<ErrorCode, string>> = {
  USAGE: '命令用法有误',
  CONFIG_INVALID: '配置有误',
  NO_MODEL_CHOSEN: '有多个模型可用,请用 -m 渠道/模型 选择一个',
  UNKNOWN_CHANNEL: '没有这个渠道',
  UNKNOWN_MODEL: '该渠道没有这个模型',
  UNKNOWN_WIRE_API: '此版本不支持该渠道的协议',
  KEY_MISSING: '没有设置渠道的密钥',
  SESSION_NOT_FOUND: '没有这个会话',
  SESSION_BUSY: '另一个进程正在运行该会话',
  SUBMISSION_CONFLICT: '此 id 之前已用于其他内容,请换一个 id',
  QUEUE_FULL: '该会话等待的消息已满,请等待或取出一条(见 fovea sessions queue)',
  QUEUE_READ_ONLY: '该会话的队列由更新版本的 Fovea 写入,只能读取',
  QUEUE_ITEM_NOT_FOUND: '该会话没有这条等待的消息',
  TEXT_TOO_LONG: '文本超过一条消息的上限,请保存为文件并在消息中写出文件名',
  LEASE_LOST: '另一个进程接管了该会话,此进程不能再写入',
  ENDPOINT_UNREACHABLE: '无法连接端点',
  ENDPOINT_UNAUTHORIZED: '端点拒绝了密钥',
  ENDPOINT_NOT_FOUND: '端点不认识该地址或模型',
  ENDPOINT_RATE_LIMITED: '端点要求稍后再试',
  ENDPOINT_REFUSED: '端点拒绝了请求',
  ENDPOINT_FAILED: '端点自身出错',
  ENDPOINT_NOT_AN_API: '该地址返回的不是模型接口',
  STREAM_CUT: '回答中途断开',
  STREAM_IDLE: '端点长时间没有响应',
  STREAM_INVALID: '无法理解端点的回答',
  OUTPUT_LIMIT: '回答达到输出上限',
  CONTENT_FILTERED: '端点拦截了回答',
  ANSWER_EMPTY: '模型没有回答任何内容',
  STEP_LIMIT: '本轮步骤过多',
  STORE_UNAVAILABLE: '无法打开或写入存储',
  RECORD_INVALID: '存储的记录无效',
  BLOB_MISSING: '存储的图片缺失',
  BLOB_DAMAGED: '存储的图片已损坏',
  UNSUPPORTED_REVISION: '该记录由更新版本的 Fovea 写入',
  INTERNAL: 'Fovea 内部错误',
};
