import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../make-pictures.ts';
import { expectClean } from './expect-clean.ts';
import { oracle, replyText, replyToolCalls, type StreamFault } from './reply.ts';
import type { Script } from './script.ts';
import { type StrictServer, startStrictServer } from './start-strict-server.ts';

let server: StrictServer | undefined;

async function connect(script?: Script): Promise<OpenAI> {
  server = await startStrictServer(script === undefined ? {} : { script });
  return new OpenAI({ baseURL: server.baseUrl, apiKey: 'test-key', maxRetries: 0 });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const viewImage = {
  type: 'function',
  function: { name: 'view_image', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
} as const;

describe('the official client', () => {
  it('streams what the oracle sees', async () => {
    const client = await connect();
    const url = `data:image/png;base64,${Buffer.from(makeTwoColorPng({ left: 'blue', right: 'white' })).toString('base64')}`;
    const stream = client.chat.completions.stream({
      model: 'seer',
      stream_options: { include_usage: true },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url, detail: 'high' } },
            { type: 'text', text: 'What?' },
          ],
        },
      ],
    });
    expect(await stream.finalContent()).toBe('image 1 (64x32): left blue, right white');
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 87 });
    if (server !== undefined) expectClean(server);
  });

  it('streams parallel tool calls, and the answer to their results', async () => {
    const faults: StreamFault[] = [{ kind: 'interleaved-tool-calls' }, { kind: 'comments' }, { kind: 'split-bytes' }];
    const client = await connect([
      replyToolCalls(
        [
          { name: 'view_image', arguments: { path: '绿.png' } },
          { name: 'view_image', arguments: { path: 'b.png' } },
        ],
        { text: 'I look.', faults },
      ),
      oracle(),
    ]);
    const question = { role: 'user', content: 'Look.' } as const;
    const called = await client.chat.completions
      .stream({ model: 'seer', messages: [question], tools: [viewImage] })
      .finalMessage();
    expect(called.content).toBe('I look.');
    expect(called.tool_calls?.map((call) => call.type === 'function' && [call.id, call.function.arguments])).toEqual([
      ['call_1', '{"path":"绿.png"}'],
      ['call_2', '{"path":"b.png"}'],
    ]);
    const answer = await client.chat.completions.create({
      model: 'seer',
      tools: [viewImage],
      messages: [
        question,
        { role: 'assistant', content: called.content, tool_calls: called.tool_calls ?? [] },
        { role: 'tool', tool_call_id: 'call_1', content: 'not found' },
        { role: 'tool', tool_call_id: 'call_2', content: 'not found' },
      ],
    });
    expect(answer.choices[0]?.message.content).toBe('I see no image.');
  });

  it('reads the errors of checks', async () => {
    const client = await connect([replyText('never')]);
    const request = client.chat.completions.create({
      model: 'seer',
      messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }],
    });
    await expect(request).rejects.toMatchObject({
      status: 400,
      param: 'messages.[0].role',
      type: 'invalid_request_error',
      requestID: 'req_strict_0',
    });
  });
});
