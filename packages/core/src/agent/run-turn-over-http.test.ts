import { afterEach, describe, expect, it } from 'vitest';
import type { FoveaEvent } from '../content/events.ts';
import { createOpenAiChatProvider } from '../providers/openai-chat/provider.ts';
import {
  answerOf,
  createTurnHarness,
  outlineOf,
  type TurnHarness,
  type TurnHarnessOptions,
} from '../testing/create-turn-harness.ts';
import { makeTwoColorJpeg, makeTwoColorPng } from '../testing/make-pictures.ts';
import { expectClean } from '../testing/strict-server/expect-clean.ts';
import { replyError, replyHtml, replyText, replyToolCalls } from '../testing/strict-server/reply.ts';
import {
  type StrictServer,
  type StrictServerOptions,
  startStrictServer,
} from '../testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createReadFileTool } from '../tools/read-file.ts';
import type { Tool } from '../tools/tool.ts';
import { createViewImageTool } from '../tools/view-image.ts';

interface World {
  readonly server: StrictServer;
  readonly folder: TemporaryFolder;
  readonly harness: TurnHarness;
  reopen(): TurnHarness;
}

const worlds: World[] = [];

/** A strict endpoint, a folder with pictures, and a session that works with both. */
async function openWorld(
  options: StrictServerOptions & Pick<TurnHarnessOptions, 'imageInput' | 'locale' | 'tools'> = {},
): Promise<World> {
  const {
    imageInput = 'yes',
    locale = 'en',
    tools = [createReadFileTool(), createViewImageTool()],
    ...serverOptions
  } = options;
  const server = await startStrictServer(serverOptions);
  const folder = await createTemporaryFolder();
  await folder.write('shots/a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  await folder.write('shots/b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }));
  await folder.write('c.jpg', makeTwoColorJpeg({ left: 'black', right: 'white' }));
  await folder.write('notes.txt', 'only words\n');
  const harnessOptions: TurnHarnessOptions = {
    provider: createOpenAiChatProvider(),
    baseUrl: server.baseUrl,
    workspace: folder.path,
    tools,
    imageInput,
    locale,
  };
  const harness = createTurnHarness(harnessOptions);
  const world: World = {
    server,
    folder,
    harness,
    reopen: () => createTurnHarness({ ...harnessOptions, reopened: harness }),
  };
  worlds.push(world);
  return world;
}

afterEach(async () => {
  for (const { server, folder } of worlds.splice(0)) {
    await server.close();
    await folder.remove();
  }
});

function call(name: string, path: string): string {
  return `CALL ${name} ${JSON.stringify({ path })}`;
}

function statusOf(events: readonly FoveaEvent[]): string {
  const end = events.at(-1);
  return end?.type === 'turn-end' ? `${end.status} ${end.error?.code ?? ''}`.trim() : 'no end';
}

function rolesOf(server: StrictServer): readonly (string | undefined)[] {
  return server.requests.at(-1)?.messages.map(({ role }) => role) ?? [];
}

describe('runTurn over Chat Completions', () => {
  for (const tool of ['read_file', 'view_image']) {
    it(`answers from the pixels that ${tool} read, in this turn, the next, and after the records were loaded again`, async () => {
      const { server, harness, reopen } = await openWorld();
      const events = await harness.submit(call(tool, 'shots/a.png'));
      expect(statusOf(events)).toBe('completed');
      expect(answerOf(events)).toContain('left red, right green');
      expect(answerOf(events)).toContain(`call_1 (${tool}): shots/a.png`);
      expect(rolesOf(server)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
      expect(server.requests.map(({ pictures }) => pictures.length)).toEqual([0, 1]);
      expect(answerOf(await harness.submit('And now?'))).toContain('left red, right green');
      expect(answerOf(await reopen().submit('And after a restart?'))).toContain('left red, right green');
      const digests = server.requests.slice(1).map(({ pictures }) => pictures[0]?.digest);
      expect(new Set(digests).size).toBe(1);
      expectClean(server);
    });
  }

  it('tells of the tool result with a preview, and stores no byte of it in the message', async () => {
    const { harness } = await openWorld();
    const events = await harness.submit(call('view_image', 'shots/a.png'));
    const result = events.find((event) => event.type === 'tool-result');
    const stored = (await harness.transcript()).find((message) => message.role === 'tool');
    const attachment = stored?.metadata.attachments[0];
    expect(attachment).toMatchObject({ mime: 'image/png', path: 'shots/a.png', width: 64, height: 32 });
    expect(result).toMatchObject({
      toolCallId: 'call_1',
      isError: false,
      result: stored?.content,
      preview: { media_type: 'image', mime: 'image/png', digest: attachment?.digest, width: 64, height: 32 },
      attachments: [attachment],
    });
    expect(stored?.content).toContain('"media_type":"image"');
    expect(stored?.content).not.toContain('data_uri');
    expect((await harness.transcript()).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  for (const count of [1, 2, 3]) {
    for (const [place, index] of [
      ['first', 0],
      ['middle', 1],
      ['last', 2],
    ] as const) {
      if (index >= count) continue;
      it(`keeps ${count} parallel calls legal with the picture ${place}`, async () => {
        const { server, harness, reopen } = await openWorld();
        const lines = Array.from({ length: count }, (_, at) =>
          at === index ? call('view_image', 'shots/a.png') : call('read_file', 'notes.txt'),
        );
        const events = await harness.submit(lines.join('\n'));
        expect(statusOf(events)).toBe('completed');
        expect(answerOf(events)).toContain('left red, right green');
        expect(answerOf(events)).toContain(`call_${index + 1} (view_image)`);
        expect(rolesOf(server)).toEqual(['system', 'user', 'assistant', ...Array(count).fill('tool'), 'user']);
        const ids = server.requests.at(-1)?.messages.flatMap(({ toolCallId }) => toolCallId ?? []);
        expect(ids).toEqual(Array.from({ length: count }, (_, at) => `call_${at + 1}`));
        expect(statusOf(await harness.submit('Second turn.'))).toBe('completed');
        expect(answerOf(await reopen().submit('Third turn.'))).toContain('left red, right green');
        expectClean(server);
      });
    }
  }

  it('gives the pictures of three calls in call order, each named by its call', async () => {
    const { server, harness } = await openWorld();
    const paths = ['c.jpg', 'shots/a.png', 'shots/b.png'];
    const events = await harness.submit(paths.map((path) => call('view_image', path)).join('\n'));
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringMatching(/call_1 \(view_image\): c\.jpg.*left black, right white/),
      expect.stringMatching(/call_2 \(view_image\): shots\/a\.png.*left red, right green/),
      expect.stringMatching(/call_3 \(view_image\): shots\/b\.png.*left blue, right yellow/),
    ]);
    expect(rolesOf(server)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'tool', 'user']);
    expectClean(server);
  });

  it('keeps a group legal in which one call fails', async () => {
    const { server, harness } = await openWorld();
    const events = await harness.submit(`${call('view_image', 'gone.png')}\n${call('view_image', 'shots/a.png')}`);
    expect(events.filter((event) => event.type === 'tool-result').map(({ isError }) => isError)).toEqual([true, false]);
    expect(answerOf(events)).toContain('left red, right green');
    expect(statusOf(await harness.submit('Second turn.'))).toBe('completed');
    expectClean(server);
  });

  it('relocates the pictures of two groups in a row, each after its own group', async () => {
    const { server, harness } = await openWorld({
      script: [
        replyToolCalls([{ name: 'view_image', arguments: { path: 'shots/a.png' } }]),
        replyToolCalls([
          { name: 'read_file', arguments: { path: 'notes.txt' } },
          { name: 'view_image', arguments: { path: 'shots/b.png' } },
        ]),
        replyText('Seen both.'),
      ],
    });
    expect(statusOf(await harness.submit('Look at both.'))).toBe('completed');
    expect(rolesOf(server)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expectClean(server);
  });

  it('sends what the user attached in order, before the text exactly as typed', async () => {
    const { server, harness } = await openWorld();
    const size = { widthPx: 64, heightPx: 32 };
    const images = [
      await harness.attach('b.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }), size),
      await harness.attach('a.png', makeTwoColorPng({ left: 'red', right: 'green' }), size),
    ];
    const typed = '  which is\twarmer? ';
    const events = await harness.submit(typed, { images });
    expect(answerOf(events).split('\n')).toEqual([
      expect.stringContaining('left blue, right yellow'),
      expect.stringContaining('left red, right green'),
    ]);
    expect(server.requests[0]?.messages[1]?.value['content']).toMatchObject([
      { type: 'image_url' },
      { type: 'image_url' },
      { type: 'text', text: typed },
    ]);
    expect(answerOf(await harness.submit('', { images: images.slice(0, 1) }))).toContain('image 3');
    expectClean(server);
  });

  it('uploads nothing for a path that is only written', async () => {
    const { server, harness } = await openWorld();
    expect(answerOf(await harness.submit('What is in shots/a.png?'))).toBe('I see no image.');
    expect(server.requests[0]?.pictures).toEqual([]);
    expectClean(server);
  });

  it('never lets the data URI of a foreign executor into the text, and sends its picture', async () => {
    const bytes = makeTwoColorPng({ left: 'red', right: 'green' });
    const dataUri = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
    const content = {
      content: 'Captured.',
      total_lines: 0,
      media_type: 'image',
      path: 'screen.png',
      data_uri: dataUri,
    };
    const foreign: Tool = {
      name: 'capture',
      effect: 'read',
      definition: () => ({ name: 'capture', description: 'Captures.', parameters: { type: 'object' } }),
      run: async () => ({ isError: false, content: JSON.stringify(content), attachments: [] }),
    };
    const { harness, server, reopen } = await openWorld({ tools: [foreign] });
    const events = await harness.submit('CALL capture {}');
    expect(answerOf(events)).toContain("call_1 (capture): screen.png'): left red, right green");
    expect(events.find((event) => event.type === 'tool-result')).toMatchObject({
      preview: { mime: 'image/png', width: 64, height: 32 },
    });
    expect(answerOf(await reopen().submit('After a restart?'))).toContain('left red, right green');
    expect(JSON.stringify(await harness.transcript())).not.toMatch(/data:image|data_uri/);
    expectClean(server);
  });
});

describe('runTurn over Chat Completions, with a model that takes no pictures', () => {
  it('sends no picture of a tool but the sentence, keeps the stored result, and says so', async () => {
    const { server, harness } = await openWorld({ personality: 'openai-textonly', imageInput: 'no' });
    const events = await harness.submit(`${call('view_image', 'shots/a.png')}\n${call('read_file', 'notes.txt')}`);
    expect(statusOf(events)).toBe('completed');
    expect(rolesOf(server)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
    expect(server.requests.at(-1)?.messages[3]?.text).toBe(
      'Error: the image cannot be read (the current model takes no image input). Tell the user to switch to a model that supports vision and try again. File: shots/a.png\nThe image was not understood.',
    );
    expect(server.requests.at(-1)?.messages[4]?.text).toContain('only words');
    expect(events.filter(({ type }) => type === 'image-notice')).toMatchObject([
      { kind: 'replaced-by-notice', name: 'shots/a.png', toolCallId: 'call_1' },
    ]);
    const stored = (await harness.transcript()).find((message) => message.role === 'tool');
    expect(stored?.content).toContain('"media_type":"image"');
    expect(stored?.metadata.attachments).toHaveLength(1);
    expect(statusOf(await harness.submit('Second turn.'))).toBe('completed');
    expect(server.requests.flatMap(({ pictures }) => pictures)).toEqual([]);
    expectClean(server);
  });

  it('says it in Chinese where the session is Chinese', async () => {
    const { server, harness } = await openWorld({
      personality: 'deepseek-text',
      imageInput: 'no',
      locale: 'zh-CN',
    });
    await harness.submit(call('read_file', 'shots/a.png'));
    expect(server.requests.at(-1)?.messages[3]?.text).toBe(
      '错误:无法读取图片(当前模型不支持图片输入)。请告知用户切换到支持视觉的模型后重试。文件:shots/a.png\n图片未被理解。',
    );
    expectClean(server);
  });

  it('gives the pixels back when the session returns to a model that sees', async () => {
    const { server, harness } = await openWorld();
    await harness.submit(call('view_image', 'shots/a.png'));
    const blind = { imageInput: 'no', baseUrl: server.baseUrlOf('openai-textonly') } as const;
    expect(answerOf(await harness.submit('Blind now.', blind))).toBe('I see no image.');
    expect(answerOf(await harness.submit('Seeing again.'))).toContain('left red, right green');
    expectClean(server);
  });
});

describe('runTurn over Chat Completions, when the endpoint fails', () => {
  const failures = {
    'an error': { reply: replyError(501, { error: { message: 'not made' } }), code: 'ENDPOINT_FAILED' },
    'a refusal': {
      reply: replyError(400, { error: { message: 'no', param: null, code: null } }),
      code: 'ENDPOINT_REFUSED',
    },
    'a web page': { reply: replyHtml(), code: 'ENDPOINT_NOT_AN_API' },
    'a cut stream': { reply: replyText('It is', { faults: [{ kind: 'cut', afterFrames: 2 }] }), code: 'STREAM_CUT' },
  };
  for (const [name, { reply, code }] of Object.entries(failures)) {
    it(`ends the turn after ${name} with a clear code, stores no answer, and the next turn works`, async () => {
      const { server, harness } = await openWorld({ script: [reply, replyText('Here I am.')] });
      expect(statusOf(await harness.submit('First.'))).toBe(`failed ${code}`);
      expect((await harness.transcript()).map(({ role }) => role)).toEqual(['user']);
      expect(answerOf(await harness.submit('Second.'))).toBe('Here I am.');
      expect(rolesOf(server)).toEqual(['system', 'user', 'user']);
      expectClean(server);
    });
  }

  it('survives a tool call with broken arguments in every later turn', async () => {
    const { server, harness } = await openWorld({
      script: [
        replyToolCalls([{ name: 'view_image', arguments: '{"path": "shots/a' }]),
        replyText('I will try again.'),
        replyText('Yes.'),
      ],
    });
    const events = await harness.submit('Look.');
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ isError: true });
    expect(answerOf(events)).toBe('I will try again.');
    expect(answerOf(await harness.submit('Second.'))).toBe('Yes.');
    expectClean(server);
  });

  it('keeps the words of an answer that the user stopped, and the next turn works', async () => {
    const controller = new AbortController();
    const { server, harness } = await openWorld({
      script: [replyText('It is red.', { faults: [{ kind: 'stall', afterFrames: 2 }] }), replyText('As I said.')],
    });
    const events = await harness.submit('First.', {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'text-delta') controller.abort();
      },
    });
    expect(statusOf(events)).toBe('stopped');
    expect(outlineOf(events).slice(-2)).toEqual(['step-end', 'turn-end']);
    expect((await harness.transcript())[1]).toMatchObject({ role: 'assistant', status: 'interrupted' });
    expect(answerOf(await harness.submit('Second.'))).toBe('As I said.');
    expect(rolesOf(server)).toEqual(['system', 'user', 'assistant', 'user']);
    expectClean(server);
  });

  it('goes on without an old picture whose variant was lost while its request was written', async () => {
    const { server, harness } = await openWorld();
    await harness.submit(call('view_image', 'shots/a.png'));
    for (const digest of harness.blobs.digests()) harness.blobs.remove(digest);
    const events = await harness.submit('Second turn.');
    expect(statusOf(events)).toBe('completed');
    expect(events.filter(({ type }) => type === 'image-notice')).toMatchObject([{ kind: 'missing' }]);
    expect(answerOf(events)).toBe('I see no image.');
    expect(server.requests.at(-1)?.messages[3]?.text).toContain('[Picture missing: shots/a.png');
    expectClean(server, { prefixBreaks: true });
  });
});
