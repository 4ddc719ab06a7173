import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LimitRow } from '../../catalog/limit-row.ts';
import { limitRowFor } from '../../catalog/limits.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from '../make-pictures.ts';
import type { CheckId } from './check-failure.ts';
import type { PersonalityId } from './personalities.ts';
import { picturePart, postChat } from './post-chat.ts';
import { imageBlock, postMessages } from './post-messages.ts';
import { inputImage, postResponses } from './post-responses.ts';
import { type StrictServer, startStrictServer } from './start-strict-server.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const jpeg = makeTwoColorJpeg({ left: 'red', right: 'green' });
const fixture = (name: string) => readFileSync(new URL(`../../../../../fixtures/cases/files/${name}`, import.meta.url));
const gif = fixture('gif-1x1.gif');
const webp = fixture('ext-webp-named.png');

const ask = 'What is in this image?';
const text = (words = ask) => ({ type: 'text', text: words });
const pngPart = picturePart(png);
const jpegPart = picturePart(jpeg, 'image/jpeg');
const dataUrl = (bytes: Uint8Array, mediaType: string) =>
  `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
const urlPart = { type: 'image_url', image_url: { url: 'https://example.org/boardwalk.jpg' } };
const user = (...content: unknown[]) => ({ role: 'user', content });

interface Example {
  readonly supplier: string;
  /** Where the request is documented. */
  readonly source: string;
  readonly personality: PersonalityId;
  /** The limit row that the server runs with, where no personality has it. */
  readonly limits?: LimitRow;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The same request, wrong in one way that is documented, and the check that finds it. */
  readonly broken: {
    readonly how: string;
    readonly check: CheckId;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/*
 * The form of each supplier's documented request for a picture, in our own words and pictures: which
 * fields there are, in which order, with which values. They are the check of this server's checks: what
 * a supplier shows its customers must pass here.
 */

const chat: readonly Example[] = [
  {
    supplier: 'OpenAI',
    source: 'developers.openai.com guide "Images and vision": a URL, a data URL, detail',
    personality: 'openai',
    body: {
      messages: [
        user(text(), { type: 'image_url', image_url: { url: 'https://example.org/a.jpg', detail: 'high' } }, jpegPart),
      ],
      max_completion_tokens: 300,
    },
    broken: {
      how: 'a picture in a system message',
      check: 'c3',
      body: { messages: [{ role: 'system', content: [jpegPart] }, user(text())] },
    },
  },
  {
    supplier: 'Azure OpenAI',
    source: 'learn.microsoft.com "Use vision-enabled chat models"',
    personality: 'azure',
    headers: { 'api-key': 'test-key', authorization: '' },
    body: {
      messages: [{ role: 'system', content: 'You are a helpful assistant.' }, user(text(), urlPart)],
      max_tokens: 100,
      stream: false,
    },
    broken: {
      how: 'the key as Authorization',
      check: 'auth',
      headers: { 'api-key': '', authorization: 'Bearer test-key' },
    },
  },
  {
    supplier: 'DeepSeek',
    source: 'api-docs.deepseek.com guides/vision.md (2026): three ways to send a picture',
    personality: 'deepseek-vision',
    body: { model: 'deepseek-flash', messages: [user(text(), jpegPart, urlPart)] },
    broken: {
      how: 'a picture outside a user message',
      check: 'c3',
      body: { messages: [{ role: 'system', content: [jpegPart] }, user(text())] },
    },
  },
  {
    supplier: 'Volcengine Ark',
    source: 'volcengine.com docs/82379/1362913 "Chat, vision": several pictures, detail, image_pixel_limit',
    personality: 'ark',
    body: {
      messages: [
        user(text(), urlPart, {
          type: 'image_url',
          image_url: {
            url: dataUrl(png, 'image/png'),
            detail: 'high',
            image_pixel_limit: { min_pixels: 3136, max_pixels: 1_003_520 },
          },
        }),
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 4096,
    },
    broken: {
      how: 'the type of another format',
      check: 'c9',
      body: { messages: [user(text(), picturePart(png, 'image/jpeg'))] },
    },
  },
  {
    supplier: 'Alibaba DashScope',
    source: 'help.aliyun.com and alibabacloud.com model-studio "OpenAI compatible - Vision" (2026)',
    personality: 'dashscope',
    body: {
      messages: [user(jpegPart, text())],
      stream: true,
      stream_options: { include_usage: true },
      enable_thinking: true,
    },
    broken: {
      how: 'sides of ten pixels or less',
      check: 'c11',
      body: {
        messages: [
          user(picturePart(makeTwoColorPng({ left: 'red', right: 'blue' }, { widthPx: 10, heightPx: 10 })), text()),
        ],
      },
    },
  },
  {
    supplier: 'Zhipu GLM',
    source: 'docs.bigmodel.cn and docs.z.ai guides/vlm (2026): pictures, thinking',
    personality: 'zhipu',
    body: { model: 'glm-5.3-flash', messages: [user(pngPart, text())], thinking: { type: 'enabled' } },
    broken: {
      how: 'a GIF',
      check: 'c9',
      body: { messages: [user(picturePart(gif, 'image/gif'), text())] },
    },
  },
  {
    supplier: 'Moonshot Kimi',
    source: 'platform.kimi.com guide/use-kimi-vision-model (2026)',
    personality: 'kimi',
    body: { messages: [{ role: 'system', content: 'You are Kimi.' }, user(pngPart, text())] },
    broken: { how: 'a web address', check: 'c7', body: { messages: [user(urlPart, text())] } },
  },
  {
    supplier: 'MiniMax',
    source: 'platform.minimax.io text-openai-api, text-post (2026); model page of MiniMax-M3',
    personality: 'openai',
    limits: limitRowFor('minimax', 'openai-chat'),
    body: {
      model: 'MiniMax-M3',
      messages: [
        { role: 'system', name: 'MiniMax AI', content: 'You help.' },
        { role: 'user', name: 'user', content: [text(), urlPart, pngPart] },
      ],
    },
    broken: {
      how: 'a GIF',
      check: 'c9',
      body: { messages: [user(text(), picturePart(gif, 'image/gif'))] },
    },
  },
  {
    supplier: 'OpenRouter',
    source: 'openrouter.ai docs/features/multimodal/images (2026)',
    personality: 'openai',
    limits: limitRowFor('openrouter', 'openai-chat'),
    body: { messages: [user(text(), urlPart, jpegPart)], stream: false },
    broken: {
      how: 'a part of a type that is not its own',
      check: 'c2',
      body: { messages: [user(text(), { type: 'image', image: dataUrl(png, 'image/png') })] },
    },
  },
  {
    supplier: 'Mistral',
    source: 'docs.mistral.ai capabilities/vision; ImageURLChunk of @mistralai/mistralai 2.7.0',
    personality: 'mistral',
    body: {
      messages: [
        user(
          text(),
          { type: 'image_url', image_url: 'https://example.org/tower.jpg' },
          { type: 'image_url', image_url: dataUrl(jpeg, 'image/jpeg') },
        ),
      ],
    },
    broken: {
      how: 'more than eight pictures',
      check: 'c11',
      body: { messages: [user(text(), ...Array.from({ length: 9 }, () => jpegPart))] },
    },
  },
  {
    supplier: 'Google, OpenAI-compatible',
    source: 'ai.google.dev gemini-api "OpenAI compatibility": image understanding',
    personality: 'openai',
    limits: limitRowFor('gemini', 'openai-chat'),
    body: { messages: [user(text(), jpegPart)], reasoning_effort: 'low' },
    broken: {
      how: 'a GIF',
      check: 'c9',
      body: { messages: [user(text(), picturePart(gif, 'image/gif'))] },
    },
  },
  {
    supplier: 'Ollama',
    source: 'docs.ollama.com/openai "v1/chat/completions with vision example": the address as a string, no key',
    personality: 'ollama',
    headers: { authorization: '' },
    body: {
      messages: [user(text(), { type: 'image_url', image_url: dataUrl(png, 'image/png') })],
      max_tokens: 300,
    },
    broken: { how: 'a web address', check: 'c7', body: { messages: [user(text(), urlPart)] } },
  },
  {
    supplier: 'LM Studio',
    source: 'lmstudio.ai docs/developer/openai-compat and image-input: JPEG, PNG and WebP',
    personality: 'openai',
    limits: limitRowFor('lmstudio', 'openai-chat'),
    body: { messages: [user(text(), jpegPart, picturePart(webp, 'image/webp'))], temperature: 0.7 },
    broken: {
      how: 'a GIF',
      check: 'c9',
      body: { messages: [user(text(), picturePart(gif, 'image/gif'))] },
    },
  },
  {
    supplier: 'vLLM',
    source: 'docs.vllm.ai "OpenAI Chat Completion Client For Multimodal"; limit-mm-per-prompt image=1',
    personality: 'vllm-1',
    headers: { authorization: 'Bearer EMPTY' },
    body: { messages: [user(text(), urlPart)], max_completion_tokens: 64 },
    broken: {
      how: 'two pictures where the server takes one',
      check: 'c11',
      body: { messages: [user(text(), jpegPart, pngPart)] },
    },
  },
  {
    supplier: 'llama.cpp',
    source: 'llama.cpp docs/multimodal.md and tools/server README: image_url with a data URL',
    personality: 'openai',
    limits: limitRowFor('llamacpp', 'openai-chat'),
    body: { messages: [user(text(), jpegPart)] },
    broken: {
      how: 'a picture in the answer of a tool',
      check: 'c3',
      body: {
        messages: [
          user(text()),
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'view_image', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: [jpegPart] },
        ],
      },
    },
  },
];

const inputText = { type: 'input_text', text: ask };
const call = { type: 'function_call', call_id: 'call_1', name: 'view_image', arguments: '{}' };
const output = (content: unknown) => ({ type: 'function_call_output', call_id: 'call_1', output: content });

const responses: readonly Example[] = [
  {
    supplier: 'OpenAI',
    source: 'developers.openai.com guide "Images and vision"; ResponseInputImage of openai 7.59.0',
    personality: 'openai',
    body: {
      input: [
        user(
          inputText,
          { type: 'input_image', image_url: 'https://example.org/a.jpg' },
          { ...inputImage(jpeg, 'image/jpeg'), detail: 'high' },
        ),
      ],
    },
    broken: {
      how: 'an address and a file at once',
      check: 'r2',
      body: { input: [user(inputText, { ...inputImage(png), file_id: 'file-ready' })] },
    },
  },
  {
    supplier: 'xAI',
    source: 'docs.x.ai image understanding (2026): picture before words, nothing stored',
    personality: 'openai',
    limits: limitRowFor('xai', 'openai-responses'),
    body: {
      input: [user({ ...inputImage(jpeg, 'image/jpeg'), detail: 'high' }, inputText)],
      store: false,
    },
    broken: {
      how: 'a format other than JPEG and PNG',
      check: 'r7',
      body: { input: [user(inputImage(webp, 'image/webp'), inputText)] },
    },
  },
  {
    supplier: 'DeepSeek',
    source: 'api-docs.deepseek.com guides/responses_api.md#image-input; awesome-deepseek-integration 740',
    personality: 'deepseek-vision',
    body: {
      input: [user(inputText), call, output([{ type: 'input_text', text: 'a.png' }, inputImage(png)])],
    },
    broken: {
      how: 'a message between a call and its output',
      check: 'r5',
      body: { input: [user(inputText), call, user(inputText), output('a.png')] },
    },
  },
];

const anthropicHeaders = { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01' };
const messagesText = text();

const messages: readonly Example[] = [
  {
    supplier: 'Anthropic',
    source: 'platform.claude.com build-with-claude/vision: several labelled pictures, base64 and URL',
    personality: 'anthropic-now',
    headers: anthropicHeaders,
    body: {
      max_tokens: 1024,
      messages: [
        user(
          text('Image 1:'),
          imageBlock(jpeg, 'image/jpeg'),
          text('Image 2:'),
          { type: 'image', source: { type: 'url', url: 'https://example.org/ant.jpg' } },
          text('How do they differ?'),
        ),
      ],
    },
    broken: {
      how: 'a format that is not taken',
      check: 'a8',
      body: { messages: [user(imageBlock(png, 'image/bmp'), messagesText)] },
    },
  },
  {
    supplier: 'Anthropic, tools',
    source: 'platform.claude.com "Handle tool calls": a picture inside a tool result',
    personality: 'anthropic-now',
    headers: anthropicHeaders,
    body: {
      max_tokens: 1024,
      messages: [
        user(messagesText),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'view_image', input: {} }] },
        user({ type: 'tool_result', tool_use_id: 'toolu_1', content: [text('a.png'), imageBlock(png)] }),
      ],
    },
    broken: {
      how: 'words before the tool result',
      check: 'a6',
      body: {
        messages: [
          user(messagesText),
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'view_image', input: {} }] },
          user(messagesText, { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.png' }),
        ],
      },
    },
  },
  {
    supplier: 'Amazon Bedrock',
    source: 'docs.aws.amazon.com bedrock "Inference using Anthropic Messages API"; Claude docs: base64 alone',
    personality: 'bedrock',
    headers: anthropicHeaders,
    body: { max_tokens: 1024, messages: [user(imageBlock(jpeg, 'image/jpeg'), messagesText)] },
    broken: {
      how: 'a web address',
      check: 'a8',
      body: {
        messages: [user({ type: 'image', source: { type: 'url', url: 'https://example.org/a.jpg' } }, messagesText)],
      },
    },
  },
  {
    supplier: 'DeepSeek',
    source: 'api-docs.deepseek.com guides/anthropic_api and guides/vision.md: pictures as blocks of the user',
    personality: 'deepseek-messages',
    headers: anthropicHeaders,
    body: {
      max_tokens: 800,
      messages: [
        user(
          messagesText,
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          imageBlock(png),
        ),
      ],
    },
    broken: {
      how: 'no version',
      check: 'a1',
      headers: { 'x-api-key': 'test-key', 'anthropic-version': '' },
    },
  },
  {
    supplier: 'Ollama',
    source: 'docs.ollama.com/api/anthropic-compatibility: base64 alone',
    personality: 'ollama-messages',
    headers: { 'x-api-key': 'ollama', 'anthropic-version': '' },
    body: { max_tokens: 1024, messages: [user(imageBlock(png), messagesText)] },
    broken: {
      how: 'a web address',
      check: 'a8',
      body: {
        messages: [user({ type: 'image', source: { type: 'url', url: 'https://example.org/a.jpg' } }, messagesText)],
      },
    },
  },
];

const wires = [
  ['Chat Completions', chat, postChat],
  ['Responses', responses, postResponses],
  ['Messages', messages, postMessages],
] as const;

for (const [wire, examples, post] of wires) {
  describe(`the documented requests over ${wire}`, () => {
    const servers = new Map<Example, StrictServer>();
    beforeAll(async () => {
      for (const example of examples) {
        const { personality, limits } = example;
        servers.set(example, await startStrictServer({ personality, ...(limits !== undefined && { limits }) }));
      }
    });
    afterAll(async () => {
      for (const server of servers.values()) await server.close();
    });

    it.each(examples.map((example) => [example.supplier, example] as const))(
      'of %s pass, and fail where they are broken in a documented way',
      async (_supplier, example) => {
        const server = servers.get(example);
        if (server === undefined) throw new Error('no server');
        const { body, headers = {}, broken } = example;
        const taken = await post(server, body, { headers });
        await taken.arrayBuffer();
        expect([taken.status, server.requests.at(-1)?.failure?.message], example.source).toEqual([200, undefined]);
        expect(server.requests.at(-1)?.pictures.length).toBeGreaterThan(0);

        const refused = await post(server, { ...body, ...broken.body }, { headers: { ...headers, ...broken.headers } });
        expect(server.requests.at(-1)?.failure?.check, broken.how).toBe(broken.check);
        expect(refused.status).toBeGreaterThanOrEqual(400);
      },
    );
  });
}
