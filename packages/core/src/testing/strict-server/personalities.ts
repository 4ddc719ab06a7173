import type { LimitRow } from '../../catalog/limit-row.ts';
import { chatPersonalities, vllmPersonality } from './chat/chat-personalities.ts';
import type { CheckRefusal } from './check-failure.ts';
import { messagesPersonalities } from './messages/messages-personalities.ts';
import type { Personality } from './personality.ts';
import type { RequestPicture } from './request-picture.ts';
import { responsesPersonalities } from './responses/responses-personalities.ts';

export type { BlindRefusal, KeyHeaderName, Personality } from './personality.ts';

// The server's own copy of these limits: a mistake in the product's catalogue must not hide itself.
const openAiLimits: LimitRow = {
  id: 'openai-chat',
  formats: ['png', 'jpeg', 'webp', 'gif-static'],
  url: true,
  fileId: false,
  toolImages: 'after-group',
  maxRaw: null,
  maxB64: null,
  maxImages: 1500,
  maxSide: null,
  manyImages: null,
  body: 512_000_000,
  detail: ['low', 'high', 'auto', 'original'],
  confidence: 'M',
};

const deepSeekLimits: LimitRow = {
  id: 'deepseek-chat',
  formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
  url: true,
  fileId: true,
  toolImages: 'after-group',
  maxRaw: 33_554_432,
  maxB64: null,
  maxImages: 600,
  maxSide: 8192,
  manyImages: { from: 15, maxSide: 4096 },
  maxTotalRaw: 67_108_864,
  body: 50_331_648,
  detail: ['low', 'high', 'original', 'auto'],
  confidence: 'M',
};

const openAiResponses = {
  limits: { fileId: true },
  files: { 'file-ready': 'ready', 'file-expired': 'expired' },
} as const;

/** Every personality of this server. A new one is a row here. */
export const personalities = {
  openai: {
    limits: openAiLimits,
    responses: openAiResponses,
    extraKeys: { body: [], message: [] },
    oversizeBody: 'json',
  },
  'openai-textonly': {
    limits: openAiLimits,
    responses: openAiResponses,
    blind: {
      at: 'content',
      refuse: (picture) => ({
        message: 'Invalid content type. image_url is only supported by certain models.',
        param: `messages.[${picture.messageIndex}].content.[${picture.partIndex}].type`,
      }),
    },
    extraKeys: { body: [], message: [] },
    oversizeBody: 'json',
  },
  'deepseek-text': {
    limits: deepSeekLimits,
    blind: { at: 'parse', refuse: refuseAsSerde },
    extraKeys: { body: ['thinking'], message: ['reasoning_content', 'prefix'] },
    oversizeBody: 'html',
  },
  ...chatPersonalities,
  ...messagesPersonalities,
  ...responsesPersonalities,
} as const satisfies Readonly<Record<string, Personality>>;

/** `vllm-4` takes four pictures in a request. */
export type PersonalityId = keyof typeof personalities | `vllm-${number}`;

export function findPersonality(id: string): Personality | undefined {
  const vllmImages = /^vllm-(\d+)$/.exec(id)?.[1];
  if (vllmImages !== undefined) return vllmPersonality(Number(vllmImages));
  return Object.entries(personalities).find(([key]) => key === id)?.[1];
}

/** The words of a parser that knows text parts only; the place is the end of the unknown word. */
function refuseAsSerde(picture: RequestPicture, rawText: string): CheckRefusal {
  const found = /"type"\s*:\s*"image_url"/.exec(rawText);
  const before = rawText.slice(0, found === null ? 0 : found.index + found[0].length);
  const line = before.split('\n').length;
  const column = Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1));
  return {
    message:
      'Failed to deserialize the JSON body into the target type: ' +
      `messages[${picture.messageIndex}]: unknown variant \`image_url\`, expected \`text\` at line ${line} column ${column}`,
    code: 'invalid_request_error',
  };
}
