import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { classifyError, isErrorAsText, isRetryable } from './classify-error.ts';
import { createEndpointError, type EndpointFailure } from './endpoint-error.ts';
import { readChatFailure } from './openai-chat/errors.ts';
import type { PictureErrorKind } from './picture-error-patterns.ts';
import type { PicturePosition } from './picture-position.ts';

const context = { channel: 'lab', secrets: [] };
const withImages = { hasImages: true };

const failed = (failure: EndpointFailure, status?: number, shouldRetry?: boolean) =>
  createEndpointError(failure, context, {
    ...(status !== undefined && { status }),
    ...(shouldRetry !== undefined && { shouldRetry }),
  });

interface Row {
  readonly from: string;
  /** Absent: inside a stream. */
  readonly status?: number;
  readonly failure: EndpointFailure;
  readonly positions?: readonly PicturePosition[];
  readonly limits?: object;
  readonly isExpired?: boolean;
}

const at = (list: PicturePosition['list'], itemIndex: number, partIndex?: number, innerIndex?: number) => ({
  list,
  itemIndex,
  ...(partIndex !== undefined && { partIndex }),
  ...(innerIndex !== undefined && { innerIndex }),
});

const blind: readonly Row[] = [
  {
    from: 'OpenAI',
    status: 400,
    failure: { words: 'Invalid content type. image_url is only supported by certain models.' },
  },
  { from: 'OpenAI, shortened', status: 400, failure: { words: 'Invalid content type' } },
  {
    from: 'DeepSeek',
    status: 400,
    failure: {
      words:
        'Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text` at line 1 column 977',
      code: 'invalid_request_error',
    },
    positions: [at('messages', 3)],
  },
  {
    from: 'a gateway',
    status: 422,
    failure: { words: 'messages[2]: data did not match any variant of untagged enum ChatCompletionRequestContent' },
    positions: [at('messages', 2)],
  },
  {
    from: 'a gateway with strings only',
    status: 422,
    failure: { words: 'messages[1].content: invalid type: sequence, expected a string' },
    positions: [at('messages', 1)],
  },
  { from: 'OpenRouter', status: 404, failure: { words: 'No endpoints found that support image input', status: 404 } },
  { from: 'a reseller of it', status: 400, failure: { words: 'No endpoints found that support image input' } },
  {
    from: 'LM Studio',
    status: 400,
    failure: readChatFailure('{"error":"Model does not support images. Please use a model that does."}'),
  },
  {
    from: 'LM Studio in a stream',
    failure: readChatFailure('{"error":"Model does not support images. Please use a model that does."}'),
  },
  {
    from: 'llama.cpp',
    status: 500,
    failure: {
      words: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
      code: 'server_error',
    },
  },
  { from: 'vLLM', status: 400, failure: { words: 'Qwen/Qwen3-8B is not a multimodal model' } },
  {
    from: 'vLLM without pictures',
    status: 400,
    failure: { words: 'At most 0 image(s) may be provided in one prompt.' },
  },
  { from: 'Ollama', status: 400, failure: { words: 'this model does not support vision' } },
  { from: 'Ollama, newer', status: 400, failure: { words: '"qwen3:4b" does not support image input' } },
  {
    from: 'Zhipu',
    status: 400,
    failure: { words: "messages.content.type 参数非法，取值范围 ['text']", code: '1210' },
  },
  { from: 'any', status: 400, failure: { words: 'The selected model does not support multimodal content' } },
  { from: 'any Responses clone', status: 400, failure: { words: "Content type 'input_image' is not supported here" } },
  { from: 'any', status: 400, failure: { words: 'This is a text-only model.' } },
  { from: 'any', status: 422, failure: { words: "content type must be one of the allowed values: ['text']" } },
  { from: 'any', status: 400, failure: { words: 'Multimodal data is corrupted' } },
];

const bad: readonly Row[] = [
  {
    from: 'OpenAI Chat',
    status: 400,
    failure: {
      words:
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      code: 'invalid_image_format',
    },
  },
  {
    from: 'OpenAI Chat',
    status: 400,
    failure: { words: 'Invalid MIME type. Only image types are supported.', code: 'invalid_image_format' },
  },
  { from: 'OpenAI Chat', status: 400, failure: { words: 'Bad request', code: 'sanitizer_server_error' } },
  {
    from: 'OpenAI Responses',
    status: 400,
    failure: {
      words:
        "Invalid 'input[5].output[3].image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1n'), but got an invalid base64-encoded value.",
      param: 'input[5].output[3].image_url',
      code: 'invalid_value',
    },
    positions: [at('input', 5, 3)],
  },
  {
    from: 'OpenAI Responses',
    status: 400,
    failure: { words: 'but got empty base64-encoded bytes.', param: 'input[566].content[2].image_url' },
    positions: [at('input', 566, 2)],
  },
  {
    from: 'Azure',
    status: 400,
    failure: { words: "Invalid image URL: 'messages[1].content[0].image_url.url'. Expected a valid URL." },
    positions: [at('messages', 1, 0)],
  },
  {
    from: 'Azure',
    status: 400,
    failure: {
      words: "but got unsupported MIME type 'image/svg+xml'.",
      code: 'invalid_value',
      param: 'messages[1].content[0].image_url.url',
    },
    positions: [at('messages', 1, 0)],
  },
  ...[
    'invalid_image',
    'invalid_image_format',
    'invalid_base64_image',
    'invalid_image_url',
    'image_too_large',
    'image_too_small',
    'image_parse_error',
    'image_content_policy_violation',
    'invalid_image_mode',
    'image_file_too_large',
    'unsupported_image_media_type',
    'empty_image_file',
    'failed_to_download_image',
  ].map((code): Row => ({ from: `OpenAI Responses in a stream: ${code}`, failure: { words: 'It failed.', code } })),
  {
    from: 'OpenAI Responses in a stream: a file that is gone',
    failure: { words: 'It failed.', code: 'image_file_not_found' },
    isExpired: true,
  },
  {
    from: 'a cap of patches',
    status: 400,
    failure: { words: 'The image requires 12000 patches after processing, exceeding the limit of 10000.' },
    limits: { maxPatches: 10_000 },
  },
  {
    from: 'Anthropic, machine-readable',
    status: 400,
    failure: {
      words: 'Image dimensions are too large.',
      code: 'image_dimensions_too_large',
      paths: ['messages.0.content.1.content.0', 'messages.2.content.0'],
      maxSidePx: 8000,
    },
    positions: [at('messages', 0, 1, 0), at('messages', 2, 0)],
    limits: { maxSidePx: 8000 },
  },
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words:
        'messages.5.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    },
    positions: [at('messages', 5, 2)],
    limits: { maxSidePx: 8000 },
  },
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words: 'messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    },
    positions: [at('messages', 3, 1)],
    limits: { maxBytes: 5_242_880 },
  },
  {
    from: 'Anthropic, inside a tool result',
    status: 400,
    failure: {
      words:
        'messages.20.content.0.tool_result.content.1.image.source.base64.data: The image was specified using the image/png media type, but the image appears to be a image/jpeg image',
    },
    positions: [at('messages', 20, 0, 1)],
  },
  { from: 'Anthropic', status: 400, failure: { words: 'Image does not match the provided media type image/png' } },
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words:
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    },
    positions: [at('messages', 0, 0)],
  },
  { from: 'Anthropic and Bedrock', status: 400, failure: { words: 'Could not process image' } },
  {
    from: 'Anthropic: a file that is gone',
    status: 404,
    failure: { words: 'File file_011 has expired.', code: 'file_expired' },
    isExpired: true,
  },
  {
    from: 'Ark',
    status: 400,
    failure: {
      words: 'Unsupported image.',
      code: 'InvalidParameter.UnsupportedImageFormat',
      param: 'image_url',
    },
  },
  { from: 'Ark', status: 400, failure: { words: 'Bad.', code: 'InvalidParameter', param: 'image_url' } },
  {
    from: 'DashScope',
    status: 400,
    failure: {
      words:
        '<400> InternalError.Algo.InvalidParameter: The image length and width do not meet the model restrictions. [height:8 or width:8 must be larger than 10]',
      code: 'invalid_parameter_error',
    },
  },
  { from: 'Ollama', status: 400, failure: { words: 'invalid image input' } },
  {
    from: 'Ollama',
    status: 400,
    failure: { words: 'image URLs are not currently supported, please use base64 encoded data instead' },
  },
  {
    from: 'Ollama, Messages',
    status: 400,
    failure: { words: 'invalid image source type: url. Only base64 images are supported.' },
  },
  { from: 'Gemini', status: 400, failure: { words: 'Unable to process input image', code: 'INVALID_ARGUMENT' } },
];

const tooMuch: readonly Row[] = [
  {
    from: 'a route at peak times',
    status: 429,
    failure: { words: 'The image exceeds the maximum usage size allowed during peak load.' },
  },
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words:
        'messages.4.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    },
    positions: [at('messages', 4, 1)],
    limits: { maxSidePx: 2000 },
  },
  {
    from: 'Anthropic',
    status: 413,
    failure: { words: 'Request exceeds the maximum size', code: 'request_too_large' },
  },
  { from: 'a proxy, as a web page', status: 413, failure: { words: '413 Request Entity Too Large' } },
  {
    from: 'vLLM',
    status: 400,
    failure: { words: 'At most 1 image(s) may be provided in one prompt.', code: 'BadRequestError' },
    limits: { maxImages: 1 },
  },
  {
    from: 'vLLM',
    status: 400,
    failure: { words: 'At most 16 image(s) may be provided in one request.' },
    limits: { maxImages: 16 },
  },
  {
    from: 'any',
    status: 400,
    failure: { words: 'Too many images in request: got 51, exceeding the limit of 50.' },
    limits: { maxImages: 50 },
  },
];

const wrongPlace: readonly Row[] = [
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words: 'messages.2.content.0.tool_result: all content must be type "text" if "is_error" is true',
    },
    positions: [at('messages', 2, 0)],
  },
  {
    from: 'OpenAI Chat',
    status: 400,
    failure: {
      words:
        "Invalid 'messages[4]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
      param: 'messages[4]',
      code: 'invalid_value',
    },
    positions: [at('messages', 4)],
  },
  { from: 'a copy of DeepSeek', status: 400, failure: { words: 'Images are supported in user messages only' } },
  { from: 'another copy', status: 400, failure: { words: 'invalid JSON request' } },
];

const brokenPairs: readonly Row[] = [
  {
    from: 'Anthropic',
    status: 400,
    failure: {
      words:
        'messages.7: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    },
    positions: [at('messages', 7)],
  },
  {
    from: 'Anthropic',
    status: 400,
    failure: { words: 'messages.8.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1' },
    positions: [at('messages', 8, 0)],
  },
  {
    from: 'Chat',
    status: 400,
    failure: {
      words:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      param: 'messages',
    },
  },
  {
    from: 'Chat',
    status: 400,
    failure: {
      words:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      param: 'messages.[3].role',
    },
    positions: [at('messages', 3)],
  },
  {
    from: 'Responses',
    status: 400,
    failure: { words: 'No tool output found for function call call_1.', param: 'input' },
  },
  {
    from: 'Responses',
    status: 400,
    failure: { words: 'No tool call found for function call output with call_id call_1.', param: 'input' },
  },
  { from: 'DeepSeek Responses', status: 400, failure: { words: 'No tool output found for tool call call_1' } },
  {
    from: 'Mistral',
    status: 400,
    failure: { words: "Unexpected role 'user' after role 'tool'", code: '3230' },
  },
  {
    from: 'Google',
    status: 400,
    failure: { words: 'Requests ending with a model turn are not supported.', code: 'INVALID_ARGUMENT' },
  },
];

const unrelated: readonly Row[] = [
  { from: 'a bare 500', status: 500, failure: {} },
  { from: 'a bare 503', status: 503, failure: { words: 'Service Unavailable' } },
  { from: 'overload', status: 529, failure: { words: 'Overloaded', code: 'overloaded_error' } },
  { from: 'a rate limit', status: 429, failure: { words: 'Rate limit reached for images per minute' } },
  { from: 'a refused key', status: 401, failure: { words: 'model does not support images with this key' } },
  {
    from: 'a long context',
    status: 400,
    failure: {
      words: "This model's maximum context length is 8192 tokens, but your images and text need 9000. Too many images.",
      code: 'context_length_exceeded',
    },
  },
  { from: 'a gone model', status: 404, failure: { words: 'The model `gpt-4-vision-preview` has been deprecated' } },
  { from: 'a name', status: 404, failure: { words: "model 'my-text-only' not found, try 'text-only:7b'" } },
  { from: 'a name in quotes', status: 400, failure: { words: 'The model "text-only" is busy' } },
  {
    from: 'an effort',
    status: 400,
    failure: { words: "Unsupported value: 'reasoning_effort' does not support 'max'" },
  },
  { from: 'other powers', status: 400, failure: { words: 'This model does not support image generation' } },
  {
    from: 'a parser that stumbles over tools',
    status: 422,
    failure: { words: 'tools[0].function: data did not match any variant of untagged enum Tool' },
  },
  {
    from: 'missing thoughts',
    status: 400,
    failure: { words: 'Missing `reasoning_content` field in the assistant message at message index 2' },
  },
  { from: 'nonsense', status: 400, failure: { words: 'Bad request' } },
];

describe('classifyError', () => {
  const table: readonly [PictureErrorKind, readonly Row[]][] = [
    ['blind-endpoint', blind],
    ['bad-picture', bad],
    ['too-much', tooMuch],
    ['wrong-place', [...wrongPlace, ...brokenPairs]],
    ['unrelated', unrelated],
  ];
  for (const [kind, rows] of table) {
    it.each(rows.map((row) => [`${row.from}: ${row.failure.words ?? 'no words'}`, row] as const))(
      `is ${kind}: %s`,
      (_name, { failure, status, positions, limits, isExpired }) => {
        expect(classifyError(failed(failure, status), withImages)).toEqual({
          kind,
          positions: positions ?? [],
          limits: limits ?? {},
          isExpired: isExpired ?? false,
        });
      },
    );
  }

  it('blames no picture where none was sent, but knows broken pairs of calls and answers', () => {
    for (const { failure, status } of [...blind, ...bad, ...tooMuch, ...wrongPlace]) {
      expect(classifyError(failed(failure, status), { hasImages: false }).kind, failure.words).toBe('unrelated');
    }
    for (const { failure, status } of brokenPairs) {
      expect(classifyError(failed(failure, status), { hasImages: false }).kind, failure.words).toBe('wrong-place');
    }
  });

  it('reads the words of a provider inside those of a router', () => {
    const raw =
      '{"error":{"message":"messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6 bytes > 5 bytes"}}';
    const failure = readChatFailure(
      JSON.stringify({ error: { message: 'Provider returned error', code: 400, metadata: { raw } } }),
    );
    expect(classifyError(failed(failure, 400), withImages)).toMatchObject({
      kind: 'bad-picture',
      positions: [at('messages', 3, 1)],
      limits: { maxBytes: 5 },
    });
  });

  it('takes corrupted media for a bad picture where the model is known to see', () => {
    const error = failed({ words: 'Multimodal data is corrupted' }, 400);
    expect(classifyError(error, { hasImages: true, imageInput: 'yes' }).kind).toBe('bad-picture');
    expect(classifyError(error, { hasImages: true, imageInput: 'unknown' }).kind).toBe('blind-endpoint');
  });

  it('tells a format that is not taken from a model that does not see', () => {
    for (const words of [
      'does not support image/heic',
      'does not support image type webp',
      'does not support images larger than 4 MB',
      'does not support image URLs',
      'does not support gif images',
    ]) {
      expect(classifyError(failed({ words }, 400), withImages).kind, words).not.toBe('blind-endpoint');
    }
    expect(classifyError(failed({ words: 'does not support images.' }, 400), withImages).kind).toBe('blind-endpoint');
  });

  it('never judges what did not come from the endpoint', () => {
    const words = { endpointMessage: 'Could not process image', status: 400 };
    const codes: readonly ErrorCode[] = ['CANCELED', 'STREAM_IDLE', 'STREAM_CUT', 'ENDPOINT_UNREACHABLE', 'INTERNAL'];
    for (const code of codes) {
      expect(classifyError(new AppError(code, 'x', { data: words }), withImages).kind, code).toBe('unrelated');
    }
  });
});

describe('isRetryable', () => {
  it.each([...blind, ...bad, ...tooMuch, ...wrongPlace, ...brokenPairs])(
    'never sends a refused picture again, whatever the status and the headers: $from',
    ({ failure, status }) => {
      expect(isRetryable(failed(failure, status))).toBe(false);
      expect(isRetryable(failed(failure, status, true))).toBe(false);
    },
  );

  it.each<[string, AppError]>([
    ['a rate limit', failed({ words: 'slow down' }, 429)],
    ['500', failed({ words: 'The server had an error' }, 500)],
    ['503', failed({}, 503)],
    ['529', failed({ words: 'Overloaded', code: 'overloaded_error' }, 529)],
    ['408', failed({}, 408)],
    ['overload in a stream', failed({ words: 'Overloaded', code: 'overloaded_error' })],
    ['a refused connection', new AppError('ENDPOINT_UNREACHABLE', 'x', { data: { networkCode: 'ECONNREFUSED' } })],
    ['a reset', new AppError('ENDPOINT_UNREACHABLE', 'x', { data: { networkCode: 'ECONNRESET' } })],
  ])('tries again after %s', (_name, error) => {
    expect(isRetryable(error)).toBe(true);
  });

  it.each<[string, AppError]>([
    ['a bad request', failed({ words: 'Bad request' }, 400)],
    ['a refused key', failed({}, 401)],
    ['an unknown model', failed({ code: 'model_not_found' }, 404)],
    ['a spent quota', failed({ words: 'You exceeded your current quota', code: 'insufficient_quota' }, 429)],
    ['what is not implemented', failed({}, 501)],
    ['an unknown error in a stream', failed({ words: 'something' })],
    ['an unknown name', new AppError('ENDPOINT_UNREACHABLE', 'x', { data: { networkCode: 'ENOTFOUND' } })],
    ['a bad certificate', new AppError('ENDPOINT_UNREACHABLE', 'x', { data: { networkCode: 'CERT_HAS_EXPIRED' } })],
    ['a stop', new AppError('CANCELED', 'x')],
    ['a cut answer', new AppError('STREAM_CUT', 'x')],
    ['silence', new AppError('STREAM_IDLE', 'x')],
  ])('does not try again after %s', (_name, error) => {
    expect(isRetryable(error)).toBe(false);
  });

  it('does what the endpoint says', () => {
    expect(isRetryable(failed({ words: 'Overloaded' }, 503, false))).toBe(false);
    expect(isRetryable(failed({ words: 'conflict' }, 409, true))).toBe(true);
    expect(isRetryable(failed({ words: 'conflict' }, 409))).toBe(false);
  });
});

describe('isErrorAsText', () => {
  it('finds the error of an endpoint that came as an answer', () => {
    expect(isErrorAsText('[Error: 400 {"message":"Could not process image"}]')).toBe(true);
    expect(isErrorAsText('API Error: 400 {"type":"error","error":{"message":"x"}}')).toBe(true);
    expect(isErrorAsText('The page shows an error: 404 {"message":"x"}')).toBe(false);
    expect(isErrorAsText('Error: 400 means a bad request.')).toBe(false);
  });
});
