import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LimitRow } from '../../../catalog/limit-row.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from '../../make-pictures.ts';
import type { CheckId } from '../check-failure.ts';
import { expectClean } from '../expect-clean.ts';
import { picturePart, postChat } from '../post-chat.ts';
import { replyText } from '../reply.ts';
import { type StrictServer, startStrictServer } from '../start-strict-server.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const jpeg = makeTwoColorJpeg({ left: 'red', right: 'green' });
const user = { role: 'user', content: 'Hello' };

function call(id: string, overrides: Record<string, unknown> = {}) {
  return { id, type: 'function', function: { name: 'view_image', arguments: '{"path":"a.png"}', ...overrides } };
}

function assistant(...calls: unknown[]) {
  return { role: 'assistant', content: null, tool_calls: calls };
}

function tool(id: string, content: unknown = 'done') {
  return { role: 'tool', tool_call_id: id, content };
}

function withPart(...parts: unknown[]) {
  return { messages: [{ role: 'user', content: parts }] };
}

function withUrl(url: unknown, extra: Record<string, unknown> = {}) {
  return withPart({ type: 'image_url', image_url: { url, ...extra } });
}

function withTool(called: Record<string, unknown>) {
  return { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' }, ...called } }] };
}

const base64 = Buffer.from(png).toString('base64');

const validBody = {
  messages: [
    { role: 'system', content: 'You see.' },
    { role: 'user', content: [picturePart(png), picturePart(jpeg, 'image/jpeg'), { type: 'text', text: 'Which?' }] },
    assistant(call('call_1'), call('call_2', { arguments: '{}' })),
    tool('call_1'),
    tool('call_2', [{ type: 'text', text: 'done' }]),
    {
      role: 'user',
      content: [
        { type: 'text', text: 'call_1 view_image a.png' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'high' } },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'original' } },
      ],
    },
    { role: 'assistant', content: 'Red.' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', function: { name: 'view_image', description: 'x', parameters: { type: 'object' } } }],
  stream: true,
  stream_options: { include_usage: true },
  temperature: 0.5,
  max_completion_tokens: 100,
};

interface Case {
  readonly check: CheckId;
  readonly title: string;
  readonly body: Record<string, unknown> | string;
  readonly message: RegExp;
  readonly param?: string;
  readonly code?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

const cases: readonly Case[] = [
  {
    check: 'content-type',
    title: 'a body that is said to be text',
    body: {},
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'unsupported_content_type',
    message: /^Unsupported content type: 'text\/plain'/,
  },
  {
    check: 'auth',
    title: 'no key',
    body: {},
    headers: { authorization: '' },
    status: 401,
    code: 'invalid_api_key',
    message: /^You didn't provide an API key/,
  },
  { check: 'json', title: 'half a body', body: '{"model":', message: /^We could not parse the JSON body/ },
  {
    check: 'unknown-key',
    title: 'an unknown key',
    body: { max_output: 3 },
    message: /^Unrecognized request argument supplied: max_output$/,
  },
  { check: 'shape', title: 'no model', body: { model: undefined }, message: /^you must provide a model parameter$/ },
  {
    check: 'shape',
    title: 'no messages',
    body: { messages: undefined },
    param: 'messages',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'messages'\.$/,
  },
  {
    check: 'shape',
    title: 'an empty list of messages',
    body: { messages: [] },
    param: 'messages',
    code: 'empty_array',
    message: /^Invalid 'messages': empty array/,
  },
  {
    check: 'shape',
    title: 'a temperature that is a text',
    body: { temperature: '1' },
    param: 'temperature',
    code: 'invalid_type',
    message: /^Invalid type for 'temperature': expected a number, but got a string instead\.$/,
  },
  {
    check: 'inner-key',
    title: 'a field of another supplier',
    body: { messages: [user, { role: 'assistant', content: 'x', reasoning_content: 'y' }] },
    param: 'messages[1].reasoning_content',
    code: 'unknown_parameter',
    message: /^Unknown parameter: 'messages\[1\]\.reasoning_content'\.$/,
  },
  {
    check: 'c1',
    title: 'an unknown role',
    body: { messages: [user, { role: 'robot', content: 'x' }] },
    param: 'messages[1].role',
    code: 'invalid_value',
    message:
      /^Invalid value: 'robot'\. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'\.$/,
  },
  {
    check: 'c2',
    title: 'a part of an unknown type',
    body: withPart({ type: 'text', text: 'a' }, { type: 'image', source: {} }),
    param: 'messages[0].content[1].type',
    code: 'invalid_value',
    message: /^Invalid value: 'image'\. Supported values are: 'text', 'image_url', 'input_audio', and 'file'\.$/,
  },
  {
    check: 'c2',
    title: 'a text part without text',
    body: withPart({ type: 'text' }),
    param: 'messages[0].content[0].text',
    code: 'missing_required_parameter',
    message: /^Missing required parameter/,
  },
  {
    check: 'c2',
    title: 'a refusal part of a user',
    body: withPart({ type: 'refusal', refusal: 'no' }),
    param: 'messages[0].content[0].type',
    code: 'invalid_value',
    message: /^Invalid value: 'refusal'/,
  },
  {
    check: 'c3',
    title: 'a picture in a tool message',
    body: { messages: [user, assistant(call('call_1')), tool('call_1', [picturePart(png)])] },
    param: 'messages[2]',
    code: 'invalid_value',
    message:
      /^Invalid 'messages\[2\]'\. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL\.$/,
  },
  {
    check: 'c4',
    title: 'a call without an answer',
    body: { messages: [user, assistant(call('call_1'), call('call_2')), tool('call_2'), user] },
    param: 'messages',
    message:
      /^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'\. The following tool_call_ids did not have response messages: call_1$/,
  },
  {
    check: 'c4',
    title: 'a user message between a call and its answer',
    body: { messages: [user, assistant(call('call_1')), user, tool('call_1')] },
    param: 'messages',
    message: /did not have response messages: call_1$/,
  },
  {
    check: 'c5',
    title: 'an answer without a call',
    body: { messages: [user, tool('call_1')] },
    param: 'messages.[1].role',
    message:
      /^Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'\.$/,
  },
  {
    check: 'c5',
    title: 'two answers to one call',
    body: { messages: [user, assistant(call('call_1')), tool('call_1'), tool('call_1')] },
    param: 'messages.[3].role',
    message: /must be a response to a preceeding message/,
  },
  {
    check: 'c6',
    title: 'an assistant that says and calls nothing',
    body: { messages: [user, { role: 'assistant', content: null }] },
    param: 'messages.[1].content',
    message: /^Invalid value for 'content': expected a string, got null\.$/,
  },
  {
    check: 'c6',
    title: 'a user message of no parts',
    body: withPart(),
    param: 'messages.[0].content',
    message: /^Invalid value for 'content': expected a string, got an empty array\.$/,
  },
  {
    check: 'c7',
    title: 'a path instead of a URL',
    body: withUrl('/home/a.png'),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message:
      /Expected a base64-encoded data URL with an image MIME type .* but got a value without the 'data:' prefix\.$/,
  },
  {
    check: 'c7',
    title: 'a data URL without its base64 mark',
    body: withUrl('data:image/png,abcd'),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message: /but got a value without ';base64'\.$/,
  },
  {
    check: 'c7',
    title: 'a data URL of a text',
    body: withUrl(`data:text/plain;base64,${base64}`),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message: /but got unsupported MIME type 'text\/plain'\.$/,
  },
  {
    check: 'c7',
    title: 'a slot that is a text',
    body: withPart({ type: 'image_url', image_url: 'https://example.org/a.png' }),
    param: 'messages[0].content[0].image_url',
    code: 'invalid_type',
    message: /expected an object/,
  },
  {
    check: 'c8',
    title: 'base64 with a line break',
    body: withUrl(`data:image/png;base64,${base64.slice(0, 40)}\n${base64.slice(40)}`),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message: /but got an invalid base64-encoded value\.$/,
  },
  {
    check: 'c8',
    title: 'base64 without padding',
    body: withUrl('data:image/png;base64,QUI'),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message: /but got an invalid base64-encoded value\.$/,
  },
  {
    check: 'c8',
    title: 'no bytes',
    body: withUrl('data:image/png;base64,'),
    param: 'messages[0].content[0].image_url.url',
    code: 'invalid_value',
    message: /but got empty base64-encoded bytes\.$/,
  },
  {
    check: 'c9',
    title: 'a web page that is called a picture',
    body: withPart(picturePart(Buffer.from('<html></html>'))),
    code: 'invalid_image_format',
    message: /^You uploaded an unsupported image\. .* \['png', 'jpeg', 'webp', 'gif'\]\.$/,
  },
  {
    check: 'c9',
    title: 'a JPEG that is called a PNG',
    body: withPart(picturePart(jpeg, 'image/png')),
    code: 'invalid_image_format',
    message: /^You uploaded an unsupported image/,
  },
  {
    check: 'c10',
    title: 'a truncated JPEG',
    body: withPart(picturePart(jpeg.slice(0, jpeg.length - 40), 'image/jpeg')),
    code: 'invalid_image_format',
    message: /^You uploaded an unsupported image\. Please make sure your image is valid\.$/,
  },
  {
    check: 'c12',
    title: 'an unknown detail',
    body: withUrl(`data:image/png;base64,${base64}`, { detail: 'xhigh' }),
    param: 'messages[0].content[0].image_url.detail',
    code: 'invalid_value',
    message: /^Invalid value: 'xhigh'\. Supported values are: 'low', 'high', 'auto', and 'original'\.$/,
  },
  {
    check: 'c13',
    title: 'a tool name with a space',
    body: withTool({ name: 'view image' }),
    param: 'tools[0].function.name',
    code: 'invalid_value',
    message: /^Invalid 'tools\[0\]\.function\.name': string does not match pattern/,
  },
  {
    check: 'c13',
    title: 'a schema that is no object',
    body: withTool({ parameters: { type: 'string' } }),
    param: 'tools[0].function.parameters',
    code: 'invalid_function_parameters',
    message: /^Invalid schema for function 'a'/,
  },
  {
    check: 'c13',
    title: 'two tools of one name',
    body: { tools: [...withTool({}).tools, ...withTool({}).tools] },
    param: 'tools[1].function.name',
    code: 'invalid_value',
    message: /^Tool names must be unique/,
  },
  {
    check: 'c13',
    title: 'arguments that are no JSON',
    body: { messages: [user, assistant(call('call_1', { arguments: '{"path":' })), tool('call_1')] },
    param: 'messages[1].tool_calls[0].function.arguments',
    code: 'invalid_value',
    message: /not a valid JSON string/,
  },
  {
    check: 'c14',
    title: 'stream options without a stream',
    body: { stream_options: { include_usage: true } },
    param: 'stream_options',
    code: 'invalid_value',
    message: /^The 'stream_options' parameter is only allowed when 'stream' is enabled\.$/,
  },
];

let server: StrictServer;

beforeAll(async () => {
  server = await startStrictServer({ script: () => replyText('fine') });
});
afterAll(() => server.close());

describe('the checks of the Chat Completions wire', () => {
  it.each(cases)('$check refuses $title', async ({ check, body, headers, ...expected }) => {
    const response = await postChat(server, body, headers === undefined ? {} : { headers });
    expect(response.status).toBe(expected.status ?? 400);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(expected.message),
        type: 'invalid_request_error',
        param: expected.param ?? null,
        code: expected.code ?? null,
      },
    });
    expect(server.requests.at(-1)?.failure?.check).toBe(check);
  });

  it('lets a valid body pass', async () => {
    const response = await postChat(server, validBody);
    expect(response.status).toBe(200);
    await response.text();
    expect(server.requests.at(-1)?.failure).toBeUndefined();
  });

  it.each([
    ['an animated GIF', 'gif-animated-3.gif', 'image/gif', 'c9'],
    ['a still GIF', 'ok-gif.gif', 'image/gif', undefined],
    ['a WebP', 'ok-webp-lossless.webp', 'image/webp', undefined],
    ['a PNG whose checksum is wrong', 'png-bad-adler.png', 'image/png', 'c10'],
    ['a broken WebP', 'webp-bitflip-lossy.webp', 'image/webp', 'c10'],
    ['a truncated GIF', 'gif-trunc-mid-lzw.gif', 'image/gif', 'c10'],
  ])('judges %s', async (_, name, mediaType, check) => {
    const bytes = await readFile(new URL(`../../../../../../fixtures/cases/files/${name}`, import.meta.url));
    await postChat(server, withPart(picturePart(bytes, mediaType)));
    expect(server.requests.at(-1)?.failure?.check).toBe(check);
  });
});

describe('c11', () => {
  const two = withPart(picturePart(png), picturePart(jpeg, 'image/jpeg'));
  const rows: readonly (readonly [string, Partial<LimitRow>, string | undefined])[] = [
    ['two pictures where one is taken', { maxImages: 1 }, 'invalid_value'],
    ['two pictures where two are taken', { maxImages: 2 }, undefined],
    ['too many bytes', { maxRaw: jpeg.length - 1 }, 'image_file_too_large'],
    ['bytes at the limit', { maxRaw: Math.max(png.length, jpeg.length) }, undefined],
    ['too much base64', { maxB64: jpeg.length }, 'image_file_too_large'],
    ['too many bytes in sum', { maxTotalRaw: png.length + jpeg.length - 1 }, 'image_file_too_large'],
    ['a side that is too long', { maxSide: 63 }, 'image_too_large'],
    ['a side at the limit', { maxSide: 64 }, undefined],
    ['a side that is too long for many pictures', { manyImages: { over: 1, maxSide: 63 } }, 'image_too_large'],
    ['as many pictures as still are few', { manyImages: { over: 2, maxSide: 63 } }, undefined],
    ['the number from which pictures are many', { manyImages: { from: 2, maxSide: 63 } }, 'image_too_large'],
    ['too many pixels', { maxPixels: 64 * 32 - 1 }, 'image_too_large'],
    ['a side that is too short', { minSide: 33 }, 'image_too_small'],
    ['a picture that is too long', { maxRatio: 1.9 }, 'image_too_small'],
  ];

  it.each(rows)('judges %s', async (_, limits, code) => {
    const limited = await startStrictServer({ limits, script: () => replyText('fine') });
    try {
      const response = await postChat(limited, two);
      expect(response.status).toBe(code === undefined ? 200 : 400);
      expect(limited.requests[0]?.failure?.check).toBe(code === undefined ? undefined : 'c11');
      expect(limited.requests[0]?.failure?.code).toBe(code);
    } finally {
      await limited.close();
    }
  });
});

describe('limits of a test', () => {
  it('refuse a URL where the endpoint fetches none, and a detail where it knows none', async () => {
    const limited = await startStrictServer({ limits: { url: false, detail: null } });
    try {
      await postChat(limited, withUrl('https://example.org/a.png'));
      await postChat(limited, withUrl(`data:image/png;base64,${base64}`, { detail: 'high' }));
      expect(limited.requests.map(({ failure }) => failure?.check)).toEqual(['c7', 'c12']);
    } finally {
      await limited.close();
    }
  });

  it.each([
    ['openai', 'application/json'],
    ['deepseek-text', 'text/html; charset=utf-8'],
  ] as const)('refuse a body over the limit of %s', async (personality, contentType) => {
    const limited = await startStrictServer({ personality, limits: { body: 200 } });
    try {
      const fits = await postChat(limited, {});
      const tooLarge = await postChat(limited, { user: 'x'.repeat(200) });
      expect([fits.status, tooLarge.status]).toEqual([200, 413]);
      expect(tooLarge.headers.get('content-type')).toBe(contentType);
      expect(limited.requests[1]?.failure?.check).toBe('body-limit');
    } finally {
      await limited.close();
    }
  });
});

describe('paths, methods and keys', () => {
  it('answers an unknown path with 404 and another method with 405', async () => {
    const answers = await Promise.all([
      fetch(`${server.url}/openai/v1/v1/chat/completions`, { method: 'POST' }),
      fetch(`${server.url}/nobody/v1/chat/completions`, { method: 'POST' }),
      fetch(`${server.baseUrl}/chat/completions`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 405]);
  });

  it('takes only the keys that it was given, and records none', async () => {
    const guarded = await startStrictServer({ keys: ['right-key'] });
    try {
      const wrong = await postChat(guarded, {}, { headers: { authorization: 'Bearer wrong-key' } });
      const right = await postChat(guarded, {}, { headers: { authorization: 'Bearer right-key' } });
      expect([wrong.status, right.status]).toEqual([401, 200]);
      expect(JSON.stringify(guarded.requests)).not.toMatch(/right-key|wrong-key/);
      expect(guarded.requests[1]?.headers['authorization']).toBe('[key]');
    } finally {
      await guarded.close();
    }
  });
});

describe('personalities without eyes', () => {
  it('refuse a picture in the words of their endpoint', async () => {
    const blind = await startStrictServer({ personality: 'openai-textonly' });
    try {
      const openAi = await postChat(blind, withPart({ type: 'text', text: 'a' }, picturePart(png)));
      const deepSeek = await postChat(blind, withPart(picturePart(png)), { baseUrl: blind.baseUrlOf('deepseek-text') });
      expect([openAi.status, deepSeek.status]).toEqual([400, 400]);
      expect(await openAi.json()).toMatchObject({
        error: { message: 'Invalid content type. image_url is only supported by certain models.', code: null },
      });
      const body = JSON.stringify({ model: 'seer', ...withPart(picturePart(png)) });
      const column = body.indexOf('"image_url"') + '"image_url"'.length;
      expect(await deepSeek.json()).toEqual({
        error: {
          message: `Failed to deserialize the JSON body into the target type: messages[0]: unknown variant \`image_url\`, expected \`text\` at line 1 column ${column}`,
          type: 'invalid_request_error',
          param: null,
          code: 'invalid_request_error',
        },
      });
      expect(() => expectClean(blind)).toThrow(/request 0 failed blind[\s\S]*request 1 failed blind/);
      expectClean(blind, { checks: ['blind'] });
    } finally {
      await blind.close();
    }
  });

  it('answer words, and take fields of their own', async () => {
    const blind = await startStrictServer({ personality: 'deepseek-text' });
    try {
      const messages = [user, { role: 'assistant', content: 'x', reasoning_content: '' }, user];
      const response = await postChat(blind, { messages, thinking: { type: 'enabled' } });
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'I see no image.' } }] });
      expectClean(blind);
    } finally {
      await blind.close();
    }
  });
});
