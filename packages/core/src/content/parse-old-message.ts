import { isRecord } from '../base/parse-json.ts';
import { fail, type Result } from '../base/result.ts';
import type { LegacyToolPicture, Message } from './messages.ts';
import { type MessageFault, parseMessage } from './parse-message.ts';

/** The last storage revision whose messages are old forms. */
export const LAST_OLD_REVISION = 2;

/** When an old message was written is not known. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z';

type Body = Readonly<Record<string, unknown>>;

/**
 * A message of revision 1 or 2, which holds neither its id nor its turn (those come from its row),
 * nor its time, nor the name of the tool that it answers for. Forms:
 * `{role: 'user', content, images?: string[]}`,
 * `{role: 'assistant', content, toolCalls?: [{id, name, arguments}]}`,
 * `{role: 'tool', toolCallId?, content, metadata?: {attachments: [...]}}`, whose attachments are
 * `{mime, path, data_uri}` in revision 1 and `{mime, path, digest, width, height, size_bytes}` in
 * revision 2. A result without `toolCallId` gets an empty one here: see `nameOldResults`.
 *
 * Source: requirements, section "Old forms"; requirements R133, R134, R142.
 */
export function parseOldMessage(
  value: unknown,
  row: { readonly id: string; readonly turnId: string },
): Result<Message, MessageFault> {
  if (!isRecord(value)) return fail('RECORD_INVALID');
  const body = { createdAt: UNKNOWN_TIME, ...value, ...row };
  switch (value['role']) {
    case 'user':
      return parseMessage('images' in value || 'imageInputs' in value ? body : { ...body, imageInputs: [] });
    case 'assistant':
      return parseAnswer(body);
    case 'tool':
      return parseResult(body);
    default:
      return fail('RECORD_INVALID');
  }
}

function parseAnswer({ content, toolCalls = [], ...body }: Body): Result<Message, MessageFault> {
  if (typeof content !== 'string' || !Array.isArray(toolCalls)) return fail('RECORD_INVALID');
  const calls = toolCalls.map((call: unknown) =>
    isRecord(call)
      ? { type: 'tool-call', toolCallId: call['id'], name: call['name'], arguments: call['arguments'] }
      : undefined,
  );
  const parts = [...(content === '' ? [] : [{ type: 'text', text: content }]), ...calls];
  return parseMessage({ model: '', status: 'completed', ...body, parts });
}

function parseResult({ metadata = {}, ...body }: Body): Result<Message, MessageFault> {
  const attachments: unknown = isRecord(metadata) ? (metadata['attachments'] ?? []) : undefined;
  if (!Array.isArray(attachments)) return fail('RECORD_INVALID');
  const pictures = attachments.flatMap((attachment: unknown) => readLegacyToolPicture(attachment) ?? []);
  const message = parseMessage({
    toolCallId: '',
    toolName: '',
    isError: false,
    ...body,
    metadata: { attachments: attachments.filter((attachment) => readLegacyToolPicture(attachment) === undefined) },
  });
  if (!message.ok || message.value.role !== 'tool' || pictures.length === 0) return message;
  const { metadata: read, ...rest } = message.value;
  return { ok: true, value: { ...rest, metadata: { ...read, legacyPictures: pictures } } };
}

/** `undefined` for an attachment that refers to stored bytes. */
function readLegacyToolPicture(attachment: unknown): LegacyToolPicture | undefined {
  if (!isRecord(attachment) || typeof attachment['data_uri'] !== 'string' || 'digest' in attachment) return undefined;
  const { mime, path, data_uri: dataUri } = attachment;
  return { mime: typeof mime === 'string' ? mime : '', path: typeof path === 'string' ? path : '', dataUri };
}
