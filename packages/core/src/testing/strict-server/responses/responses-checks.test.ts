import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRecord } from '../../../base/parse-json.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from '../../make-pictures.ts';
import type { CheckId } from '../check-failure.ts';
import { expectClean } from '../expect-clean.ts';
import type { PersonalityId } from '../personalities.ts';
import { inputImage, postResponses } from '../post-responses.ts';
import { oracle, replyText } from '../reply.ts';
import { type StrictServer, startStrictServer } from '../start-strict-server.ts';
import { readList } from './read-responses-body.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const jpeg = makeTwoColorJpeg({ left: 'red', right: 'green' });
const base64 = Buffer.from(png).toString('base64');
const user = { role: 'user', content: 'Hello' };
const words = { type: 'input_text', text: 'Which?' };

const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'view_image',
  arguments: '{"path":"a.png"}',
  ...more,
});
const output = (id: string, value: unknown = 'done') => ({ type: 'function_call_output', call_id: id, output: value });
const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const withParts = (...parts: unknown[]) => ({ input: [{ type: 'message', role: 'user', content: parts }] });
const withUrl = (url: unknown, more: object = {}) => withParts({ type: 'input_image', image_url: url, ...more });
const withTool = (tool: object) => ({
  tools: [{ type: 'function', name: 'a', parameters: { type: 'object' }, strict: false, ...tool }],
});

const validBody = {
  instructions: 'You see.',
  input: [
    { type: 'message', role: 'user', content: [inputImage(png), inputImage(jpeg, 'image/jpeg'), words] },
    call('call_1'),
    call('call_2', { arguments: '{}' }),
    output('call_1'),
    output('call_2', [words, inputImage(png)]),
    said('Red.'),
    { type: 'message', role: 'system', content: [words] },
    { type: 'message', role: 'user', content: [{ type: 'input_image', file_id: 'file-ready', detail: 'high' }] },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', name: 'view_image', description: 'x', parameters: { type: 'object' }, strict: false }],
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low' },
  max_output_tokens: 100,
  stream: true,
};

interface Case {
  readonly check: CheckId;
  readonly title: string;
  readonly body: Record<string, unknown>;
  readonly message: RegExp;
  readonly param?: string;
  readonly code?: string;
  readonly status?: number;
  readonly personality?: PersonalityId;
}

const cases: readonly Case[] = [
  {
    check: 'unknown-key',
    title: 'a key of Chat Completions',
    body: { max_tokens: 3 },
    param: 'max_tokens',
    code: 'unknown_parameter',
    message: /^Unknown parameter: 'max_tokens'\.$/,
  },
  {
    check: 'shape',
    title: 'no input',
    body: { input: undefined },
    param: 'input',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'input'\.$/,
  },
  {
    check: 'shape',
    title: 'an unknown wish',
    body: { include: ['everything'] },
    param: 'include[0]',
    code: 'invalid_value',
    message: /include/,
  },
  {
    check: 'r10',
    title: 'instructions that are a list',
    body: { instructions: [words] },
    param: 'instructions',
    code: 'invalid_type',
    message: /^Invalid type for 'instructions': expected a string, but got an array instead\.$/,
  },
  {
    check: 'r1',
    title: 'an item of an unknown type',
    body: { input: [{ type: 'tool_result', call_id: 'x' }] },
    param: 'input[0].type',
    code: 'invalid_value',
    message: /^Invalid value: 'tool_result'\. Supported values are: 'message', 'reasoning'/,
  },
  {
    check: 'r1',
    title: 'an unknown role',
    body: { input: [{ role: 'tool', content: 'x' }] },
    param: 'input[0].role',
    code: 'invalid_value',
    message: /^Invalid value: 'tool'/,
  },
  {
    check: 'r1',
    title: 'a part of Chat Completions',
    body: withParts({ type: 'text', text: 'a' }),
    param: 'input[0].content[0].type',
    code: 'invalid_value',
    message: /^Invalid value: 'text'\. Supported values are: 'input_text', 'input_image', and 'input_file'\.$/,
  },
  {
    check: 'r1',
    title: 'the words of an assistant as input',
    body: { input: [user, { role: 'assistant', content: [words] }] },
    param: 'input[1].content[0].type',
    code: 'invalid_value',
    message: /^Invalid value: 'input_text'\. Supported values are: 'output_text' and 'refusal'\.$/,
  },
  {
    check: 'r1',
    title: 'a picture in a system message',
    body: { input: [{ role: 'system', content: [inputImage(png)] }, user] },
    param: 'input[0].content[0].type',
    code: 'invalid_value',
    message: /^Invalid value: 'input_image'/,
  },
  {
    check: 'r1',
    title: 'a thought without its summary',
    body: { input: [user, { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' }, said('a')] },
    param: 'input[1].summary',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'input\[1\]\.summary'\.$/,
  },
  {
    check: 'r1',
    title: 'arguments that are no JSON',
    body: { input: [user, call('call_1', { arguments: '{"path":' }), output('call_1')] },
    param: 'input[1].arguments',
    code: 'invalid_value',
    message: /not a valid JSON string/,
  },
  {
    check: 'r2',
    title: 'a picture that is neither URL nor file',
    body: withParts(words, { type: 'input_image', detail: 'high' }),
    param: 'input[0].content[1].image_url',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'input\[0\]\.content\[1\]\.image_url'\.$/,
  },
  {
    check: 'r2',
    title: 'a picture that is both',
    body: withUrl('https://example.org/a.png', { file_id: 'file-ready' }),
    param: 'input[0].content[0]',
    code: 'mutually_exclusive_parameters',
    message: /^Mutually exclusive/,
  },
  {
    check: 'blind',
    title: 'a picture, where the model has no eyes',
    body: withParts(words, inputImage(png)),
    param: 'input[0].content[1]',
    message: /^Invalid content type\. image_url is only supported by certain models\.$/,
    personality: 'openai-textonly',
  },
  {
    check: 'r3',
    title: 'a call without an output',
    body: { input: [user, call('call_1'), call('call_2'), output('call_2'), user] },
    param: 'input',
    message: /^No tool output found for function call call_1\.$/,
  },
  {
    check: 'r4',
    title: 'an output without a call',
    body: { input: [user, output('call_1')] },
    param: 'input',
    message: /^No tool call found for function call output with call_id call_1\.$/,
  },
  {
    check: 'r4',
    title: 'a second output',
    body: { input: [user, call('call_1'), output('call_1'), output('call_1')] },
    param: 'input',
    message: /^No tool call found for function call output with call_id call_1\.$/,
  },
  {
    check: 'r5',
    title: 'calls one after the other, where pairs are strict',
    body: { input: [user, call('call_1'), call('call_2'), output('call_1'), output('call_2')] },
    param: '',
    code: 'invalid_request_error',
    message: /^No tool output found for tool call call_1$/,
    personality: 'deepseek-vision',
  },
  {
    check: 'r6',
    title: 'a list as an output, where words are taken only',
    body: { input: [user, call('call_1'), output('call_1', [words])] },
    param: 'input[2].output',
    code: 'invalid_type',
    message: /^Invalid type for 'input\[2\]\.output': expected a string, but got an array instead\.$/,
    personality: 'responses-strings',
  },
  {
    check: 'inner-key',
    title: 'a picture in the form of Chat Completions',
    body: withParts({ type: 'input_text', text: 'a', cache_control: {} }),
    param: 'input[0].content[0].cache_control',
    code: 'unknown_parameter',
    message: /^Unknown parameter/,
  },
  {
    check: 'r7',
    title: 'a path instead of a URL in an output',
    body: {
      input: [user, call('call_1'), output('call_1', [words, { type: 'input_image', image_url: '/home/a.png' }])],
    },
    param: 'input[2].output[1].image_url',
    code: 'invalid_value',
    message:
      /^Invalid 'input\[2\]\.output\[1\]\.image_url'\. Expected a base64-encoded data URL .* without the 'data:' prefix\.$/,
  },
  {
    check: 'r7',
    title: 'a slot that is an object',
    body: withUrl({ url: 'https://example.org/a.png' }),
    param: 'input[0].content[0].image_url',
    code: 'invalid_value',
    message: /a value that is not a string\.$/,
  },
  {
    check: 'r7',
    title: 'base64 with a line break',
    body: withUrl(`data:image/png;base64,${base64.slice(0, 40)}\n${base64.slice(40)}`),
    param: 'input[0].content[0].image_url',
    code: 'invalid_value',
    message: /an invalid base64-encoded value\.$/,
  },
  {
    check: 'r7',
    title: 'no bytes',
    body: withUrl('data:image/png;base64,'),
    param: 'input[0].content[0].image_url',
    code: 'invalid_value',
    message: /empty base64-encoded bytes\.$/,
  },
  {
    check: 'r7',
    title: 'a JPEG that is called a PNG',
    body: withParts(inputImage(jpeg)),
    code: 'invalid_image_format',
    message: /^You uploaded an unsupported image/,
  },
  {
    check: 'r7',
    title: 'a truncated JPEG',
    body: withParts(inputImage(jpeg.slice(0, jpeg.length - 40), 'image/jpeg')),
    code: 'invalid_image_format',
    message: /Please make sure your image is valid\.$/,
  },
  {
    check: 'r7',
    title: 'an unknown detail',
    body: withUrl(`data:image/png;base64,${base64}`, { detail: 'xhigh' }),
    param: 'input[0].content[0].detail',
    code: 'invalid_value',
    message: /^Invalid value: 'xhigh'/,
  },
  {
    check: 'r7',
    title: 'a web address, in the words of a server that fetches none',
    body: withUrl('https://example.org/a.png'),
    message: /^image URLs are not currently supported, please use base64 encoded data instead$/,
    personality: 'ollama',
  },
  {
    check: 'r8',
    title: 'an unknown file',
    body: withParts({ type: 'input_image', file_id: 'file-gone' }),
    status: 404,
    param: 'input[0].content[0].file_id',
    code: 'image_file_not_found',
    message: /file-gone was not found/,
  },
  {
    check: 'r8',
    title: 'an expired file',
    body: withParts({ type: 'input_image', file_id: 'file-expired' }),
    status: 404,
    param: 'input[0].content[0].file_id',
    code: 'image_file_not_found',
    message: /file-expired has expired/,
  },
  {
    check: 'r8',
    title: 'a file, where there are none',
    body: withParts({ type: 'input_image', file_id: 'file-ready' }),
    param: 'input[0].content[0].file_id',
    code: 'unknown_parameter',
    message: /^Unknown parameter/,
    personality: 'responses-strings',
  },
  {
    check: 'r9',
    title: 'a thought that nothing was stored of',
    body: { input: [user, { type: 'reasoning', id: 'rs_1', summary: [] }, said('a')] },
    status: 404,
    param: 'input',
    message: /^Item with id 'rs_1' not found\. Items are not persisted/,
  },
  {
    check: 'r9',
    title: 'a thought of somebody else',
    body: { input: [user, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }, said('a')] },
    code: 'invalid_encrypted_content',
    message: /^The encrypted content for item rs_1 could not be verified\.$/,
  },
  {
    check: 'tools',
    title: 'a tool in the form of Chat Completions',
    body: { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }] },
    param: 'tools[0].name',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'tools\[0\]\.name'\.$/,
  },
  {
    check: 'tools',
    title: 'a tool that does not say whether it is strict',
    body: withTool({ strict: undefined }),
    param: 'tools[0].strict',
    code: 'missing_required_parameter',
    message: /^Missing required parameter: 'tools\[0\]\.strict'\.$/,
  },
  {
    check: 'tools',
    title: 'a schema that is no object',
    body: withTool({ parameters: { type: 'string' } }),
    param: 'tools[0].parameters',
    code: 'invalid_function_parameters',
    message: /^Invalid schema for function 'a'/,
  },
];

let server: StrictServer;

beforeAll(async () => {
  server = await startStrictServer({ script: () => replyText('fine') });
});
afterAll(() => server.close());

describe('the checks of the Responses wire', () => {
  it.each(cases)('$check refuses $title', async ({ check, body, personality, ...expected }) => {
    const options = personality === undefined ? {} : { baseUrl: server.baseUrlOf(personality) };
    const response = await postResponses(server, body, options);
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

  it('lets a valid body pass, and an input that is a text', async () => {
    for (const body of [validBody, { input: 'Hello' }]) {
      const response = await postResponses(server, body);
      expect(response.status).toBe(200);
      await response.text();
      expect(server.requests.at(-1)?.failure).toBeUndefined();
    }
  });

  it('takes strict pairs where they are demanded, and lists as outputs there', async () => {
    const input = [user, call('call_1'), output('call_1', [inputImage(png)]), call('call_2'), output('call_2')];
    const response = await postResponses(server, { input }, { baseUrl: server.baseUrlOf('deepseek-vision') });
    expect(response.status).toBe(200);
  });

  it('counts pictures, bytes and sides as on Chat', async () => {
    const limited = await startStrictServer({ limits: { maxImages: 1 }, script: () => replyText('fine') });
    try {
      const response = await postResponses(limited, withParts(inputImage(png), inputImage(png)));
      expect(await response.json()).toMatchObject({ error: { param: 'input', code: 'invalid_value' } });
      expect(limited.requests[0]?.failure?.check).toBe('r7');
      const file = { type: 'input_image', file_id: 'file-ready' };
      expect((await postResponses(limited, withParts(file, file))).status).toBe(400);
      expect((await postResponses(limited, withParts(file))).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  it('wants the key where Azure has it, and none where Ollama runs', async () => {
    const status = async (personality: PersonalityId, headers: Record<string, string>) =>
      (await postResponses(server, {}, { baseUrl: server.baseUrlOf(personality), headers })).status;
    expect(await status('azure', {})).toBe(401);
    expect(await status('azure', { 'api-key': 'test-key' })).toBe(200);
    expect(await status('ollama', { authorization: '' })).toBe(200);
  });

  it('is not spoken by everybody', async () => {
    const response = await postResponses(server, {}, { baseUrl: server.baseUrlOf('kimi') });
    expect(response.status).toBe(404);
  });
});

describe('r9', () => {
  const opaque = Buffer.alloc(900, 7).toString('base64');
  const thoughtful = replyText('Red.', { reasoning: 'Hm.', opaque });

  async function judge(change: (output: readonly Record<string, unknown>[]) => Record<string, unknown>) {
    const thinking = await startStrictServer({ script: ({ index }) => (index === 0 ? thoughtful : replyText('fine')) });
    try {
      const parsed: unknown = await (await postResponses(thinking, {})).json();
      const answer = isRecord(parsed) ? readList(parsed['output']).filter(isRecord) : [];
      await postResponses(thinking, change(answer));
      const failure = thinking.requests[1]?.failure;
      return { check: failure?.check, message: failure?.message, leaks: thinking.leaks.length };
    } finally {
      await thinking.close();
    }
  }

  it('takes a thought that comes back as it was, however long it is', async () => {
    expect(await judge((answer) => ({ input: [user, ...answer, user] }))).toEqual({
      check: undefined,
      message: undefined,
      leaks: 0,
    });
    const stopped = said('Re');
    expect(await judge(([thought]) => ({ input: [user, thought, stopped, user] }))).toEqual({
      check: undefined,
      message: undefined,
      leaks: 0,
    });
  });

  it.each<[string, Parameters<typeof judge>[0], RegExp]>([
    ['alone', ([thought]) => ({ input: [user, thought, user] }), /without its required following item/],
    ['at the end', ([thought]) => ({ input: [user, thought] }), /without its required following item/],
    ['before other words', ([thought]) => ({ input: [user, thought, said('Blue.'), user] }), /required following item/],
    [
      'before a call that it did not make',
      ([thought]) => ({ input: [user, thought, call('call_1'), output('call_1')] }),
      /required following item/,
    ],
    ['to another model', (answer) => ({ model: 'other', input: [user, ...answer, user] }), /could not be verified/],
  ])('refuses a thought that comes back %s', async (_name, change, message) => {
    expect(await judge(change)).toMatchObject({ check: 'r9', message: expect.stringMatching(message) });
  });
});

describe('records of the Responses wire', () => {
  it('hold where a picture stood, and whose it is', async () => {
    const seeing = await startStrictServer({ script: [oracle()] });
    try {
      const label = { type: 'input_text', text: 'Attached:\ncall_1 (view_image): a.png' };
      const answer = await postResponses(seeing, {
        input: [
          { role: 'user', content: [label, inputImage(png)] },
          call('call_1'),
          output('call_1', [words, inputImage(jpeg, 'image/jpeg')]),
        ],
      });
      expect(await answer.json()).toMatchObject({
        output: [
          {
            content: [
              {
                text: [
                  "image 1 (64x32, after 'call_1 (view_image): a.png'): left red, right green",
                  "image 2 (64x32, after 'result of call_1 (view_image)'): left red, right green",
                ].join('\n'),
              },
            ],
          },
        ],
      });
      expect(seeing.requests[0]?.messages.map(({ role, partTypes }) => [role, partTypes])).toEqual([
        ['user', ['input_text', 'input_image']],
        ['assistant', []],
        ['tool', ['input_text', 'input_image']],
      ]);
      expect(seeing.requests[0]?.pictures.map(({ role }) => role)).toEqual(['user', 'tool']);
      expectClean(seeing);
    } finally {
      await seeing.close();
    }
  });

  it('find picture data outside of a slot, and a head that changed', async () => {
    const watching = await startStrictServer({ script: () => replyText('Hi.') });
    try {
      const dataUrl = `data:image/png;base64,${base64}`;
      await postResponses(watching, { input: [user, call('call_1'), output('call_1', dataUrl)] });
      expect(watching.leaks.map(({ place }) => place)).toEqual(['input[2].output']);
      const history = [{ role: 'user', content: 'What time is it?' }, said('Hi.'), user];
      await postResponses(watching, { instructions: 'It is noon.', input: history });
      await postResponses(watching, { instructions: 'It is late.', input: [...history, said('Hi.'), user] });
      expect(watching.prefixBreaks).toMatchObject([{ request: 2, before: expect.stringContaining('noon') }]);
    } finally {
      await watching.close();
    }
  });
});
