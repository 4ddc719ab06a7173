import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LimitRow } from '../../../catalog/limit-row.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from '../../make-pictures.ts';
import type { CheckId } from '../check-failure.ts';
import { expectClean } from '../expect-clean.ts';
import type { PersonalityId } from '../personalities.ts';
import { imageBlock, postMessages } from '../post-messages.ts';
import { replyText, replyToolCalls } from '../reply.ts';
import { type StrictServer, startStrictServer } from '../start-strict-server.ts';

const png = makeTwoColorPng({ left: 'red', right: 'green' });
const jpeg = makeTwoColorJpeg({ left: 'red', right: 'green' });
const picture = imageBlock(png);
const hello = { role: 'user', content: 'Hello' };
const text = (words: string) => ({ type: 'text', text: words });
const mark = { cache_control: { type: 'ephemeral' } };

const userTurn = (...content: unknown[]) => ({ role: 'user', content });
const assistantTurn = (...content: unknown[]) => ({ role: 'assistant', content });
const toolUse = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'view_image', input: {}, ...more });
const toolResult = (id: string, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...more,
});
const messages = (...turns: unknown[]) => ({ messages: turns });
const group = (...content: unknown[]) =>
  messages(hello, assistantTurn(toolUse('t1'), toolUse('t2')), userTurn(...content));
const withSource = (source: unknown) => messages(userTurn({ type: 'image', source }));
const withTool = (tool: object) => ({ tools: [{ name: 'a', input_schema: { type: 'object' }, ...tool }] });

const validBody = {
  system: [{ ...text('You see.'), ...mark }],
  tools: [{ name: 'view_image', description: 'x', input_schema: { type: 'object' } }],
  thinking: { type: 'adaptive' },
  output_config: { effort: 'low' },
  temperature: 1,
  stream: true,
  messages: [
    userTurn(picture, imageBlock(jpeg, 'image/jpeg'), text('Which?')),
    assistantTurn(text('I look.'), toolUse('t1'), toolUse('t2')),
    userTurn(
      toolResult('t1', { content: [picture, text('shown')] }),
      toolResult('t2', { content: 'failed', is_error: true }),
      text('t2 (view_image): a.png'),
      picture,
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ),
    { role: 'assistant', content: 'Red.' },
    userTurn({ ...text('And now?'), ...mark }),
  ],
};

interface Case {
  readonly check: CheckId;
  readonly title: string;
  readonly body: Record<string, unknown> | string;
  readonly message: RegExp;
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

const cases: readonly Case[] = [
  {
    check: 'content-type',
    title: 'a body that is said to be text',
    body: {},
    headers: { 'content-type': 'text/plain' },
    status: 415,
    message: /^Unsupported content type/,
  },
  {
    check: 'auth',
    title: 'no key',
    body: {},
    headers: { 'x-api-key': '' },
    status: 401,
    type: 'authentication_error',
    message: /API key/,
  },
  { check: 'json', title: 'half a body', body: '{"model":', message: /^We could not parse/ },
  {
    check: 'a1',
    title: 'no version',
    body: {},
    headers: { 'anthropic-version': '' },
    message: /^anthropic-version: header is required$/,
  },
  {
    check: 'a1',
    title: 'a version that never was',
    body: {},
    headers: { 'anthropic-version': '2024-13-01' },
    message: /^anthropic-version: "2024-13-01" is not a valid version$/,
  },
  { check: 'unknown-key', title: 'an unknown key', body: { n: 2 }, message: /^n: Extra inputs are not permitted$/ },
  {
    check: 'a2',
    title: 'no limit of the answer',
    body: { max_tokens: undefined },
    message: /^max_tokens: Field required$/,
  },
  { check: 'a2', title: 'no model', body: { model: undefined }, message: /^model: Field required$/ },
  { check: 'a2', title: 'no messages', body: { messages: undefined }, message: /^messages: Field required$/ },
  { check: 'a2', title: 'an empty list', body: messages(), message: /^messages: at least one message is required$/ },
  {
    check: 'a2',
    title: 'a limit that is a text',
    body: { max_tokens: '5' },
    message: /^max_tokens: .* valid integer$/,
  },
  { check: 'a2', title: 'a temperature above one', body: { temperature: 1.1 }, message: /^temperature: / },
  {
    check: 'a2',
    title: 'an unknown effort',
    body: { output_config: { effort: 'none' } },
    message: /^output_config\.effort: /,
  },
  {
    check: 'a2',
    title: 'an unknown kind of thinking',
    body: { thinking: { type: 'on' } },
    message: /^thinking: Input tag 'on'/,
  },
  {
    check: 'a2',
    title: 'a budget that is too small',
    body: { thinking: { type: 'enabled', budget_tokens: 100 } },
    message: /^thinking\.enabled\.budget_tokens: .*1024$/,
  },
  {
    check: 'a2',
    title: 'a budget above the limit of the answer',
    body: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    message: /^`max_tokens` must be greater than/,
  },
  {
    check: 'a2',
    title: 'a first turn of the assistant',
    body: messages({ role: 'assistant', content: 'x' }, hello),
    message: /first message must use the "user" role/,
  },
  {
    check: 'a2',
    title: 'a role of another wire',
    body: messages(hello, { role: 'tool', content: 'x' }),
    message: /^messages\.1\.role: /,
  },
  {
    check: 'a2',
    title: 'no content',
    body: messages({ role: 'user' }),
    message: /^messages\.0\.content: Field required$/,
  },
  {
    check: 'a2',
    title: 'a block without its field',
    body: messages(userTurn(text('a'), { type: 'text' })),
    message: /^messages\.0\.content\.1\.text\.text: Field required$/,
  },
  {
    check: 'a2',
    title: 'a block of another wire',
    body: messages(userTurn({ type: 'image_url', image_url: { url: 'x' } })),
    message: /^messages\.0\.content\.0: Input tag 'image_url' found/,
  },
  {
    check: 'a2',
    title: 'a field that a block does not have',
    body: messages(userTurn({ ...text('a'), detail: 'high' })),
    message: /^messages\.0\.content\.0\.text\.detail: Extra inputs are not permitted$/,
  },
  {
    check: 'a2',
    title: 'a cache mark on a thought',
    body: messages(hello, assistantTurn({ type: 'redacted_thinking', data: 'x', ...mark })),
    message: /redacted_thinking\.cache_control: Extra inputs are not permitted$/,
  },
  {
    check: 'a2',
    title: 'a call in a turn of the user',
    body: messages(userTurn(toolUse('t1'))),
    message: /^messages\.0\.content\.0: Input tag 'tool_use' found/,
  },
  {
    check: 'a2',
    title: 'a call whose input is a text',
    body: messages(hello, assistantTurn(toolUse('t1', { input: '{}' })), userTurn(toolResult('t1'))),
    message: /^messages\.1\.content\.0\.tool_use\.input: Input should be a valid dictionary$/,
  },
  {
    check: 'a2',
    title: 'a call whose id is of another wire',
    body: messages(hello, assistantTurn(toolUse('functions.a:0')), userTurn(toolResult('functions.a:0'))),
    message: /^messages\.1\.content\.0\.tool_use\.id: String should match pattern/,
  },
  {
    check: 'a2',
    title: 'a block inside of a result that may not stand there',
    body: group(toolResult('t1', { content: [toolResult('t2')] })),
    message: /^messages\.2\.content\.0\.content\.0: Input tag 'tool_result' found/,
  },
  {
    check: 'a2',
    title: 'a tool without a schema',
    body: withTool({ input_schema: undefined }),
    message: /input_schema: Field required$/,
  },
  {
    check: 'a2',
    title: 'a schema of no object',
    body: withTool({ input_schema: { type: 'string' } }),
    message: /Input should be 'object'$/,
  },
  {
    check: 'a2',
    title: 'a tool of another wire',
    body: withTool({ function: {} }),
    message: /^tools\.0\.custom\.function: Extra inputs/,
  },
  { check: 'a2', title: 'a bad name of a tool', body: withTool({ name: 'a b' }), message: /^tools\.0\.custom\.name: / },
  {
    check: 'a2',
    title: 'two tools of one name',
    body: { tools: [...withTool({}).tools, ...withTool({}).tools] },
    message: /^tools: Tool names must be unique\.$/,
  },
  {
    check: 'a2',
    title: 'a source of no kind',
    body: withSource({ type: 'data', data: 'x' }),
    message: /image\.source: Input tag 'data' found/,
  },
  {
    check: 'a2',
    title: 'a source without a media type',
    body: withSource({ type: 'base64', data: 'x' }),
    message: /image\.source\.base64\.media_type: Field required$/,
  },
  {
    check: 'a3',
    title: 'a picture in the system text',
    body: { system: [picture] },
    message: /^system\.0\.type: Input should be 'text'$/,
  },
  {
    check: 'a3',
    title: 'a picture in a turn of the system',
    body: messages(hello, { role: 'system', content: [picture] }),
    message: /^messages\.1\.content\.0\.type: Input should be 'text'$/,
  },
  {
    check: 'a3',
    title: 'a picture in a turn of the assistant',
    body: messages(hello, assistantTurn(picture), hello),
    message: /^messages\.1\.content\.0\.type: Input should be 'text'$/,
  },
  {
    check: 'a4',
    title: 'a result that is missing',
    body: group(toolResult('t1')),
    message: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2\. Each/,
  },
  {
    check: 'a4',
    title: 'a turn between call and result',
    body: messages(hello, assistantTurn(toolUse('t1')), hello, userTurn(toolResult('t1'))),
    message: /immediately after: t1\./,
  },
  {
    check: 'a4',
    title: 'no turn behind a call',
    body: messages(hello, assistantTurn(toolUse('t1'))),
    message: /after: t1\./,
  },
  {
    check: 'a5',
    title: 'a result without its call',
    body: messages(hello, assistantTurn(text('x')), userTurn(toolResult('t9'))),
    message: /^messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: t9\./,
  },
  {
    check: 'a5',
    title: 'a second result of one call',
    body: group(toolResult('t1'), toolResult('t2'), toolResult('t1')),
    message: /^messages\.2\.content\.2: unexpected `tool_use_id`/,
  },
  {
    check: 'a6',
    title: 'words before a result',
    body: group(toolResult('t1'), text('and'), toolResult('t2')),
    message: /^messages\.1: `tool_use` ids were found .*: t2\./,
  },
  {
    check: 'a7',
    title: 'a failure with a picture',
    body: group(toolResult('t1', { is_error: true, content: [text('x'), picture] }), toolResult('t2')),
    message: /^messages\.2\.content\.0\.tool_result: all content must be type "text" if "is_error" is true$/,
  },
  {
    check: 'a8',
    title: 'a media type that nobody takes',
    body: messages(userTurn(imageBlock(png, 'image/bmp'))),
    message:
      /^messages\.0\.content\.0\.image\.source\.base64\.media_type: Input should be 'image\/png', 'image\/jpeg', 'image\/webp' or 'image\/gif'$/,
  },
  {
    check: 'a9',
    title: 'a data URL for bare base64',
    body: withSource({
      type: 'base64',
      media_type: 'image/png',
      data: `data:image/png;base64,${Buffer.from(png).toString('base64')}`,
    }),
    message: /^messages\.0\.content\.0\.image\.source\.base64: invalid base64 data$/,
  },
  {
    check: 'a9',
    title: 'base64 of another alphabet',
    body: withSource({ type: 'base64', media_type: 'image/png', data: '_-8' }),
    message: /invalid base64 data$/,
  },
  {
    check: 'a9',
    title: 'no bytes',
    body: withSource({ type: 'base64', media_type: 'image/png', data: '' }),
    message: /invalid base64 data$/,
  },
  {
    check: 'a10',
    title: 'another format than is said',
    body: group(toolResult('t1', { content: [text('x'), imageBlock(jpeg)] }), toolResult('t2')),
    message:
      /^messages\.2\.content\.0\.content\.1\.image\.source\.base64\.data: The image was specified using the image\/png media type, but the image appears to be a image\/jpeg image$/,
  },
  {
    check: 'a15',
    title: 'half a picture',
    body: messages(userTurn(imageBlock(png.subarray(0, -30)))),
    message: /^Could not process image$/,
  },
  {
    check: 'a16',
    title: 'a thought that this endpoint never had',
    body: messages(hello, assistantTurn({ type: 'thinking', thinking: 'Hm.', signature: 'x' }), hello),
    message: /^messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
  },
  {
    check: 'a17',
    title: 'five cache marks',
    body: {
      cache_control: mark.cache_control,
      system: [{ ...text('a'), ...mark }],
      ...withTool(mark),
      ...messages(userTurn({ ...picture, ...mark }, { ...text('b'), ...mark })),
    },
    message: /^A maximum of 4 blocks with cache_control may be provided\. Found 5\.$/,
  },
  {
    check: 'a18',
    title: 'a text without words',
    body: messages(userTurn(picture, text(' '))),
    message: /must be non-empty$/,
  },
  {
    check: 'a18',
    title: 'a turn without content',
    body: messages(hello, assistantTurn(), hello),
    message: /^messages\.1: .* non-empty content$/,
  },
  {
    check: 'a18',
    title: 'a result with a text without words',
    body: group(toolResult('t1', { content: [text('')] }), toolResult('t2')),
    message: /must be non-empty$/,
  },
];

let server: StrictServer;
beforeAll(async () => {
  server = await startStrictServer({ personality: 'anthropic-now', script: () => replyText('fine') });
});
afterAll(() => server.close());

describe('the checks of Messages', () => {
  it('pass what is right', async () => {
    const response = await postMessages(server, validBody);
    expect(await response.text()).toContain('event: message_stop');
    expect(server.requests.at(-1)?.failure).toBeUndefined();
    expect(server.requests.at(-1)?.pictures.map(({ label, format, url }) => label ?? format ?? url)).toEqual([
      'png',
      'jpeg',
      'result of t1 (view_image)',
      't2 (view_image): a.png',
      'https://example.org/a.png',
      undefined,
    ]);
  });

  it.each(cases)('$check refuses $title', async ({ check, body, headers, message, status = 400, type }) => {
    const response = await postMessages(server, body, { ...(headers && { headers }) });
    expect(server.requests.at(-1)?.failure?.check).toBe(check);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: type ?? 'invalid_request_error', message: expect.stringMatching(message) },
      request_id: `req_strict_${server.requests.length - 1}`,
    });
    expect(response.headers.get('request-id')).toBe(`req_strict_${server.requests.length - 1}`);
  });

  it('cover every check of the table', () => {
    const covered = new Set(cases.map(({ check }) => check));
    const numbers = Array.from({ length: 19 }, (_, index) => `a${index + 1}`);
    // Those of limits are below; a19 is the limit of the body.
    expect(numbers.filter((id) => !covered.has(id as CheckId))).toEqual(['a11', 'a12', 'a13', 'a14', 'a19']);
  });
});

describe('limits', () => {
  const two = messages(userTurn(picture, imageBlock(jpeg, 'image/jpeg')));
  const base64Length = Math.ceil(jpeg.length / 3) * 4;
  const rows: readonly (readonly [string, Partial<LimitRow>, CheckId | undefined, RegExp])[] = [
    [
      'too much base64',
      { maxB64: base64Length - 1 },
      'a11',
      /content\.1\.image\.source\.base64: image exceeds 0 MB maximum: \d+ bytes > \d+ bytes$/,
    ],
    ['base64 at the limit', { maxB64: base64Length }, undefined, /^/],
    ['too many bytes where bytes are limited', { maxB64: null, maxRaw: jpeg.length - 1 }, 'a11', /bytes$/],
    ['too many bytes in sum', { maxTotalRaw: png.length + jpeg.length - 1 }, 'a11', /^images exceed/],
    ['a side that is too long', { maxSide: 63 }, 'a12', /maximum side length of 63 pixels$/],
    ['a side at the limit', { maxSide: 64 }, undefined, /^/],
    ['a side that is too long for many pictures', { manyImages: { over: 1, maxSide: 63 } }, 'a12', /63 pixels$/],
    ['as many pictures as still are few', { manyImages: { over: 2, maxSide: 63 } }, undefined, /^/],
    ['the number from which pictures are many', { manyImages: { from: 2, maxSide: 63 } }, 'a12', /63 pixels$/],
    ['two pictures where one is taken', { maxImages: 1 }, 'a13', /2 > 1$/],
    ['a side that is too short', { minSide: 33 }, 'a13', /do not meet the model restrictions$/],
    ['a picture that is too long', { maxRatio: 1.9 }, 'a13', /do not meet the model restrictions$/],
  ];

  it.each(rows)('judge %s', async (_, limits, check, message) => {
    const limited = await startStrictServer({ personality: 'anthropic-now', limits, script: () => replyText('fine') });
    try {
      const response = await postMessages(limited, two);
      expect(limited.requests[0]?.failure?.check).toBe(check);
      expect(response.status).toBe(check === undefined ? 200 : 400);
      expect(limited.requests[0]?.failure?.message ?? '').toMatch(message);
    } finally {
      await limited.close();
    }
  });

  it('of sides are told with machine-readable details where the endpoint is new, else in words', async () => {
    const limited = await startStrictServer({ limits: { maxSide: 63 } });
    try {
      const ask = async (personality: PersonalityId) => {
        const response = await postMessages(limited, two, { baseUrl: limited.baseUrlOf(personality) });
        const { error } = (await response.json()) as { error: { message: string; details?: unknown } };
        return error;
      };
      expect((await ask('anthropic-now')).details).toEqual({
        error_code: 'image_dimensions_too_large',
        max_side_length_pixels: 63,
        paths: ['messages.0.content.0', 'messages.0.content.1'],
      });
      const old = await ask('bedrock');
      expect(old).not.toHaveProperty('details');
      expect(old.message).toBe(
        'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 63 pixels',
      );
    } finally {
      await limited.close();
    }
  });

  it('of a picture that may not be made smaller are those of the model', async () => {
    const rigid = { ...picture, transformations: { oversized_image: 'error' } };
    const limited = await startStrictServer({ personality: 'anthropic-now', limits: { maxPatches28: 5 } });
    try {
      await postMessages(limited, messages(userTurn(rigid)));
      await postMessages(limited, messages(userTurn(picture)));
      expect(limited.requests.map(({ failure }) => failure?.check)).toEqual(['a14', undefined]);
      expect(limited.requests[0]?.failure?.message).toMatch(/^messages\.0\.content\.0\.image: image of 64x32/);
    } finally {
      await limited.close();
    }
  });

  it('of the body are answered before it is read', async () => {
    const limited = await startStrictServer({ personality: 'anthropic-now', limits: { body: 200 } });
    try {
      const response = await postMessages(limited, { system: 'x'.repeat(200) });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
      const page = await postMessages(limited, { system: 'x'.repeat(200) }, { baseUrl: limited.baseUrlOf('bedrock') });
      expect([page.status, page.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
      expect(limited.requests.map(({ failure }) => failure?.check)).toEqual(['body-limit', 'body-limit']);
    } finally {
      await limited.close();
    }
  });
});

describe('personalities of Messages', () => {
  const inResult = group(toolResult('t1', { content: [picture] }), toolResult('t2'));
  const url = withSource({ type: 'url', url: 'https://example.org/a.png' });
  const file = withSource({ type: 'file', file_id: 'file_1' });
  const marked = messages(userTurn({ ...text('a'), ...mark }));
  const bearer = { 'x-api-key': '', authorization: 'Bearer test-key' };

  it('take what their originals take, and refuse the rest', async () => {
    const checksOf = async (personality: PersonalityId) => {
      const checks: (string | undefined)[] = [];
      for (const body of [messages(userTurn(picture)), inResult, url, file, marked]) {
        await postMessages(server, body, { baseUrl: server.baseUrlOf(personality) });
        checks.push(server.requests.at(-1)?.failure?.check);
      }
      return checks;
    };
    expect(await checksOf('anthropic-now')).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(await checksOf('bedrock')).toEqual([undefined, undefined, 'a8', 'a8', undefined]);
    expect(await checksOf('deepseek-messages')).toEqual([undefined, 'a3', undefined, undefined, 'a17']);
    expect(await checksOf('dashscope-messages')).toEqual([undefined, 'a3', undefined, 'a8', 'a17']);
    expect(await checksOf('ollama-messages')).toEqual([undefined, undefined, 'a8', 'a8', 'a17']);
    expect(await checksOf('openai')).toEqual(['path', 'path', 'path', 'path', 'path']);
  });

  it('take the key where their originals do', async () => {
    const statusOf = async (personality: PersonalityId, headers: Record<string, string>) =>
      (await postMessages(server, {}, { baseUrl: server.baseUrlOf(personality), headers })).status;
    expect(await statusOf('anthropic-now', bearer)).toBe(200);
    expect(await statusOf('anthropic-now', { 'anthropic-version': '2026-10-21' })).toBe(200);
    expect(await statusOf('deepseek-messages', bearer)).toBe(401);
    expect(await statusOf('deepseek-messages', {})).toBe(200);
    expect(await statusOf('ollama-messages', { 'x-api-key': '', 'anthropic-version': '' })).toBe(200);
  });

  it('speak in words of their own', async () => {
    const wordsOf = async (personality: PersonalityId) => {
      const response = await postMessages(server, file, { baseUrl: server.baseUrlOf(personality) });
      return ((await response.json()) as { error: { message: string } }).error.message;
    };
    expect(await wordsOf('ollama-messages')).toBe('invalid image source type: file. Only base64 images are supported.');
    expect(await wordsOf('dashscope-messages')).toMatch(/^<400> InternalError\.Algo\.InvalidParameter: /);
  });
});

describe('what must come back', () => {
  interface Answer {
    readonly content: readonly Record<string, unknown>[];
  }

  /** An answer with two thoughts and a call, and what a request with `change` of it gets. */
  async function returned(
    change: (content: readonly Record<string, unknown>[]) => readonly unknown[],
    next: readonly unknown[] = [],
  ): Promise<string | undefined> {
    const thinking = await startStrictServer({
      personality: 'anthropic-now',
      script: [
        replyToolCalls([{ name: 'view_image', arguments: {}, id: 't1' }], {
          reasoning: 'Hm, a picture.',
          opaque: 'c2VjcmV0',
          text: 'I look.',
        }),
        () => replyText('fine'),
      ],
    });
    try {
      const answer = (await (await postMessages(thinking, {})).json()) as Answer;
      expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use']);
      await postMessages(
        thinking,
        messages(hello, assistantTurn(...change(answer.content)), userTurn(toolResult('t1')), ...next),
      );
      expect(thinking.leaks).toEqual([]);
      return thinking.requests[1]?.failure?.message;
    } finally {
      await thinking.close();
    }
  }

  it('are all thoughts of the current tool loop, unaltered and in their order', async () => {
    expect(await returned((content) => content)).toBeUndefined();
    expect(await returned(([thought, ...rest]) => [{ ...thought, thinking: 'Hm, a picture!' }, ...rest])).toMatch(
      /content\.0: Invalid `signature`/,
    );
    expect(await returned(([one, other, ...rest]) => [other, one, ...rest])).toMatch(/cannot be modified/);
    expect(await returned(([, ...rest]) => rest)).toMatch(/cannot be modified/);
    expect(await returned(([, , ...rest]) => rest)).toMatch(/must start with a thinking block/);
    expect(await returned(([one, other, ...rest]) => [...rest.slice(0, 1), one, other, ...rest.slice(1)])).toMatch(
      /must start with a thinking block/,
    );
  });

  it('are not those of older turns', async () => {
    const later = [assistantTurn(text('Done.')), hello];
    expect(await returned(([, , ...rest]) => rest, later)).toBeUndefined();
    expect(await returned(([one, ...rest]) => [{ ...one, thinking: 'x' }, ...rest], later)).toMatch(
      /Invalid `signature`/,
    );
  });
});

describe('the history of a conversation', () => {
  it('is compared block by block and without cache marks', async () => {
    const watched = await startStrictServer({ personality: 'anthropic-now', script: () => replyText('fine') });
    try {
      const turn = (...blocks: object[]) =>
        messages(userTurn(text('a')), assistantTurn(text('b')), userTurn(...blocks));
      await postMessages(watched, turn({ ...text('c'), ...mark }));
      await postMessages(watched, turn(text('c'), { ...text('d'), ...mark }));
      expect(watched.prefixBreaks).toEqual([]);
      await postMessages(watched, turn(text('C'), text('d')));
      expect(watched.prefixBreaks).toMatchObject([{ request: 2, previousRequest: 1, place: 'messages[2]' }]);
      expect(() => expectClean(watched)).toThrow(/prefix broken/);
    } finally {
      await watched.close();
    }
  });
});
