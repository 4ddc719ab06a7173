import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseOutputText,
} from 'openai/resources/responses/responses';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Digest } from '../../base/ids.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../../content/request.ts';
import { encodeJsonBody, writeJsonBody } from '../json-body.ts';
import { type ResponsesTaste, toResponsesBody } from './to-wire.ts';
import type {
  ResponsesAssistantItem,
  ResponsesInputItem,
  ResponsesInputPart,
  ResponsesRequestBody,
  ResponsesTool,
  ResponsesUserItem,
} from './wire-schema.ts';

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
const assistant = (...parts: Extract<RequestMessage, { role: 'assistant' }>['parts']): RequestMessage => ({
  role: 'assistant',
  parts,
});
const words = (text: string) => ({ type: 'text', text }) as const;
const call = (toolCallId: string, toolArguments = '{}') =>
  ({ type: 'tool-call', toolCallId, name: 'view_image', arguments: toolArguments }) as const;
const result = (toolCallId: string, text: string, ...images: RequestImage[]): RequestMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'view_image',
  isError: false,
  text,
  images,
});
const reasoning = (id: string, more: object = { encrypted_content: `${id}+/==` }) => ({
  id,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  ...more,
});
const thought = (item: object) => ({ type: 'thinking', text: 'Hm.', opaque: JSON.stringify(item) }) as const;

const requestOf = (messages: readonly RequestMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'seer',
  messages,
  tools: [],
  ...more,
});

async function textOf(request: ModelRequest, taste: ResponsesTaste = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  const body = writeJsonBody(toResponsesBody(request, taste));
  for await (const chunk of encodeJsonBody(body, () => Promise.resolve(BYTES))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The body as an endpoint parses it, in the official types. */
async function wireOf(request: ModelRequest, taste: ResponsesTaste = {}): Promise<ResponseCreateParamsStreaming> {
  return JSON.parse(await textOf(request, taste)) as ResponseCreateParamsStreaming;
}

async function inputOf(messages: readonly RequestMessage[], taste: ResponsesTaste = {}): Promise<unknown> {
  return (await wireOf(requestOf(messages), taste)).input;
}

const URL = 'data:image/png;base64,AQIDBAU=';

describe('toResponsesBody', () => {
  it('has a shape that the official SDK accepts', () => {
    // `effort` and `detail` are open texts here: endpoints have values that OpenAI has not.
    type Open = 'reasoning' | 'input' | 'tools' | 'include';
    type Official = ResponseCreateParamsStreaming;
    expectTypeOf<Omit<ResponsesRequestBody<string>, Open>>().toExtend<Omit<Official, Open>>();
    expectTypeOf<ResponsesRequestBody['include'][number]>().toExtend<NonNullable<Official['include']>[number]>();
    type OfficialTool = Extract<NonNullable<Official['tools']>[number], { type: 'function' }>;
    expectTypeOf<Mutable<ResponsesTool>>().toExtend<OfficialTool>();
    type Item<Type> = Extract<ResponsesInputItem<string>, { type: Type }>;
    expectTypeOf<Item<'function_call'>>().toExtend<Extract<ResponseInputItem, { type: 'function_call' }>>();
    type Output = Extract<ResponseInputItem, { type: 'function_call_output' }>;
    expectTypeOf<Omit<Item<'function_call_output'>, 'output'>>().toExtend<Omit<Output, 'output'>>();
    type OfficialPart<Type> = Extract<Exclude<Output['output'], string>[number], { type: Type }>;
    type Part<Type> = Extract<ResponsesInputPart<string>, { type: Type }>;
    expectTypeOf<Part<'input_text'>>().toExtend<OfficialPart<'input_text'>>();
    expectTypeOf<keyof Part<'input_image'>>().toExtend<keyof OfficialPart<'input_image'>>();
    expectTypeOf<NonNullable<Part<'input_image'>['image_url']>>().toExtend<OfficialPart<'input_image'>['image_url']>();
    expectTypeOf<keyof ResponsesUserItem>().toExtend<keyof EasyInputMessage>();
    expectTypeOf<ResponsesUserItem['role']>().toExtend<EasyInputMessage['role']>();
    expectTypeOf<keyof ResponsesAssistantItem>().toExtend<keyof ResponseOutputMessage>();
    type Said = ResponsesAssistantItem['content'][number];
    expectTypeOf<Said>().toExtend<Pick<ResponseOutputText, keyof Said>>();
  });

  it('streams, stores nothing, asks for what thoughts need to come back, and sends only what was asked for', async () => {
    expect(await wireOf(requestOf([{ role: 'system', text: 'You see.' }, user(words('hi'))]))).toEqual({
      model: 'seer',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'You see.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    });
    expect(await wireOf(requestOf([]), { store: true })).toMatchObject({ store: true, input: [] });
  });

  it('begins with the bytes of the shorter conversation', async () => {
    const tools = [{ name: 'view_image', description: 'Shows.', parameters: { type: 'object' } }];
    const first: RequestMessage[] = [{ role: 'system', text: 'You see.' }, user(image('a.png'), words('What is it?'))];
    const more: RequestMessage[][] = [
      [assistant(thought(reasoning('rs_1')), call('c1'), call('c2')), result('c1', 'one'), result('c2', 'two')],
      [{ role: 'user', origin: 'synthetic', parts: [words('Attached media from tool result:'), image('b.png')] }],
      [assistant(words('A cat.'))],
      [user(words('Sure?'))],
    ];
    for (const taste of [{}, { imageDetail: 'high', strictPairs: true }] satisfies ResponsesTaste[]) {
      let shorter = await textOf(requestOf(first, { tools }), taste);
      for (let count = 1; count <= more.length; count += 1) {
        const longer = await textOf(requestOf([...first, ...more.slice(0, count).flat()], { tools }), taste);
        expect(longer.startsWith(shorter.slice(0, -2))).toBe(true);
        shorter = longer;
      }
    }
  });

  it('takes the system texts at the head for instructions, and leaves a later one where it is', async () => {
    const body = await wireOf(
      requestOf([
        { role: 'system', text: 'One.' },
        { role: 'system', text: 'Two.' },
        user(words('a')),
        { role: 'system', text: 'Three.' },
      ]),
    );
    expect(body.instructions).toBe('One.\n\nTwo.');
    expect(body.input).toMatchObject([{ role: 'user' }, { role: 'system', content: [{ text: 'Three.' }] }]);
  });

  it('gives every picture its bytes and its detail, a region the closer one', async () => {
    const region = { ...image('b'), region: { x: 0, y: 0, width: 2, height: 2 } };
    const picture = (detail?: string) => ({ type: 'input_image', ...(detail && { detail }), image_url: URL });
    const contentFor = async (taste: ResponsesTaste) => {
      const input = await inputOf([user(image('a'), region, words(''), words('What?'))], taste);
      return Array.isArray(input) ? input[0]?.content : undefined;
    };
    const text = { type: 'input_text', text: 'What?' };
    expect(await contentFor({})).toEqual([picture(), picture(), text]);
    expect(await contentFor({ imageDetail: 'high' })).toEqual([picture('high'), picture('high'), text]);
    const both = { imageDetail: 'high', regionDetail: 'original' };
    expect(await contentFor(both)).toEqual([picture('high'), picture('original'), text]);
  });

  it('passes addresses and files on', async () => {
    const url = { type: 'image-link', link: { url: 'https://example.org/a.png' } } as const;
    const file = { type: 'image-link', link: { fileId: 'file-1' } } as const;
    expect(await inputOf([user(url, file)], { imageDetail: 'high' })).toMatchObject([
      {
        content: [
          { type: 'input_image', detail: 'high', image_url: 'https://example.org/a.png' },
          { type: 'input_image', detail: 'high', file_id: 'file-1' },
        ],
      },
    ]);
    expect(await inputOf([user(file)], { fileScheme: 'ms://' })).toMatchObject([
      { content: [{ type: 'input_image', image_url: 'ms://file-1' }] },
    ]);
  });

  it('says a message without words as one', async () => {
    expect(await inputOf([user(words(''))])).toMatchObject([{ content: [{ type: 'input_text', text: '' }] }]);
  });

  it('gives outputs as words, all behind all calls, and never empty ones', async () => {
    expect(
      await inputOf([
        assistant(words('I look.'), call('c1', '{"path":"a"}'), call('c2', '')),
        result('c1', '{"status":"ok"}'),
        result('c2', ''),
        user(words('Attached'), image('a')),
      ]),
    ).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'c1', name: 'view_image', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'c2', name: 'view_image', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"status":"ok"}' },
      { type: 'function_call_output', call_id: 'c2', output: '""' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Attached' },
          { type: 'input_image', image_url: URL },
        ],
      },
    ]);
  });

  it('gives an output with pictures as a list', async () => {
    const input = await inputOf(
      [assistant(call('c1'), call('c2')), result('c1', 'a.png: 2x2', image('a')), result('c2', '', image('b'))],
      { imageDetail: 'high' },
    );
    const picture = { type: 'input_image', detail: 'high', image_url: URL };
    expect(input).toMatchObject([
      {},
      {},
      { call_id: 'c1', output: [{ type: 'input_text', text: 'a.png: 2x2' }, picture] },
      { call_id: 'c2', output: [picture] },
    ]);
  });

  it('puts every output directly behind its call where pairs are strict', async () => {
    const messages = [
      user(words('q')),
      assistant(thought(reasoning('rs_1')), call('c1'), thought(reasoning('rs_2')), call('c2')),
      result('c1', 'one'),
      result('c2', 'two', image('a')),
      user(words('Attached')),
      assistant(call('c3')),
      result('c3', 'three'),
    ];
    const orderOf = async (taste: ResponsesTaste) => {
      const input = await inputOf(messages, taste);
      return (Array.isArray(input) ? input : []).map((item) => [item.type, item.call_id ?? item.id ?? ''].join(' '));
    };
    expect(await orderOf({ strictPairs: true })).toEqual([
      'message ',
      'reasoning rs_1',
      'function_call c1',
      'function_call_output c1',
      'reasoning rs_2',
      'function_call c2',
      'function_call_output c2',
      'message ',
      'function_call c3',
      'function_call_output c3',
    ]);
    expect((await orderOf({})).slice(1, 7)).toEqual([
      'reasoning rs_1',
      'function_call c1',
      'reasoning rs_2',
      'function_call c2',
      'function_call_output c1',
      'function_call_output c2',
    ]);
  });

  it('pairs each call with its own output when a model gives an id twice', async () => {
    const messages = ['one', 'two'].flatMap((text) => [assistant(call('c1')), result('c1', text)]);
    const input = await inputOf(messages, { strictPairs: true });
    expect(input).toMatchObject([{}, { output: 'one' }, {}, { output: 'two' }]);
  });

  it('brings thoughts back as they came, before what followed them', async () => {
    const item = reasoning('rs_1', { encrypted_content: 'gAAA+/é==', status: 'completed', odd: [1] });
    const body = await textOf(requestOf([assistant(thought(item), words('Red.'))]));
    expect(body).toContain(`"input":[${JSON.stringify(item)},{"type":"message","role":"assistant"`);
    const plain = reasoning('rs_2', { content: [{ type: 'reasoning_text', text: 'Hm.' }] });
    expect(await inputOf([assistant(thought(plain), words('Red.'))])).toMatchObject([plain, {}]);
  });

  it('leaves out a thought that nothing of its answer follows', async () => {
    expect(
      await inputOf([
        user(words('q')),
        assistant(thought(reasoning('rs_1'))),
        user(words('q')),
        assistant(words('Red'), thought(reasoning('rs_2'))),
        user(words('q')),
      ]),
    ).toMatchObject([{ role: 'user' }, { role: 'user' }, { role: 'assistant' }, { role: 'user' }]);
  });

  it('leaves out thoughts that are no items of this wire, or hold nothing that is not stored', async () => {
    const bare = reasoning('rs_1', {});
    const parts = [
      { type: 'thinking', text: 'Hm.' } as const,
      { type: 'thinking', text: 'Hm.', signature: 'sig', opaque: 'EuYB...' } as const,
      thought({ type: 'redacted_thinking', data: 'x' }),
      thought(bare),
      words('Red.'),
    ];
    expect(await inputOf([assistant(...parts)])).toHaveLength(1);
    expect(await inputOf([assistant(...parts)], { store: true })).toMatchObject([bare, { role: 'assistant' }]);
  });

  it('names limits, effort and tools as this wire does, in a fixed order', async () => {
    const tools = ['view_image', 'read_file'].map((name) => ({
      name,
      description: `${name}!`,
      parameters: { type: 'object', b: 1, a: 2 },
    }));
    const more = { tools, maxOutputTokens: 100, temperature: 0, reasoningEffort: 'low' };
    const body = await textOf(requestOf([], more));
    expect(body).toContain(
      '"max_output_tokens":100,"temperature":0,"reasoning":{"effort":"low"},"tools":[{"type":"function","name":"view_image","description":"view_image!","parameters":{"type":"object","b":1,"a":2},"strict":false},{"type":"function","name":"read_file"',
    );
  });

  it('merges extra fields at the top, except over what the request is', async () => {
    const extraBody = {
      reasoning: { effort: 'high', summary: 'auto' },
      model: 'x',
      input: 'x',
      instructions: 'x',
      stream: false,
      tools: [],
      previous_response_id: 'resp_1',
    };
    const body = await wireOf(requestOf([user(words('hi'))], { extraBody, reasoningEffort: 'low' }));
    expect(body).toMatchObject({ model: 'seer', stream: true, reasoning: { effort: 'high', summary: 'auto' } });
    expect(body.input).toHaveLength(1);
    for (const key of ['instructions', 'tools', 'previous_response_id']) expect(key in body).toBe(false);
  });
});

type Mutable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Key in keyof Value]: Mutable<Value[Key]> };
