import { Compile } from 'typebox/compile';
import type { ErrorCode } from '../base/error-codes.ts';
import { isRecord } from '../base/parse-json.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { UserPicture } from './image-input.ts';
import { Message, type UserMessage } from './messages.ts';

/**
 * Why a value is no message: `BOTH_IMAGE_FIELDS` when it has the older `images` beside
 * `imageInputs`, so that it is not known which of them the user meant; else `RECORD_INVALID`.
 */
export type MessageFault = Extract<ErrorCode, 'BOTH_IMAGE_FIELDS' | 'RECORD_INVALID'>;

const validator = Compile(Message);

/**
 * A stored or imported message as every other part of the program knows it. Older user messages hold
 * `images: string[]` in place of `imageInputs`, each a data URI, an http(s) URL or the id of a
 * supplier's file; they are read here and stay in their rows as they are (requirements R133, R134).
 *
 * The channel of such a file is not known: its `channel` is empty, so that it is sent to nobody.
 */
export function parseMessage(value: unknown): Result<Message, MessageFault> {
  if (!isRecord(value) || !('images' in value)) return validator.Check(value) ? ok(value) : fail('RECORD_INVALID');
  if ('imageInputs' in value) return fail('BOTH_IMAGE_FIELDS');
  const { images, ...rest } = value;
  const message = { ...rest, imageInputs: [] };
  if (!isListOfText(images) || !validator.Check(message) || message.role !== 'user') return fail('RECORD_INVALID');
  const read: UserMessage = { ...message, imageInputs: images.map(readLegacyImage) };
  return ok(read);
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** One entry of an older `images`. */
export function readLegacyImage(text: string): UserPicture {
  if (/^\s*data:/i.test(text)) return { dataUri: text };
  return /^https?:\/\//i.test(text) ? { url: text } : { file: { channel: '', id: text } };
}
