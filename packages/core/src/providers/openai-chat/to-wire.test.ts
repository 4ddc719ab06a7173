import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isAppError } from '../../base/app-error.ts';
import type { Digest } from '../../base/ids.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../../content/request.ts';
import { encodeJsonBody, writeJsonBody } from '../json-body.ts';
import { type ChatTaste, toChatBody } from './to-wire.ts';
import type { ChatRequestBody } from './wire-schema.ts';

const BYTES = Uint8Array.of(1, 2, 3, 4, 5);
const digest: Digest = `sha256:${'a'.repeat(64)}`;

const image = (name: string): RequestImage => ({
  type: 'image',
  digest,
  originalDigest: digest,
  name,
  mediaType: 'image/png',
  sizeBytes: BYTES.length,
  widthPx: 2,
  heightPx: 2,
});

const user = (...parts: Extract<RequestMessage, { role: 'user' }>['parts']): RequestMessage => ({
  role: 'user',
  origin: 'user',
  parts,
});
const words = (text: string) => ({ type: 'text', text }) as const;
const call = (toolCallId: string, name: string, toolArguments: string) =>
  ({ type: 'tool-call', toolCallId, name, arguments: toolArguments }) as const;
const result = (toolCallId: string, text: string): RequestMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'view_image',
  isError: false,
  text,
  images: [],
});

const requestOf = (messages: readonly RequestMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'seer',
  messages,
  tools: [],
  ...more,
});

async function textOf(request: ModelRequest, taste: ChatTaste = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  const body = writeJsonBody(toChatBody(request, taste));
  for await (const chunk of encodeJsonBody(body, () => Promise.resolve(BYTES))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The body as an endpoint parses it, in the official types. */
async function wireOf(request: ModelRequest, taste: ChatTaste = {}): Promise<ChatCompletionCreateParamsStreaming> {
  return JSON.parse(await textOf(request, taste)) as ChatCompletionCreateParamsStreaming;
}

const URL = 'data:image/png;base64,AQIDBAU=';

describe('toChatBody', () => {
  it('puts a message of the assistant between tools and their pictures, only where an endpoint wants one', async () => {
    const messages = [
      user(words('Look.')),
      { role: 'assistant', parts: [call('call_1', 'view_image', '{}')] },
      result('call_1', 'a.png: 2x2'),
      { role: 'user', origin: 'synthetic', parts: [words('call_1'), image('a.png')] },
      { role: 'assistant', parts: [words('Red.')] },
      user(words('Sure?')),
    ] as const satisfies readonly RequestMessage[];
    const rolesOf = async (taste: ChatTaste) =>
      (await wireOf(requestOf(messages), taste)).messages.map(({ role }) => role);
    expect(await rolesOf({})).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'user']);
    expect(await rolesOf({ assistantAfterTool: true })).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('gives calls and their results ids of nine letters and digits, only where an endpoint takes no others', async () => {
    const ids = ['call_1', 'call_2', 'aB3dE6gH9', 'aB3dE6gH9_2'];
    const messages: readonly RequestMessage[] = [
      user(words('Look.')),
      { role: 'assistant', parts: ids.map((id) => call(id, 'view_image', '{}')) },
      ...ids.map((id) => result(id, 'ok')),
    ];
    const idsOf = async (taste: ChatTaste) => {
      const wire = (await wireOf(requestOf(messages), taste)).messages;
      const calls = wire.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []));
      const results = wire.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
      expect(results).toEqual(calls.map(({ id }) => id));
      return results;
    };
    expect(await idsOf({})).toEqual(ids);
    const short = await idsOf({ shortCallIds: true });
    for (const id of short) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(short).size).toBe(4);
    expect(short[2]).toBe('aB3dE6gH9');
    expect(await idsOf({ shortCallIds: true })).toEqual(short);
  });

  it('has a shape that the official SDK accepts', () => {
    // `reasoning_effort` and `detail` are open texts here: endpoints have values that OpenAI has not.
    type Open = 'reasoning_effort' | 'messages' | 'tools';
    type Official = ChatCompletionCreateParamsStreaming;
    expectTypeOf<Omit<ChatRequestBody<string>, Open>>().toExtend<Omit<Official, Open>>();
    type OfficialPart = Extract<
      Exclude<Extract<Official['messages'][number], { role: 'user' }>['content'], string>[number],
      { type: 'image_url' }
    >;
    type Message<Role> = Extract<ChatRequestBody<string>['messages'][number], { role: Role }>;
    type OfficialMessage<Role> = Extract<Official['messages'][number], { role: Role }>;
    expectTypeOf<Message<'system'>>().toExtend<OfficialMessage<'system'>>();
    expectTypeOf<Message<'tool'>>().toExtend<OfficialMessage<'tool'>>();
    expectTypeOf<Mutable<Message<'assistant'>>>().toExtend<OfficialMessage<'assistant'>>();
    type Part = Extract<Exclude<Message<'user'>['content'], string>[number], { type: 'image_url' }>;
    expectTypeOf<Part['image_url']['url']>().toEqualTypeOf<OfficialPart['image_url']['url']>();
    expectTypeOf<keyof Part>().toExtend<keyof OfficialPart>();
    expectTypeOf<keyof Part['image_url']>().toExtend<keyof OfficialPart['image_url']>();
    expectTypeOf<Mutable<NonNullable<ChatRequestBody['tools']>>>().toExtend<NonNullable<Official['tools']>>();
  });

  it('streams with usage, and sends only what was asked for', async () => {
    expect(await wireOf(requestOf([user(words('hi'))]))).toEqual({
      model: 'seer',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hi' }],
    });
  });

  it('puts the messages last, so that a longer conversation begins with the bytes of the shorter one', async () => {
    const tools = [{ name: 'view_image', description: 'Shows.', parameters: { type: 'object' } }];
    const first = [
      { role: 'system', text: 'You see.' },
      user(image('a.png'), words('What is it?')),
    ] as const satisfies RequestMessage[];
    const more: RequestMessage[] = [
      { role: 'assistant', parts: [{ type: 'thinking', text: 'hm' }, call('c1', 'view_image', '{}')] },
      result('c1', 'shown below'),
      { role: 'user', origin: 'synthetic', parts: [words('Attached media from tool result:'), image('b.png')] },
      { role: 'assistant', parts: [words('A cat.')] },
      user(words('Sure?')),
    ];
    for (const taste of [{}, { imageDetail: 'high', reasoningReplay: 'tool-loop' }] satisfies ChatTaste[]) {
      let shorter = await textOf(requestOf(first, { tools }), taste);
      for (let count = 1; count <= more.length; count += 1) {
        const longer = await textOf(requestOf([...first, ...more.slice(0, count)], { tools }), taste);
        expect(longer.startsWith(shorter.slice(0, -2))).toBe(true);
        shorter = longer;
      }
    }
  });

  it('sends pictures as data URLs in user messages, in the given order, with detail only where it is given', async () => {
    const message = user(image('a.png'), words(''), words('What is it?'));
    const plain = await wireOf(requestOf([message]));
    expect(plain.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: URL } },
          { type: 'text', text: 'What is it?' },
        ],
      },
    ]);
    const detailed = await wireOf(requestOf([message]), { imageDetail: 'high' });
    expect(JSON.stringify(detailed.messages)).toContain(`{"url":"${URL}","detail":"high"}`);
  });

  it('sends words alone as a string, for endpoints that know no lists', async () => {
    const { messages } = await wireOf(requestOf([user(words('a'), words('b'))]));
    expect(messages).toEqual([{ role: 'user', content: 'a\nb' }]);
  });

  it('has no picture in any message that is not from the user', async () => {
    const bad: RequestMessage = {
      ...(result('c1', 'x') as Extract<RequestMessage, { role: 'tool' }>),
      images: [image('a')],
    };
    let thrown: unknown;
    try {
      toChatBody(requestOf([bad]), {});
    } catch (error) {
      thrown = error;
    }
    expect(isAppError(thrown) && thrown.code).toBe('INTERNAL');
  });

  it('answers calls with plain, non-empty strings in call order', async () => {
    const { messages } = await wireOf(
      requestOf([
        {
          role: 'assistant',
          parts: [words('Look.'), call('c1', 'view_image', '{"path":"a"}'), call('c2', 'list_directory', '{}')],
        },
        result('c1', '{"status":"ok"}'),
        result('c2', ''),
      ]),
    );
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'Look.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'view_image', arguments: '{"path":"a"}' } },
          { id: 'c2', type: 'function', function: { name: 'list_directory', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"status":"ok"}' },
      { role: 'tool', tool_call_id: 'c2', content: '""' },
    ]);
  });

  it('gives an answer without words null beside calls, and an empty string alone', async () => {
    const { messages } = await wireOf(
      requestOf([
        { role: 'assistant', parts: [call('c', 'read', '{}')] },
        result('c', 'x'),
        { role: 'assistant', parts: [{ type: 'thinking', text: 'hm' }] },
      ]),
    );
    expect(messages.map((message) => message.content)).toEqual([null, 'x', '']);
    expect(JSON.stringify(messages)).not.toContain('hm');
  });

  it('replays thinking always, in tool loops or never, and invents none', async () => {
    const messages: RequestMessage[] = [
      user(words('q')),
      { role: 'assistant', parts: [{ type: 'thinking', text: 'one' }, words('plain')] },
      user(words('q')),
      { role: 'assistant', parts: [{ type: 'thinking', text: 'two', signature: 'sig' }, call('c', 'read', '{}')] },
      result('c', 'x'),
      { role: 'user', origin: 'synthetic', parts: [words('Attached'), image('a')] },
      { role: 'assistant', parts: [words('done')] },
      user(words('q')),
      { role: 'assistant', parts: [words('plain')] },
    ];
    const replayed = async (reasoningReplay: NonNullable<ChatTaste['reasoningReplay']>) => {
      const body = await wireOf(requestOf(messages), { reasoningReplay });
      expect(JSON.stringify(body)).not.toContain('sig');
      return body.messages
        .filter((message) => message.role === 'assistant')
        .map((message) => ('reasoning_content' in message ? message.reasoning_content : undefined));
    };
    expect(await replayed('always')).toEqual(['one', 'two', '', '']);
    expect(await replayed('tool-loop')).toEqual([undefined, 'two', '', undefined]);
    expect(await replayed('never')).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('says how closely a region is looked at, where the endpoint has a value for it', async () => {
    const region = { ...image('a'), region: { x: 0, y: 0, width: 2, height: 2 } };
    const detailsFor = async (taste: ChatTaste) => {
      const [message] = (await wireOf(requestOf([user(image('b'), region)]), taste)).messages;
      const parts = typeof message?.content === 'string' ? [] : (message?.content ?? []);
      return parts.map((part) => (part.type === 'image_url' ? part.image_url.detail : part.type));
    };
    expect(await detailsFor({ imageDetail: 'high', regionDetail: 'original' })).toEqual(['high', 'original']);
    expect(await detailsFor({ imageDetail: 'high' })).toEqual(['high', 'high']);
    expect(await detailsFor({})).toEqual([undefined, undefined]);
  });

  it('keeps the order of the tools', async () => {
    const tool = (name: string) => ({ name, description: `${name}!`, parameters: { type: 'object', b: 1, a: 2 } });
    const body = await textOf(requestOf([], { tools: [tool('view_image'), tool('read_file')] }));
    expect(body).toContain(
      '"tools":[{"type":"function","function":{"name":"view_image","description":"view_image!","parameters":{"type":"object","b":1,"a":2}}},{"type":"function","function":{"name":"read_file"',
    );
  });

  it('names the output limit as the supplier does', async () => {
    const request = requestOf([], { maxOutputTokens: 100, temperature: 0, reasoningEffort: 'low' });
    expect(await wireOf(request)).toMatchObject({ max_tokens: 100, temperature: 0, reasoning_effort: 'low' });
    const newer = await wireOf(request, { outputLimitField: 'max_completion_tokens' });
    expect(newer.max_completion_tokens).toBe(100);
    expect('max_tokens' in newer).toBe(false);
  });

  it('merges extra fields at the top, except over what the request is', async () => {
    const extraBody = {
      top_k: 3,
      enable_thinking: false,
      temperature: 1,
      model: 'x',
      messages: [],
      stream: false,
      tools: [],
    };
    const body = await wireOf(requestOf([user(words('hi'))], { extraBody, temperature: 0.5 }));
    expect(body).toMatchObject({ model: 'seer', stream: true, top_k: 3, enable_thinking: false, temperature: 1 });
    expect(body.messages).toHaveLength(1);
    expect('tools' in body).toBe(false);
  });
});

type Mutable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Key in keyof Value]: Mutable<Value[Key]> };
