import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../base/secret.ts';
import type { Message, ToolMessage } from '../content/messages.ts';
import type { RequestMessage, UserRequestPart } from '../content/request.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { type BuildContextInput, buildContext } from '../context/build-context.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import {
  fakeDigest,
  makeAssistantMessage,
  makeCall,
  makeImageRef,
  makeToolAttachment,
  makeToolMessage,
  makeUserMessage,
  makeVariantRecord,
} from '../testing/make-transcript.ts';
import { startScriptedHttpServer } from '../testing/scripted-http-server.ts';

const photo = makeImageRef('照片.png', fakeDigest('a'));
const shot = makeToolAttachment('shots/one.png', fakeDigest('b'));
const page = makeToolAttachment('page.png', fakeDigest('c'));
const URL_OF_PICTURE = 'https://example.org/a.png';

/** What stands for each picture, written out: the words of requirements R039 and R040, and of a user's picture. */
const words = {
  en: {
    user: '[Picture not shown: 照片.png (image/png, 64×48). The current model takes no image input, so the image was not understood.]',
    link: `[Picture not shown: ${URL_OF_PICTURE}. The current model takes no image input, so the image was not understood.]`,
    tool: (path: string) =>
      `Error: the image cannot be read (the current model takes no image input). Tell the user to switch to a model that supports vision and try again. File: ${path}\nThe image was not understood.`,
  },
  'zh-CN': {
    user: '[图片未显示:照片.png(image/png,64×48)。当前模型不支持图片输入,图片未被理解。]',
    link: `[图片未显示:${URL_OF_PICTURE}。当前模型不支持图片输入,图片未被理解。]`,
    tool: (path: string) =>
      `错误:无法读取图片(当前模型不支持图片输入)。请告知用户切换到支持视觉的模型后重试。文件:${path}\n图片未被理解。`,
  },
};

const clicked: ToolMessage = {
  ...makeToolMessage('c3', 'Clicked.', { toolName: 'browser', turnId: 'turn_2' }),
  metadata: { attachments: [page] },
};

const transcript: readonly Message[] = [
  {
    ...makeUserMessage('u1', 'compare', { images: [photo] }),
    imageInputs: [{ attachment: photo }, { url: URL_OF_PICTURE }],
  },
  makeAssistantMessage('a1', [makeCall('c1', 'read_file'), makeCall('c2')]),
  makeToolMessage('c1', 'notes', { toolName: 'read_file' }),
  makeToolMessage('c2', shot),
  makeAssistantMessage('a2', ['Both are red.']),
  makeUserMessage('u2', 'click', { turnId: 'turn_2' }),
  makeAssistantMessage('a3', [makeCall('c3', 'browser')], { turnId: 'turn_2' }),
  clicked,
];

const variants = new Map<string, VariantRecord>(
  [photo, shot, page].map(({ digest }) => [digest, makeVariantRecord(digest, digest)]),
);

function build(overrides: Partial<BuildContextInput>): readonly RequestMessage[] {
  return buildContext({
    transcript,
    promptHead: { systemPrompt: 'head', tools: [] },
    variants,
    imageInput: 'yes',
    toolImages: 'after-group',
    answering: { turnId: 'turn_2', model: 'lab/seer' },
    endpointId: 'seer',
    links: { channel: 'lab', url: true, fileId: true },
    locale: 'en',
    ...overrides,
  }).messages;
}

/** The request of a transcript whose tool results are words, with the user's pictures replaced at their places. */
function buildFromWords(
  locale: 'en' | 'zh-CN',
  toolImages: BuildContextInput['toolImages'],
): readonly RequestMessage[] {
  const { user, link, tool } = words[locale];
  const replaced = transcript.map((message): Message => {
    if (message.role !== 'tool' || message.metadata.attachments.length === 0) return message;
    const sentence = tool(message.metadata.attachments[0]?.path ?? '');
    const content = message.content.startsWith('{') ? sentence : `${message.content}\n${sentence}`;
    return { ...message, content, metadata: { attachments: [] } };
  });
  return build({ transcript: replaced, locale, toolImages }).map((message): RequestMessage => {
    if (message.role !== 'user') return message;
    const parts = message.parts.map((part): UserRequestPart => {
      if (part.type === 'text') return part;
      return { type: 'text', text: part.type === 'image' ? user : link };
    });
    return { ...message, parts };
  });
}

/** The bytes that the adapter of a wire sends. */
async function bodyOf(
  wireApi: 'openai-chat' | 'openai-responses' | 'anthropic-messages',
  messages: readonly RequestMessage[],
) {
  const server = await startScriptedHttpServer();
  onTestFinished(() => server.close());
  const endpoint = {
    channel: 'lab',
    wireApi,
    baseUrl: server.origin,
    apiKey: new Secret('k'),
    headers: {},
    idleTimeoutMs: 5000,
  };
  const { signal } = new AbortController();
  const context = {
    signal,
    clock: createFixedClock(),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    readBlob: async () => new Uint8Array(makeVariantRecord(photo.digest, photo.digest).sizeBytes).fill(1),
  };
  const events = createProviderRegistry()
    .find(wireApi)
    .stream({ model: 'seer', messages, tools: [], maxOutputTokens: 100 }, endpoint, context);
  for await (const event of events) if (event.type === 'request-sent') continue;
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request.body.toString('utf8');
}

describe.each(['openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  'a blind model over %s',
  (wireApi) => {
    it.each(['en', 'zh-CN'] as const)(
      'gets the bytes of the transcript with words for pictures (%s)',
      async (locale) => {
        for (const toolImages of ['after-group', 'inline', 'toplevel-user'] as const) {
          const blind = await bodyOf(wireApi, build({ imageInput: 'no', variants: new Map(), locale, toolImages }));
          expect(blind).toBe(await bodyOf(wireApi, buildFromWords(locale, toolImages)));
          expect(blind).not.toMatch(/"(?:image|image_url|input_image|source)"|base64|AQEBAQEB/);
        }
      },
    );

    it('gets pictures where it sees, so that the comparison can fail', async () => {
      const toolImages = wireApi === 'anthropic-messages' ? 'inline' : 'after-group';
      const sighted = await bodyOf(wireApi, build({ toolImages }));
      expect(sighted.match(/(?:AQEB){20,}/g)).toHaveLength(3);
      expect(sighted).toContain(URL_OF_PICTURE);
    });
  },
);
