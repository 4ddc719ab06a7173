import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../make-pictures.ts';
import { expectClean } from './expect-clean.ts';
import { failsCheck, oracle, replyText, replyToolCalls, type StreamFault } from './reply.ts';
import type { Script } from './script.ts';
import { type StrictServer, type StrictServerOptions, startStrictServer } from './start-strict-server.ts';

let server: StrictServer | undefined;

async function connect(script?: Script, options: StrictServerOptions = {}): Promise<Anthropic> {
  server = await startStrictServer({ personality: 'anthropic-now', ...(script && { script }), ...options });
  return new Anthropic({ baseURL: server.baseUrl.replace(/\/v1$/, ''), apiKey: 'test-key', maxRetries: 0 });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const model = { model: 'seer', max_tokens: 2000 } as const;
const data = Buffer.from(makeTwoColorPng({ left: 'blue', right: 'white' })).toString('base64');
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
const tools = [
  { name: 'view_image', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
] satisfies Anthropic.Messages.Tool[];

describe('the official client of Messages', () => {
  it('streams what the oracle sees', async () => {
    const client = await connect();
    const stream = client.messages.stream({
      ...model,
      messages: [{ role: 'user', content: [picture, { type: 'text', text: 'What?' }] }],
    });
    expect(await stream.finalText()).toBe('image 1 (64x32): left blue, right white');
    const message = await stream.finalMessage();
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 87 } });
    if (server !== undefined) expectClean(server);
  });

  it('streams thoughts and parallel calls, and gives them back with a picture inside of a result', async () => {
    const faults: StreamFault[] = [{ kind: 'interleaved-tool-calls' }, { kind: 'comments' }, { kind: 'split-bytes' }];
    const client = await connect([
      replyToolCalls(
        [
          { name: 'view_image', arguments: { path: '绿.png' } },
          { name: 'view_image', arguments: { path: 'b.png' } },
        ],
        { text: 'I look.', reasoning: 'Hm.', opaque: 'c2VjcmV0', faults },
      ),
      oracle(),
    ]);
    const question = { role: 'user', content: 'Look.' } as const;
    const called = await client.messages.stream({ ...model, messages: [question], tools }).finalMessage();
    expect(called.stop_reason).toBe('tool_use');
    expect(called.content.map((block) => (block.type === 'tool_use' ? block.input : block.type))).toEqual([
      'thinking',
      'redacted_thinking',
      'text',
      { path: '绿.png' },
      { path: 'b.png' },
    ]);
    const answer = await client.messages.create({
      ...model,
      tools,
      messages: [
        question,
        { role: 'assistant', content: called.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [picture] },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'not found', is_error: true },
          ],
        },
      ],
    });
    expect(answer.content).toMatchObject([
      { type: 'text', text: "image 1 (64x32, after 'result of call_1 (view_image)'): left blue, right white" },
    ]);
    if (server !== undefined) expectClean(server);
  });

  it('reads the errors of checks, machine-readable details included', async () => {
    const client = await connect([failsCheck('a2'), failsCheck('a12')], { limits: { maxSide: 63 } });
    const ask = (content: Anthropic.Messages.MessageParam['content']) =>
      client.messages.create({ ...model, messages: [{ role: 'user', content }] });
    await expect(ask([{ type: 'text' } as never])).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      requestID: 'req_strict_0',
    });
    await expect(ask([picture])).rejects.toMatchObject({
      status: 400,
      error: { error: { details: { error_code: 'image_dimensions_too_large', paths: ['messages.0.content.0'] } } },
    });
  });

  it('is told of an error inside of a stream', async () => {
    const client = await connect([replyText('It is red.', { faults: [{ kind: 'error-frame', afterFrames: 4 }] })]);
    const stream = client.messages.stream({ ...model, messages: [{ role: 'user', content: 'Look.' }] });
    await expect(stream.finalText()).rejects.toThrow(/had an error/);
  });
});
