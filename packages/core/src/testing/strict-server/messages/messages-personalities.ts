import type { LimitRow } from '../../../catalog/limit-row.ts';
import type { MessagesManners, Personality } from '../personality.ts';

// The server's own copy of these limits: a mistake in the product's catalogue must not hide itself.
const anthropicLimits: LimitRow = {
  id: 'anthropic',
  formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
  url: true,
  fileId: true,
  toolImages: 'inline',
  maxRaw: null,
  maxB64: 10_485_760,
  maxImages: 600,
  maxSide: 8000,
  maxPatches28: 1568,
  manyImages: { over: 20, maxSide: 2000 },
  body: 33_554_432,
  detail: null,
  confidence: 'H',
};

const bedrockLimits: LimitRow = {
  ...anthropicLimits,
  id: 'anthropic-bedrock-vertex',
  url: false,
  fileId: false,
  maxB64: 5_242_880,
  maxImages: 100,
  body: 20_971_520,
  confidence: 'M',
};

const deepSeekLimits: LimitRow = {
  id: 'deepseek-messages',
  formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
  url: true,
  fileId: true,
  toolImages: 'toplevel-user',
  maxRaw: 33_554_432,
  maxB64: null,
  maxImages: 600,
  maxSide: 8192,
  manyImages: { from: 15, maxSide: 4096 },
  maxTotalRaw: 67_108_864,
  body: 50_331_648,
  detail: null,
  confidence: 'M',
};

const dashScopeLimits: LimitRow = {
  id: 'dashscope-messages',
  formats: ['png', 'jpeg', 'webp'],
  url: true,
  fileId: false,
  toolImages: 'toplevel-user',
  maxRaw: null,
  maxB64: null,
  maxImages: 250,
  minSide: 11,
  maxRatio: 200,
  maxSide: 7680,
  manyImages: null,
  body: 6_291_456,
  detail: null,
  confidence: 'M',
};

const ollamaLimits: LimitRow = {
  id: 'ollama-messages',
  formats: ['png', 'jpeg', 'webp'],
  url: false,
  fileId: false,
  toolImages: 'inline',
  maxRaw: null,
  maxB64: null,
  maxImages: null,
  maxSide: null,
  manyImages: null,
  body: null,
  detail: null,
  confidence: 'H',
};

const plain = { extraKeys: { body: [], message: [] }, oversizeBody: 'json' } as const;

const anthropicManners: MessagesManners = {
  sources: ['base64', 'url', 'file'],
  toolResultImages: true,
  cacheControl: true,
  version: true,
  dimensionErrors: 'details',
};

/** Endpoints that speak Anthropic Messages. */
export const messagesPersonalities = {
  'anthropic-now': {
    ...plain,
    limits: anthropicLimits,
    keyHeaders: ['authorization', 'x-api-key'],
    messages: anthropicManners,
  },
  bedrock: {
    ...plain,
    limits: bedrockLimits,
    keyHeaders: ['authorization', 'x-api-key'],
    oversizeBody: 'html',
    messages: { ...anthropicManners, sources: ['base64'], dimensionErrors: 'words' },
  },
  'deepseek-messages': {
    ...plain,
    limits: deepSeekLimits,
    keyHeaders: ['x-api-key'],
    messages: { ...anthropicManners, toolResultImages: false, cacheControl: false, dimensionErrors: 'words' },
  },
  'dashscope-messages': {
    ...plain,
    limits: dashScopeLimits,
    keyHeaders: ['authorization', 'x-api-key'],
    messages: {
      ...anthropicManners,
      sources: ['base64', 'url'],
      toolResultImages: false,
      cacheControl: false,
      dimensionErrors: 'words',
    },
    reword: (failure) => ({
      ...failure,
      message: `<${failure.status}> InternalError.Algo.InvalidParameter: ${failure.message}`,
    }),
  },
  'ollama-messages': {
    ...plain,
    limits: ollamaLimits,
    keyHeaders: [],
    messages: {
      ...anthropicManners,
      sources: ['base64'],
      cacheControl: false,
      version: false,
      dimensionErrors: 'words',
    },
    reword: (failure) => {
      const [, kind] = /image\.source\.type: .* got '(\w+)'$/.exec(failure.message) ?? [];
      if (kind === undefined) return failure;
      return { ...failure, message: `invalid image source type: ${kind}. Only base64 images are supported.` };
    },
  },
} as const satisfies Readonly<Record<string, Personality>>;
