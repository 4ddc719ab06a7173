import OpenAI from 'openai';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseOutputItem,
} from 'openai/resources/responses/responses';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../../make-pictures.ts';
import { expectClean } from '../expect-clean.ts';
import { failsCheck, oracle, replyText, replyToolCalls, type StreamFault } from '../reply.ts';
import type { Script } from '../script.ts';
import { type StrictServer, startStrictServer } from '../start-strict-server.ts';

let server: StrictServer;

async function connect(script?: Script): Promise<OpenAI> {
  server = await startStrictServer(script === undefined ? {} : { script });
  return new OpenAI({ baseURL: server.baseUrl, apiKey: 'test-key', maxRetries: 0 });
}

afterEach(() => server.close());

const picture = makeTwoColorPng({ left: 'blue', right: 'white' });
const imageUrl = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
const question = { role: 'user', content: 'Look.' } as const;
const viewImage = {
  type: 'function',
  name: 'view_image',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  strict: false,
} as const;
const asked: Pick<ResponseCreateParamsNonStreaming, 'model' | 'store' | 'tools' | 'include'> = {
  model: 'seer',
  store: false,
  tools: [viewImage],
  include: ['reasoning.encrypted_content'],
};

/** What a client brings back of an answer. */
function toInput(output: readonly ResponseOutputItem[]): ResponseInput {
  return output.flatMap((item) =>
    item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call' ? [item] : [],
  );
}

describe('the official client on Responses', () => {
  it('streams what the oracle sees', async () => {
    const client = await connect();
    const stream = client.responses.stream({
      model: 'seer',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: imageUrl, detail: 'high' },
            { type: 'input_text', text: 'What?' },
          ],
        },
      ],
    });
    const response = await stream.finalResponse();
    expect(response.output_text).toBe('image 1 (64x32): left blue, right white');
    expect(response.usage).toMatchObject({ input_tokens: 87 });
    expectClean(server);
  });

  it('streams a thought and parallel calls, brings them back, and gets the answer to a picture in an output', async () => {
    const faults: StreamFault[] = [{ kind: 'interleaved-tool-calls' }, { kind: 'comments' }, { kind: 'split-bytes' }];
    const client = await connect([
      replyToolCalls(
        [
          { name: 'view_image', arguments: { path: '绿.png' } },
          { name: 'view_image', arguments: { path: 'b.png' } },
        ],
        { text: 'I look.', reasoning: 'Two calls.', faults },
      ),
      oracle(),
    ]);
    const called = await client.responses.stream({ ...asked, input: [question] }).finalResponse();
    expect(called.output_text).toBe('I look.');
    expect(called.output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
    expect(called.output.map((item) => (item.type === 'function_call' ? item.arguments : ''))).toEqual([
      '',
      '',
      '{"path":"绿.png"}',
      '{"path":"b.png"}',
    ]);
    const answer = await client.responses.create({
      ...asked,
      input: [
        question,
        ...toInput(called.output.map((item) => dropParsed(item))),
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_image', image_url: imageUrl }] },
        { type: 'function_call_output', call_id: 'call_2', output: 'not found' },
      ],
    });
    expect(answer.output_text).toContain('left blue, right white');
    expectClean(server);
  });

  it('reads the errors of checks', async () => {
    const client = await connect([failsCheck('r4')]);
    const request = client.responses.create({
      ...asked,
      input: [question, { type: 'function_call_output', call_id: 'x', output: 'y' }],
    });
    await expect(request).rejects.toMatchObject({
      status: 400,
      param: 'input',
      type: 'invalid_request_error',
      requestID: 'req_strict_0',
    });
  });

  it('sees a response that failed, and one that was broken off', async () => {
    const client = await connect([
      replyText('x', { failure: { code: 'image_too_small', message: 'small' } }),
      replyText('x', { finishReason: 'length' }),
    ]);
    const failed = await client.responses.create({ model: 'seer', input: 'a' });
    expect([failed.status, failed.error?.code]).toEqual(['failed', 'image_too_small']);
    const short = await client.responses.create({ model: 'seer', input: 'a' });
    expect([short.status, short.incomplete_details?.reason]).toEqual(['incomplete', 'max_output_tokens']);
  });
});

/** The client's stream adds fields of its own to what came. */
function dropParsed(item: ResponseOutputItem): ResponseOutputItem {
  const copy: ResponseOutputItem & { parsed_arguments?: unknown } = { ...item };
  delete copy.parsed_arguments;
  if (copy.type === 'message') {
    copy.content = copy.content.map((part) => {
      const words: typeof part & { parsed?: unknown } = { ...part };
      delete words.parsed;
      return words;
    });
  }
  return copy;
}
