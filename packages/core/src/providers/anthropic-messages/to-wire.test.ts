import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isAppError } from '../../base/app-error.ts';
import type { Digest } from '../../base/ids.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../../content/request.ts';
import { encodeJsonBody, writeJsonBody } from '../json-body.ts';
import { type MessagesTaste, toMessagesBody } from './to-wire.ts';
import type { MessagesRequestBody, MessagesTurn, MessagesUserBlock } from './wire-schema.ts';

const BYTES = Uint8Array.of(1, 2, 3, 4, 5);
const digest: Digest = `sha256:${'a'.repeat(64)}`;

const image = (name: string, mediaType = 'image/png'): RequestImage => ({
  type: 'image',
  digest,
  originalDigest: digest,
  name,
  mediaType,
  sizeBytes: BYTES.length,
  widthPx: 2,
  heightPx: 2,
});

type UserMessage = Extract<RequestMessage, { role: 'user' }>;
type ToolMessage = Extract<RequestMessage, { role: 'tool' }>;

const user = (...parts: UserMessage['parts']): RequestMessage => ({ role: 'user', origin: 'user', parts });
const words = (text: string) => ({ type: 'text', text }) as const;
const assistant = (...parts: Extract<RequestMessage, { role: 'assistant' }>['parts']): RequestMessage => ({
  role: 'assistant',
  parts,
});
const call = (toolCallId: string, toolArguments = '{}') =>
  ({ type: 'tool-call', toolCallId, name: 'view_image', arguments: toolArguments }) as const;
const result = (toolCallId: string, more: Partial<ToolMessage> = {}): RequestMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'view_image',
  isError: false,
  text: `result of ${toolCallId}`,
  images: [],
  ...more,
});

const requestOf = (messages: readonly RequestMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'seer',
  messages,
  tools: [],
  ...more,
});

async function textOf(request: ModelRequest, taste: MessagesTaste = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  const body = writeJsonBody(toMessagesBody(request, taste));
  for await (const chunk of encodeJsonBody(body, () => Promise.resolve(BYTES))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The body as an endpoint parses it, in the official types. */
async function wireOf(request: ModelRequest, taste: MessagesTaste = {}): Promise<MessageCreateParamsStreaming> {
  return JSON.parse(await textOf(request, taste)) as MessageCreateParamsStreaming;
}

async function turnsOf(...messages: readonly RequestMessage[]): Promise<MessageCreateParamsStreaming['messages']> {
  return (await wireOf(requestOf(messages))).messages;
}

const base64 = (mediaType = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data: 'AQIDBAU=' },
});

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;
const tools = ['view_image', 'read_file'].map((name) => ({
  name,
  description: `${name}!`,
  parameters: { type: 'object', b: 1, a: 2 },
}));

/** Every form that a conversation can have, message by message. */
const conversation: readonly RequestMessage[] = [
  { role: 'system', text: 'You see.' },
  user(image('a.png'), words('What is it?')),
  assistant({ type: 'thinking', text: 'hm', signature: 'sig-1' }, words('I look.'), call('c1'), call('c2')),
  result('c1', { images: [image('b.png')] }),
  result('c2', { isError: true, images: [image('c.png')] }),
  assistant({ type: 'thinking', text: '', opaque: 'secret' }, call('c3')),
  result('c3'),
  { role: 'user', origin: 'synthetic', parts: [words('Attached media from tool result:'), image('d.png')] },
  assistant(words('A cat.')),
  user(words('Sure?')),
];

describe('toMessagesBody', () => {
  it('has a shape that the official SDK accepts', () => {
    type Body = MessagesRequestBody<string>;
    type Official = MessageCreateParamsStreaming;
    // `effort` is an open text here, and `input_schema` any schema: endpoints have values that Anthropic has not.
    type Open = 'output_config' | 'messages' | 'tools' | 'system';
    expectTypeOf<Omit<Body, Open>>().toExtend<Omit<Official, Open>>();
    expectTypeOf<Mutable<NonNullable<Body['system']>>>().toExtend<NonNullable<Official['system']>>();
    expectTypeOf<keyof NonNullable<Body['output_config']>>().toExtend<keyof NonNullable<Official['output_config']>>();
    type Block = Exclude<Official['messages'][number]['content'], string>[number];
    type Of<Role> = Extract<MessagesTurn<string>, { role: Role }>['content'][number];
    expectTypeOf<Mutable<Of<'user'>>>().toExtend<Block>();
    expectTypeOf<Mutable<Of<'assistant'>>>().toExtend<Block>();
    type OfficialTool = Extract<NonNullable<Official['tools']>[number], { input_schema: unknown }>;
    expectTypeOf<keyof NonNullable<Body['tools']>[number]>().toExtend<keyof OfficialTool>();
    expectTypeOf<MessagesUserBlock>().not.toBeAny();
  });

  it('streams, bounds the answer, and sends only what was asked for', async () => {
    expect(await wireOf(requestOf([user(words('hi'))]))).toEqual({
      model: 'seer',
      max_tokens: 8192,
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
    const asked = requestOf([user(words('hi'))], { maxOutputTokens: 100, temperature: 0, reasoningEffort: 'low' });
    expect(await wireOf(asked)).toMatchObject({ max_tokens: 100, temperature: 0, output_config: { effort: 'low' } });
  });

  it('gives the system text at the top, and is a body without any', async () => {
    const system = { role: 'system', text: 'You see.' } as const;
    expect(await wireOf(requestOf([system, user(words('hi'))]))).toMatchObject({ system: 'You see.' });
    expect('system' in (await wireOf(requestOf([{ ...system, text: ' ' }, user(words('hi'))])))).toBe(false);
  });

  it('is refused without any message', () => {
    let thrown: unknown;
    try {
      toMessagesBody(requestOf([{ role: 'system', text: 'x' }]), {});
    } catch (error) {
      thrown = error;
    }
    expect(isAppError(thrown) && thrown.code).toBe('INTERNAL');
  });

  describe('turns', () => {
    it('alternate and begin with the user, whatever a conversation holds', async () => {
      for (let end = 2; end <= conversation.length; end += 1) {
        const roles = (await turnsOf(...conversation.slice(0, end))).map(({ role }) => role);
        expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')));
      }
      const late = await turnsOf(assistant(words('Hello.')), user(words('a')), user(words('b')));
      expect(late).toEqual([
        { role: 'user', content: [{ type: 'text', text: '""' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ]);
    });

    it('hold pictures as bare base64, in the given order, and links as what they are', async () => {
      const [turn] = await turnsOf(
        user(
          image('a.png'),
          image('b.jpg', 'image/jpeg'),
          { type: 'image-link', link: { url: 'https://example.org/a.png' } },
          { type: 'image-link', link: { fileId: 'file_1' } },
          words('What?'),
        ),
      );
      expect(turn?.content).toEqual([
        base64(),
        base64('image/jpeg'),
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        { type: 'text', text: 'What?' },
      ]);
    });

    it('never hold a text without words', async () => {
      const turns = await turnsOf(
        user(words(''), words(' \n'), image('a.png')),
        assistant(words(''), call('c1'), call('c2'), call('c3')),
        result('c1', { text: '' }),
        result('c2', { text: ' ', images: [image('b.png')] }),
        result('c3', { text: '', isError: true }),
        assistant(words(' ')),
        user(words('')),
      );
      expect(turns).toEqual([
        { role: 'user', content: [base64()] },
        { role: 'assistant', content: ['c1', 'c2', 'c3'].map((id) => expect.objectContaining({ id })) },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: '""' },
            { type: 'tool_result', tool_use_id: 'c2', content: [base64()] },
            { type: 'tool_result', tool_use_id: 'c3', content: '""', is_error: true },
            { type: 'text', text: '""' },
          ],
        },
      ]);
    });
  });

  describe('results of tools', () => {
    it('are the head of the turn in call order, with their pictures inside and before the text', async () => {
      const turns = await turnsOf(
        user(words('Look.')),
        assistant(call('c1'), call('c2')),
        result('c1', { images: [image('a.png'), image('b.png')] }),
        result('c2'),
        user(words('And?')),
      );
      expect(turns[2]).toEqual({
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c1',
            content: [base64(), base64(), { type: 'text', text: 'result of c1' }],
          },
          { type: 'tool_result', tool_use_id: 'c2', content: 'result of c2' },
          { type: 'text', text: 'And?' },
        ],
      });
    });

    it('that failed hold words alone; their pictures follow the group, each behind a line that names its call', async () => {
      const turns = await turnsOf(
        user(words('Look.')),
        assistant(call('c1'), call('c2')),
        result('c1', { isError: true, images: [image('a\nb.png'), image('c.png')] }),
        result('c2'),
        user(words('And?')),
      );
      expect(turns[2]?.content).toEqual([
        { type: 'tool_result', tool_use_id: 'c1', content: 'result of c1', is_error: true },
        { type: 'tool_result', tool_use_id: 'c2', content: 'result of c2' },
        { type: 'text', text: 'c1 (view_image): a b.png' },
        base64(),
        { type: 'text', text: 'c1 (view_image): c.png' },
        base64(),
        { type: 'text', text: 'And?' },
      ]);
    });

    it('are followed in the same turn by the pictures that stand behind the group', async () => {
      const turns = await turnsOf(...conversation.slice(5, 8));
      expect(turns.at(-1)?.content).toEqual([
        { type: 'tool_result', tool_use_id: 'c3', content: 'result of c3' },
        { type: 'text', text: 'Attached media from tool result:' },
        base64(),
      ]);
    });
  });

  describe('calls', () => {
    const inputOf = async (text: string) => {
      const content = (await turnsOf(user(words('x')), assistant(call('c1', text)), result('c1')))[1]?.content;
      return typeof content === 'string' ? undefined : content?.[0];
    };

    it('have the object that their arguments are', async () => {
      expect(await inputOf('{"path": "a.png", "n": [1]}')).toEqual({
        type: 'tool_use',
        id: 'c1',
        name: 'view_image',
        input: { path: 'a.png', n: [1] },
      });
      expect(await inputOf('')).toMatchObject({ input: {} });
    });

    it('never break a request by arguments that are no object', async () => {
      for (const text of ['{"path": "a', '[1]', '7', 'null']) {
        expect(await inputOf(text)).toMatchObject({ input: { invalid_arguments: text } });
      }
    });

    it('have ids that this wire takes, in call and result alike, and different for different ones', async () => {
      const ids = ['toolu_01-A', 'functions.view_image:0', 'functions_view_image:0', 'ü|fc'];
      const turns = await turnsOf(
        user(words('x')),
        assistant(...ids.map((id) => call(id))),
        ...ids.map((id) => result(id)),
      );
      const sent = [1, 2].map((index) => JSON.stringify(turns[index]).match(/(?<="(?:id|tool_use_id)":")[^"]+/g));
      expect(sent[0]).toEqual(sent[1]);
      expect(new Set(sent[0]).size).toBe(ids.length);
      expect(sent[0]?.[0]).toBe('toolu_01-A');
      for (const id of sent[0] ?? []) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    });
  });

  it('leaves out thoughts that nothing of their answer follows: a stop or a limit ended it', async () => {
    const thought = { type: 'thinking', text: 'Hm', signature: 's1' } as const;
    const redacted = { type: 'thinking', text: '', opaque: 'cipher' } as const;
    const turns = await turnsOf(
      user(words('Look.')),
      assistant(thought, words('Red.'), thought, redacted),
      user(words('Sure?')),
      assistant(thought, redacted, words('  ')),
      user(words('And?')),
    );
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(turns[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm', signature: 's1' },
      { type: 'text', text: 'Red.' },
    ]);
  });

  it('returns thoughts as they came and in their order, and none without its proof', async () => {
    const [, turn] = await turnsOf(
      user(words('x')),
      assistant(
        { type: 'thinking', text: ' Hm \n', signature: 'sig/1==' },
        { type: 'thinking', text: '', opaque: 'data/2==' },
        { type: 'thinking', text: '', signature: 'sig/3==' },
        { type: 'thinking', text: 'unproven' },
        { type: 'thinking', text: 'unproven, too', signature: '' },
        words('Yes.'),
      ),
      user(words('y')),
    );
    expect(turn?.content).toEqual([
      { type: 'thinking', thinking: ' Hm \n', signature: 'sig/1==' },
      { type: 'redacted_thinking', data: 'data/2==' },
      { type: 'thinking', thinking: '', signature: 'sig/3==' },
      { type: 'text', text: 'Yes.' },
    ]);
    const without = await turnsOf(
      user(words('x')),
      assistant({ type: 'thinking', text: 'unproven' }),
      user(words('y')),
    );
    expect(without.map(({ role }) => role)).toEqual(['user']);
  });

  describe('cache marks', () => {
    it('are not sent where they are not known', async () => {
      expect(await textOf(requestOf(conversation, { tools }))).not.toContain('cache_control');
    });

    it('stand on the head and on the ends of the last two user turns', async () => {
      const body = await wireOf(requestOf(conversation, { tools }), { cacheMarks: true });
      const mark = { cache_control: { type: 'ephemeral' } };
      expect(body.system).toEqual([{ type: 'text', text: 'You see.', ...mark }]);
      const marked = body.messages.flatMap(({ content }, turn) =>
        typeof content === 'string'
          ? []
          : content.flatMap((block, index) => ('cache_control' in block ? [[turn, index, content.length]] : [])),
      );
      expect(marked).toEqual([
        [4, 2, 3],
        [6, 0, 1],
      ]);
      expect(JSON.stringify(body.tools)).not.toContain('cache_control');
    });

    it('stand on the last tool when there is no system text, and are never more than four', async () => {
      const body = await wireOf(requestOf(conversation.slice(1), { tools }), { cacheMarks: true });
      expect(body.tools?.map((tool) => 'cache_control' in tool)).toEqual([false, true]);
      expect(JSON.stringify(body).match(MARK)).toHaveLength(3);
    });

    it('change no other byte when they move', async () => {
      for (const cacheMarks of [true, false]) {
        let shorter = '';
        for (let count = 2; count <= conversation.length; count += 1) {
          const marked = await textOf(requestOf(conversation.slice(0, count), { tools }), { cacheMarks });
          const longer = marked.replaceAll(MARK, '');
          // Without the brackets that close the last turn, the list of turns and the body.
          expect(longer.startsWith(shorter.slice(0, -']}]}'.length))).toBe(true);
          shorter = longer;
        }
      }
    });
  });

  it('keeps the order of the tools', async () => {
    const body = await textOf(requestOf([user(words('x'))], { tools }));
    expect(body).toContain(
      '"tools":[{"name":"view_image","description":"view_image!","input_schema":{"type":"object","b":1,"a":2}},{"name":"read_file"',
    );
  });

  it('merges extra fields at the top, except over what the request is', async () => {
    const extraBody = {
      thinking: { type: 'adaptive' },
      max_tokens: 7,
      model: 'x',
      messages: [],
      stream: false,
      tools: [],
      system: 'You are someone else.',
    };
    const body = await wireOf(requestOf([user(words('hi'))], { extraBody }));
    expect(body).toMatchObject({ model: 'seer', stream: true, max_tokens: 7, thinking: { type: 'adaptive' } });
    expect(body.messages).toHaveLength(1);
    expect('tools' in body || 'system' in body).toBe(false);
  });

  it('sends no picture of a type that no endpoint takes', () => {
    expect(() => toMessagesBody(requestOf([user(image('a.bmp', 'image/bmp'))]), {})).toThrow(/image\/bmp/);
  });
});

type Mutable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Key in keyof Value]: Mutable<Value[Key]> };
