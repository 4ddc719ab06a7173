import type { LimitRow } from '../../../catalog/limit-row.ts';
import type { CheckFailure } from '../check-failure.ts';
import type { Personality } from '../personality.ts';

// The server's own copy of every limit: a mistake in the product's catalogue must not hide itself.
const baseLimits: LimitRow = {
  id: 'strict',
  formats: ['png', 'jpeg', 'webp', 'gif-static'],
  url: true,
  fileId: false,
  toolImages: 'after-group',
  maxRaw: null,
  maxB64: null,
  maxImages: null,
  maxSide: null,
  manyImages: null,
  body: null,
  detail: null,
  confidence: 'M',
};

const deepSeekLimits: LimitRow = {
  ...baseLimits,
  id: 'deepseek-chat',
  formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
  fileId: true,
  maxRaw: 33_554_432,
  maxImages: 600,
  maxSide: 8192,
  manyImages: { from: 15, maxSide: 4096 },
  maxTotalRaw: 67_108_864,
  body: 50_331_648,
  detail: ['low', 'high', 'original', 'auto'],
};

const zhipuLimits: LimitRow = {
  ...baseLimits,
  id: 'zhipu',
  formats: ['png', 'jpeg'],
  maxRaw: 5_242_879,
  maxImages: 50,
  maxSide: 6000,
};

const protocolKeys = { body: [], message: [] } as const;
const thinkingKeys = { body: ['thinking'], message: ['reasoning_content'] } as const;

const plain = { extraKeys: protocolKeys, oversizeBody: 'json' } as const;

/** Fields of a failure that an endpoint says in its own way. */
function say(failure: CheckFailure, fields: Partial<Omit<CheckFailure, 'check'>>): CheckFailure {
  return { ...failure, ...fields };
}

const refuseBlind =
  (fields: { readonly message: string; readonly status?: number; readonly code?: string; readonly type?: string }) =>
  () =>
    fields;

/** The form of errors of vLLM and of Mistral: the fields at the top. */
const topLevelError = (code: (failure: CheckFailure) => unknown) => (failure: CheckFailure) => ({
  object: 'error',
  message: failure.message,
  type: failure.type,
  param: failure.param,
  code: code(failure),
});

/**
 * Kinds of endpoints that speak Chat Completions. Each refuses in the status, words and form of the
 * original. Sources: wire-facts sections 5, 6 and 12; for Mistral the reports named at its row.
 */
export const chatPersonalities = {
  /** Pictures in user messages only; thinking comes back with every message of a tool loop. */
  'deepseek-vision': {
    limits: deepSeekLimits,
    extraKeys: { body: ['thinking'], message: ['reasoning_content', 'prefix'] },
    oversizeBody: 'html',
    demandsReasoning: true,
    responses: { strictPairs: true, files: { 'file-ready': 'ready' } },
    reword: (failure) =>
      failure.check === 'c3'
        ? say(failure, { message: 'Images are supported in user messages only', param: null, code: null })
        : failure,
  },
  zhipu: { limits: zhipuLimits, extraKeys: thinkingKeys, oversizeBody: 'json', errorBody: sayAsZhipu },
  'zhipu-text': {
    limits: zhipuLimits,
    extraKeys: thinkingKeys,
    oversizeBody: 'json',
    blind: {
      at: 'content',
      refuse: refuseBlind({ message: "messages.content.type 参数非法，取值范围 ['text']", code: '1210' }),
    },
    errorBody: sayAsZhipu,
  },
  /** Takes no web addresses. */
  kimi: {
    limits: {
      ...baseLimits,
      id: 'moonshot',
      formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
      url: false,
      fileId: true,
      maxSide: 4096,
      body: 100_000_000,
    },
    extraKeys: thinkingKeys,
    oversizeBody: 'json',
    demandsReasoning: true,
    errorBody: ({ message, type }) => ({ error: { message, type } }),
  },
  /** Wants the key as `api-key`. */
  azure: {
    ...plain,
    limits: {
      ...baseLimits,
      id: 'azure-openai',
      maxRaw: 20_971_520,
      maxImages: 10,
      detail: ['low', 'high', 'auto'],
      confidence: 'L',
    },
    keyHeaders: ['api-key'],
    responses: {},
    reword: (failure) =>
      failure.check === 'c7'
        ? say(failure, { message: failure.message.replace(/^Invalid '/, "Invalid image URL: '") })
        : failure,
  },
  /** Wants no key, takes no GIF and no web addresses. */
  ollama: {
    ...plain,
    limits: { ...baseLimits, id: 'ollama-v1', formats: ['png', 'jpeg', 'webp'], url: false, confidence: 'H' },
    keyHeaders: [],
    responses: {},
    bareImageUrls: true,
    reword: sayAsOllama,
  },
  'openrouter-text': {
    ...plain,
    limits: {
      ...baseLimits,
      id: 'openrouter',
      maxB64: 5_242_880,
      maxImages: 100,
      maxSide: 8000,
      manyImages: { over: 20, maxSide: 2000 },
      body: 33_554_432,
      detail: ['low', 'high', 'auto'],
    },
    blind: {
      at: 'content',
      refuse: refuseBlind({ status: 404, message: 'No endpoints found that support image input' }),
    },
    errorBody: ({ message, status }) => ({ error: { message, code: status } }),
  },
  /** The error is a bare string. */
  'lmstudio-text': {
    ...plain,
    limits: { ...baseLimits, id: 'lmstudio', formats: ['png', 'jpeg', 'webp'], url: false },
    keyHeaders: [],
    blind: {
      at: 'content',
      refuse: refuseBlind({ message: 'Model does not support images. Please use a model that does.' }),
    },
    errorBody: ({ message }) => ({ error: message }),
  },
  /** The same inside a stream that began with status 200. */
  'lmstudio-text-stream': {
    ...plain,
    limits: { ...baseLimits, id: 'lmstudio', formats: ['png', 'jpeg', 'webp'], url: false },
    keyHeaders: [],
    blind: {
      at: 'content',
      refuse: refuseBlind({ message: 'Model does not support images. Please use a model that does.' }),
    },
    errorBody: ({ message }) => ({ error: message }),
    failsAs: 'stream-error',
  },
  'llamacpp-text': {
    ...plain,
    limits: { ...baseLimits, id: 'llamacpp', formats: ['png', 'jpeg'], url: false, confidence: 'L' },
    extraKeys: thinkingKeys,
    keyHeaders: [],
    blind: {
      at: 'content',
      refuse: refuseBlind({
        status: 500,
        message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        type: 'server_error',
      }),
    },
    errorBody: ({ status, message, type }) => ({ error: { code: status, message, type } }),
  },
  /** Everything that it says begins with its own prefix. */
  dashscope: {
    limits: {
      ...baseLimits,
      id: 'dashscope-chat',
      formats: ['png', 'jpeg', 'webp'],
      maxRaw: 20_971_520,
      maxB64: 20_971_520,
      maxImages: 250,
      minSide: 11,
      maxRatio: 200,
      maxSide: 7680,
    },
    extraKeys: {
      body: ['enable_thinking', 'vl_high_resolution_images'],
      message: ['reasoning_content'],
      part: ['min_pixels', 'max_pixels'],
    },
    oversizeBody: 'json',
    reword: sayAsDashScope,
  },
  /**
   * Takes no user message after a tool message. Sources: datapizza-labs/datapizza-ai 98,
   * avante-corp/avante.nvim 2695, zed-industries/zed 37021.
   */
  mistral: {
    ...plain,
    limits: { ...baseLimits, id: 'mistral', maxRaw: 10_485_760, maxImages: 8, confidence: 'L' },
    refusesUserAfterTool: true,
    bareImageUrls: true,
    errorBody: topLevelError(({ code }) => code),
  },
  ark: {
    limits: {
      ...baseLimits,
      id: 'volcengine-ark',
      formats: ['png', 'jpeg', 'webp', 'gif-first-frame'],
      maxRaw: 10_485_760,
      maxPixels: 36_000_000,
      body: 67_108_864,
      detail: ['low', 'high', 'xhigh'],
      confidence: 'L',
    },
    extraKeys: { ...thinkingKeys, image: ['image_pixel_limit'] },
    oversizeBody: 'json',
    reword: (failure) =>
      failure.check === 'c7' || failure.check === 'c9'
        ? say(failure, { code: 'InvalidParameter.UnsupportedImageFormat', param: 'image_url', type: 'BadRequest' })
        : failure,
  },
  /** Takes pictures with status 200 and looks at none. */
  'silent-drop': { ...plain, limits: baseLimits, ignoresPictures: true },
  /** Passes the refusal of what is behind it on as the words of an answer. */
  'proxy-error-as-text': {
    ...plain,
    limits: baseLimits,
    blind: { at: 'content', refuse: refuseBlind({ message: 'Could not process image' }) },
    failsAs: 'text',
  },
  /** Too large in sum is answered with 429. */
  'peak-429': {
    ...plain,
    limits: { ...baseLimits, maxTotalRaw: 1_048_576 },
    reword: (failure) =>
      failure.check === 'c11'
        ? say(failure, {
            status: 429,
            message: 'The image exceeds the maximum usage size allowed during peak load.',
            param: null,
            code: null,
          })
        : failure,
  },
} as const satisfies Readonly<Record<string, Personality>>;

function sayAsZhipu({ code, message }: CheckFailure): unknown {
  return { error: { code: code !== null && /^\d+$/.test(code) ? code : '1214', message } };
}

/** vLLM with a limit on pictures, which counts those of the whole history. 0: a model without eyes. */
export function vllmPersonality(maxImages: number): Personality {
  return {
    limits: { ...baseLimits, id: 'vllm', maxImages },
    extraKeys: { body: [], message: ['reasoning', 'reasoning_content'] },
    oversizeBody: 'json',
    keyHeaders: [],
    reword: (failure) =>
      failure.check === 'c11' && failure.message.startsWith('Too many images')
        ? say(failure, { message: `At most ${maxImages} image(s) may be provided in one prompt.`, param: null })
        : failure,
    errorBody: (failure) => ({ ...topLevelError(({ status }) => status)(failure), type: 'BadRequestError' }),
  };
}

function sayAsOllama(failure: CheckFailure): CheckFailure {
  const isUrl = failure.message.endsWith('a web address.');
  switch (failure.check) {
    case 'c7':
      return say(failure, {
        message: isUrl
          ? 'image URLs are not currently supported, please use base64 encoded data instead'
          : 'invalid image input',
        param: null,
        code: null,
      });
    case 'c8':
    case 'c9':
      return say(failure, { message: 'invalid image input', param: null, code: null });
    default:
      return failure;
  }
}

function sayAsDashScope(failure: CheckFailure): CheckFailure {
  const isSide = failure.check === 'c11' && /pixels|to 1/.test(failure.message);
  const words = isSide ? 'The image length and width do not meet the model restrictions.' : failure.message;
  return say(failure, {
    message: `<400> InternalError.Algo.InvalidParameter: ${words}`,
    code: failure.code ?? 'invalid_parameter_error',
  });
}
