import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { Secret } from '../../../base/secret.ts';
import { classifyError, isRetryable } from '../../../providers/classify-error.ts';
import { createOpenAiChatProvider } from '../../../providers/openai-chat/provider.ts';
import type { ProviderEvent } from '../../../providers/provider.ts';
import { createFixedClock } from '../../fixed-clock.ts';
import { makeTwoColorPng } from '../../make-pictures.ts';
import type { PersonalityId } from '../personalities.ts';
import { picturePart, postChat } from '../post-chat.ts';
import { type StrictServer, startStrictServer } from '../start-strict-server.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const part = picturePart(png);
const ask = (...parts: unknown[]) => ({ messages: [{ role: 'user', content: parts }] });

const call = { id: 'call_1', type: 'function', function: { name: 'view_image', arguments: '{}' } };
const loop = (fields: object = {}) => [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: null, tool_calls: [call], ...fields },
  { role: 'tool', tool_call_id: 'call_1', content: 'a.png: 64x32' },
];

let server: StrictServer;
beforeAll(async () => {
  server = await startStrictServer();
});
afterAll(() => server.close());

function post(id: PersonalityId, body: object, headers: Record<string, string> = {}) {
  return postChat(server, { ...body }, { baseUrl: server.baseUrlOf(id), headers });
}

async function answerOf(response: Response): Promise<unknown> {
  return { status: response.status, body: await response.json() };
}

/** The words of a whole answer. */
async function wordsOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(200);
  const body: unknown = await response.json();
  return (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
}

describe('endpoints without eyes', () => {
  it.each<[PersonalityId, number, unknown]>([
    ['zhipu-text', 400, { error: { code: '1210', message: "messages.content.type 参数非法，取值范围 ['text']" } }],
    ['openrouter-text', 404, { error: { code: 404, message: 'No endpoints found that support image input' } }],
    ['lmstudio-text', 400, { error: 'Model does not support images. Please use a model that does.' }],
    [
      'llamacpp-text',
      500,
      {
        error: {
          code: 500,
          message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
          type: 'server_error',
        },
      },
    ],
    [
      'vllm-0',
      400,
      {
        object: 'error',
        message: 'At most 0 image(s) may be provided in one prompt.',
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
    ],
  ])('%s refuses a picture in its own status, form and words, and takes words', async (id, status, body) => {
    expect(await answerOf(await post(id, ask(part)))).toEqual({ status, body });
    expect((await post(id, ask({ type: 'text', text: 'Hello' }))).status).toBe(200);
  });

  it('lmstudio-text-stream refuses inside the stream', async () => {
    const response = await post('lmstudio-text-stream', { ...ask(part), stream: true });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(
      'data: {"error":"Model does not support images. Please use a model that does."}\n\n',
    );
  });

  it('silent-drop says that it sees nothing, with status 200', async () => {
    expect(await wordsOf(await post('silent-drop', ask(part)))).toBe('I see no image.');
    expect(server.requests.at(-1)?.pictures[0]?.colors?.left).toBe('red');
  });

  it('proxy-error-as-text passes a refusal on as words', async () => {
    expect(await wordsOf(await post('proxy-error-as-text', ask(part)))).toBe(
      '[Error: 400 {"message":"Could not process image"}]',
    );
  });
});

describe('endpoints with eyes and manners of their own', () => {
  it('vllm-2 counts the pictures of the whole history', async () => {
    const history = [
      { role: 'user', content: [part] },
      { role: 'assistant', content: 'Red.' },
    ];
    expect((await post('vllm-2', { messages: [...history, { role: 'user', content: [part] }] })).status).toBe(200);
    const refused = await post('vllm-2', { messages: [...history, { role: 'user', content: [part, part] }] });
    expect(await answerOf(refused)).toMatchObject({
      status: 400,
      body: { object: 'error', message: 'At most 2 image(s) may be provided in one prompt.' },
    });
  });

  it('azure takes the key as api-key only', async () => {
    expect((await post('azure', ask(part))).status).toBe(401);
    expect((await post('azure', ask(part), { 'api-key': 'test-key' })).status).toBe(200);
    const bad = ask({ type: 'image_url', image_url: { url: 'AAAA' } });
    expect(await answerOf(await post('azure', bad, { 'api-key': 'test-key' }))).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/^Invalid image URL: 'messages\[0\]\.content\[0\]/) } },
    });
  });

  it('ollama wants no key, and neither GIF nor web addresses', async () => {
    const url = (value: string) => ask({ type: 'image_url', image_url: { url: value } });
    expect((await post('ollama', ask(part), { authorization: '' })).status).toBe(200);
    expect(await answerOf(await post('ollama', url('https://example.org/a.png')))).toMatchObject({
      body: {
        error: { message: 'image URLs are not currently supported, please use base64 encoded data instead' },
      },
    });
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
    expect(await answerOf(await post('ollama', ask(picturePart(gif, 'image/gif'))))).toMatchObject({
      status: 400,
      body: { error: { message: 'invalid image input' } },
    });
  });

  it.each<PersonalityId>(['kimi', 'deepseek-vision'])('%s wants thoughts back in a tool loop', async (id) => {
    expect(await answerOf(await post(id, { messages: loop() }))).toMatchObject({
      status: 400,
      body: { error: { message: 'Missing `reasoning_content` field in the assistant message at message index 1' } },
    });
    expect((await post(id, { messages: loop({ reasoning_content: '' }) })).status).toBe(200);
    const answered = [...loop({ reasoning_content: '' }), { role: 'assistant', content: 'Red.' }];
    expect((await post(id, { messages: [...answered, { role: 'user', content: 'Sure?' }] })).status).toBe(400);
  });

  it('kimi takes no web addresses', async () => {
    const url = ask({ type: 'image_url', image_url: { url: 'https://example.org/a.png' } });
    expect((await post('kimi', url)).status).toBe(400);
    expect((await post('kimi', ask(part))).status).toBe(200);
  });

  it('deepseek-vision takes pictures of users only', async () => {
    const messages = loop({ reasoning_content: '' }).map((message) =>
      message.role === 'tool' ? { ...message, content: [part] } : message,
    );
    expect(await answerOf(await post('deepseek-vision', { messages }))).toMatchObject({
      status: 400,
      body: { error: { message: 'Images are supported in user messages only' } },
    });
  });

  it('mistral takes no user message right after a tool message', async () => {
    const user = { role: 'user', content: [part] };
    expect(await answerOf(await post('mistral', { messages: [...loop(), user] }))).toEqual({
      status: 400,
      body: {
        object: 'error',
        message: "Unexpected role 'user' after role 'tool'",
        type: 'invalid_request_message_order',
        param: null,
        code: '3230',
      },
    });
    const between = { role: 'assistant', content: 'Done.' };
    expect((await post('mistral', { messages: [...loop(), between, user] })).status).toBe(200);
  });

  it('dashscope begins every refusal with its prefix, and takes no slivers', async () => {
    const sliver = picturePart(makeTwoColorPng({ left: 'red', right: 'green' }, { widthPx: 8, heightPx: 8 }));
    expect(await answerOf(await post('dashscope', ask(sliver)))).toMatchObject({
      status: 400,
      body: {
        error: {
          message:
            '<400> InternalError.Algo.InvalidParameter: The image length and width do not meet the model restrictions.',
        },
      },
    });
  });

  it('ark names the image_url and a code of its own', async () => {
    expect(await answerOf(await post('ark', ask(picturePart(png, 'image/jpeg'))))).toMatchObject({
      status: 400,
      body: {
        error: { code: 'InvalidParameter.UnsupportedImageFormat', param: 'image_url', type: 'BadRequest' },
      },
    });
  });

  it('peak-429 answers what is too large in sum with 429', async () => {
    const large = picturePart(noisyPng());
    expect(await answerOf(await post('peak-429', ask(large)))).toMatchObject({
      status: 429,
      body: { error: { message: 'The image exceeds the maximum usage size allowed during peak load.' } },
    });
    expect((await post('peak-429', ask(part))).status).toBe(200);
  });
});

describe('what the adapter makes of their refusals', () => {
  async function errorOf(id: PersonalityId, bytes: Uint8Array, tool = false) {
    const size = { sizeBytes: bytes.length, widthPx: 64, heightPx: 32 };
    const digest = `sha256:${'0'.repeat(64)}` as const;
    const events: ProviderEvent[] = [];
    const image = {
      type: 'image',
      digest,
      originalDigest: digest,
      name: 'a.png',
      mediaType: 'image/png',
      ...size,
    } as const;
    const stream = createOpenAiChatProvider().stream(
      {
        model: 'seer',
        messages: [
          ...(tool
            ? ([
                {
                  role: 'assistant',
                  parts: [{ type: 'tool-call', toolCallId: 'call_1', name: 'view_image', arguments: '{}' }],
                },
                { role: 'tool', toolCallId: 'call_1', toolName: 'view_image', isError: false, text: 'x', images: [] },
              ] as const)
            : []),
          { role: 'user', origin: 'user', parts: [image] },
        ],
        tools: [],
      },
      {
        channel: 'lab',
        wireApi: 'openai-chat',
        baseUrl: server.baseUrlOf(id),
        apiKey: new Secret('test-key-of-the-lab'),
        headers: {},
        idleTimeoutMs: 5000,
      },
      {
        signal: new AbortController().signal,
        clock: createFixedClock(),
        logger: silentLogger,
        readBlob: async () => bytes,
      },
    );
    for await (const event of stream) events.push(event);
    const last = events.at(-1);
    if (last?.type !== 'error') throw new Error(`no error but ${JSON.stringify(last)}`);
    return last.error;
  }

  it.each<PersonalityId>([
    'openai-textonly',
    'deepseek-text',
    'zhipu-text',
    'openrouter-text',
    'lmstudio-text',
    'lmstudio-text-stream',
    'llamacpp-text',
    'vllm-0',
  ])('knows %s as blind, and sends nothing twice', async (id) => {
    const error = await errorOf(id, png);
    expect(classifyError(error, { hasImages: true }).kind).toBe('blind-endpoint');
    expect(isRetryable(error)).toBe(false);
  });

  it('knows 429 at peak times as too much, and does not send it again', async () => {
    const error = await errorOf('peak-429', noisyPng());
    expect(error.code).toBe('ENDPOINT_RATE_LIMITED');
    expect(classifyError(error, { hasImages: true }).kind).toBe('too-much');
    expect(isRetryable(error)).toBe(false);
  });

  it('knows the order that mistral does not take', async () => {
    expect(classifyError(await errorOf('mistral', png, true), { hasImages: true }).kind).toBe('wrong-place');
  });

  it('knows a picture that cannot be decoded as bad, and where it stands', async () => {
    const error = await errorOf('ark', png.slice(0, 60));
    expect(classifyError(error, { hasImages: true }).kind).toBe('bad-picture');
  });
});

/** Pixels that do not shrink: larger than 1 MiB. */
function noisyPng(): Uint8Array {
  const picture = new PNG({ width: 640, height: 640 });
  let state = 1;
  for (let index = 0; index < picture.data.length; index += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    picture.data[index] = index % 4 === 3 ? 255 : state >> 16;
  }
  return Uint8Array.from(PNG.sync.write(picture));
}
