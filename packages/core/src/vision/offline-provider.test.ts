import { describe, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import { refusalText } from '../content/refusal-texts.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../content/request.ts';
import { digestOf } from '../media/digest.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import { makeSolidPng, makeTwoColorPng } from '../testing/make-pictures.ts';
import { createOfflineProvider, type OfflineProviderOptions } from './offline-provider.ts';
import type { PictureReading, ReadPictureInput, TextReader } from './text-reader.ts';

const endpoint = {
  channel: 'offline',
  wireApi: 'offline',
  baseUrl: '',
  apiKey: undefined,
  headers: {},
  idleTimeoutMs: 60_000,
} as const;

const viewTool = { name: 'view_image', description: '', parameters: {} };
const firstLine = 'No model is configured; this is what can be read without one.';

const blobs = createMemoryBlobs();
const png = makeTwoColorPng({ left: 'red', right: 'white' });
const digest = await blobs.add(png);

function image(name: string, originalDigest = digest): RequestImage {
  // The variant is another picture than the original: what is told must be the original's.
  return {
    type: 'image',
    digest: `sha256:${'0'.repeat(64)}`,
    originalDigest,
    name,
    mediaType: 'image/jpeg',
    sizeBytes: 1,
    widthPx: 1,
    heightPx: 1,
  };
}

function user(text: string, ...images: RequestImage[]): RequestMessage {
  return { role: 'user', origin: 'user', parts: [{ type: 'text', text }, ...images] };
}

function call(path: string, toolCallId: string, name = 'view_image'): RequestMessage {
  const part = { type: 'tool-call', toolCallId, name, arguments: JSON.stringify({ path }) } as const;
  return { role: 'assistant', parts: [part] };
}

function result(toolCallId: string, text: string, options: { isError?: boolean; images?: RequestImage[] } = {}) {
  const { isError = false, images = [] } = options;
  return { role: 'tool', toolCallId, toolName: 'view_image', isError, text, images } as const;
}

function notFound(toolCallId: string, path: string) {
  const content = refusalText({ code: 'NOT_FOUND', name: path }, 'en', 'model');
  return result(toolCallId, JSON.stringify({ content, total_lines: 0 }), { isError: true });
}

const nothingRead: PictureReading = { status: 'read', codes: [], lines: [] };

interface FakeReader extends TextReader {
  readonly inputs: ReadPictureInput[];
  closed: number;
}

function fakeReader(...readings: readonly PictureReading[]): FakeReader {
  const inputs: ReadPictureInput[] = [];
  return {
    inputs,
    closed: 0,
    async read(input) {
      inputs.push(input);
      return readings[inputs.length - 1] ?? nothingRead;
    },
    close() {
      this.closed += 1;
    },
  };
}

function pathOf(json: string): unknown {
  const parsed = parseJson(json);
  return parsed.ok && isRecord(parsed.value) ? parsed.value['path'] : undefined;
}

interface Answer {
  readonly events: readonly ProviderEvent[];
  readonly text: string;
  readonly paths: readonly unknown[];
}

async function ask(
  messages: readonly RequestMessage[],
  options: OfflineProviderOptions & {
    readonly request?: Partial<ModelRequest>;
    readonly signal?: AbortSignal;
    readonly onEvent?: (event: ProviderEvent) => void;
  } = {},
): Promise<Answer> {
  const provider = createOfflineProvider({ openReader: () => fakeReader(), ...options });
  const events: ProviderEvent[] = [];
  const context = {
    signal: options.signal ?? new AbortController().signal,
    clock: createFixedClock(),
    logger: silentLogger,
    readBlob: (wanted: typeof digest) => blobs.get(wanted),
  };
  const request = { model: 'reader', messages, tools: [viewTool], ...options.request };
  for await (const event of provider.stream(request, endpoint, context)) {
    events.push(event);
    options.onEvent?.(event);
  }
  return {
    events,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    paths: events.flatMap((event) => (event.type === 'tool-call' ? [pathOf(event.call.arguments)] : [])),
  };
}

describe('the offline reader asks for pictures', () => {
  it('calls view_image for a path in the question and says nothing else', async () => {
    const { events } = await ask([user('What does shot.png say?')]);
    expect(events).toEqual([
      { type: 'request-sent', bodyBytes: 0 },
      {
        type: 'tool-call',
        call: { type: 'tool-call', toolCallId: 'offline-1', name: 'view_image', arguments: '{"path":"shot.png"}' },
      },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('makes one call for each of several paths, with ids that no earlier turn used', async () => {
    const earlier = [user('a.png'), call('a.png', 'offline-2'), result('offline-2', 'ok')];
    const { events, paths } = await ask([...earlier, user('Compare "my shots/b c.png" with d.jpg, please.')]);
    expect(paths).toEqual(['my shots/b c.png', 'd.jpg']);
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.call.toolCallId] : []));
    expect(new Set([...ids, 'offline-2']).size).toBe(3);
  });

  it('does not ask for a picture that came with the question', async () => {
    const { paths, text } = await ask([user('What does docs/shot.png say?', image('shot.png'))]);
    expect(paths).toEqual([]);
    expect(text).toContain('**shot.png**');
  });

  it('never repeats a call that has an answer, so that the turn ends', async () => {
    const messages = [user('What does shot.png say?'), call('shot.png', 'c1')];
    const failed = await ask([
      ...messages,
      result('c1', '{"content":"Error: not found: shot.png"}', { isError: true }),
    ]);
    expect(failed.paths).toEqual([]);
    const withoutPicture = await ask([...messages, result('c1', 'The image was not understood.')]);
    expect(withoutPicture.paths).toEqual([]);
    expect(withoutPicture.text).toBe(`${firstLine}\n\nNot read:\n- The image was not understood.`);
    expect(withoutPicture.events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('tries the shorter reading of a path in Chinese text after the longer one failed', async () => {
    const messages = [user('看一下shot.png写了什么')];
    expect((await ask(messages)).paths).toEqual(['看一下shot.png']);
    const failed = [call('看一下shot.png', 'c1'), notFound('c1', '看一下shot.png')];
    expect((await ask([...messages, ...failed])).paths).toEqual(['shot.png']);
    const found = [call('shot.png', 'c2'), result('c2', '{}', { images: [image('shot.png')] })];
    const answer = await ask([...messages, ...failed, ...found]);
    expect(answer.paths).toEqual([]);
    expect(answer.text).not.toContain('not found');
  });

  it('tries a name with blanks at most three times and says what was not found', async () => {
    const messages: RequestMessage[] = [user('what is in one a b photo.jpg')];
    const tried: unknown[] = [];
    let answer = await ask(messages);
    while (answer.paths.length > 0 && tried.length < 9) {
      const path = String(answer.paths[0]);
      tried.push(path);
      messages.push(call(path, `c${tried.length}`), notFound(`c${tried.length}`, path));
      answer = await ask(messages);
    }
    expect(tried).toEqual(['one a b photo.jpg', 'a b photo.jpg', 'photo.jpg']);
    expect(answer.text).toBe(
      [
        `${firstLine}\n\nNot read:`,
        '- Error: not found: one a b photo.jpg',
        '  Not found either: a b photo.jpg, photo.jpg.',
        '  A name with blanks can be put in quotes.',
      ].join('\n'),
    );
    const chinese = await ask(messages, { locale: 'zh-CN' });
    expect(chinese.text).toContain('可以用引号括起来');
  });

  it('takes the first reading of a name that there is, also when it cannot be read', async () => {
    const messages = [user('截图 一.gif 是什么')];
    expect((await ask(messages)).paths).toEqual(['截图 一.gif']);
    const reason = '错误:GIF 图片不完整,末尾缺失:截图 一.gif。请重新保存或下载。';
    const broken = [call('截图 一.gif', 'c1'), result('c1', JSON.stringify({ content: reason }), { isError: true })];
    const { paths, text } = await ask([...messages, ...broken]);
    expect(paths).toEqual([]);
    expect(text).toBe(`${firstLine}\n\nNot read:\n- ${reason}`);
  });

  it('lists the folder once for a name that was not found and suggests a similar one', async () => {
    const tools = [viewTool, { ...viewTool, name: 'list_directory' }];
    const messages = [user('Read shots/shto.png'), call('shots/shto.png', 'c1'), notFound('c1', 'shots/shto.png')];
    const asked = await ask(messages, { request: { tools } });
    expect(asked.events.filter((event) => event.type === 'tool-call').map(({ call: { name } }) => name)).toEqual([
      'list_directory',
    ]);
    expect(asked.paths).toEqual(['shots/']);
    const listing = 'notes.md  (12 B)\nold shot.png/\nshot.png  (1.2 kB, link)\nzebra.png  (3 B)';
    const listed = (text: string, isError = false): RequestMessage[] => [
      ...messages,
      call('shots/', 'c2', 'list_directory'),
      { ...result('c2', JSON.stringify({ content: text, entries: 4 }), { isError }), toolName: 'list_directory' },
    ];
    const answer = await ask(listed(listing), { request: { tools } });
    expect(answer.paths).toEqual([]);
    expect(answer.text).toContain('There is a picture named "shots/shot.png".');
    expect(answer.text).not.toContain('quotes');
    const withBlank = await ask(listed('shto 1.png  (1 B)'), { request: { tools } });
    expect(withBlank.text).toContain('"shots/shto 1.png".\n  A name with blanks can be put in quotes.');
    const failed = await ask(listed('shot.png  (1 B)', true), { request: { tools } });
    expect(failed.paths).toEqual([]);
    expect(failed.text).not.toContain('There is a picture');
  });

  it('asks again in a later turn', async () => {
    const earlier = [user('shot.png?'), call('shot.png', 'c1'), result('c1', '{}', { images: [image('shot.png')] })];
    expect((await ask([...earlier, user('And shot.png now?')])).paths).toEqual(['shot.png']);
  });

  it('answers at once when the session has no view_image', async () => {
    const { paths, text } = await ask([user('What does shot.png say?')], { request: { tools: [] } });
    expect(paths).toEqual([]);
    expect(text.startsWith(firstLine)).toBe(true);
  });
});

describe('the offline reader answers', () => {
  it('begins each answer with the line that no model is configured, in both languages', async () => {
    for (const messages of [[user('hello')], [user('look', image('a.png'))]]) {
      expect((await ask(messages)).text.split('\n')[0]).toBe(firstLine);
      expect((await ask(messages, { locale: 'zh-CN' })).text.split('\n')[0]).toBe(
        '未配置模型;以下是没有模型时能读出的内容。',
      );
    }
  });

  it('does not say that no model is configured when it was chosen', async () => {
    const { text } = await ask([user('hello')], { isChosen: true });
    expect(text.split('\n')[0]).toBe(
      'This is the built-in reader: it reads text, codes and colours, and does not understand scenes.',
    );
    expect(text).toContain('`/model`');
    expect(text).not.toContain('OPENAI_API_KEY');
    const chinese = await ask([user('你好')], { isChosen: true, locale: 'zh-CN' });
    expect(chinese.text.split('\n')[0]).toBe('这是内置读图器:它读取文字、条码和颜色,不理解画面内容。');
  });

  it('tells kind and colours before the reading, and codes before the text is there', async () => {
    const seen: string[] = [];
    let finish: (reading: PictureReading) => void = () => undefined;
    const reader = fakeReader();
    reader.read = ({ onCodes }) => {
      seen.push('reading begins');
      onCodes?.([{ kind: 'EAN13', text: '4006381333931' }]);
      return new Promise((resolve) => {
        finish = resolve;
      });
    };
    await ask([user('look', image('a.png'))], {
      openReader: () => reader,
      onEvent: (event) => {
        if (event.type !== 'text-delta') return;
        seen.push(event.text.trim().split(':')[0] ?? '');
        if (event.text.includes('EAN13')) finish(nothingRead);
      },
    });
    expect(seen).toEqual([firstLine, '**a.png**', 'Colours', 'reading begins', 'EAN13', 'No text was recognised.']);
  });

  it('tells kind, size and colours of the original, codes, and the text verbatim in a fence', async () => {
    const reader = fakeReader({
      status: 'read',
      codes: [{ kind: 'QR Code', text: 'https://example.org/`x`' }],
      lines: ['# Not a heading', '', '  ```js', '**bold**'],
    });
    const { text } = await ask([user('look', image('a.png'))], { openReader: () => reader });
    expect(text).toContain(`**a.png**: PNG, 64×32, ${png.length} B`);
    expect(text).toMatch(/Colours: .*red \(#[0-9a-f]{6}\) 50 %/);
    expect(text).toContain('QR Code:\n\n```\nhttps://example.org/`x`\n```');
    expect(text).toContain('Text:\n\n````\n# Not a heading\n\n  ```js\n**bold**\n````');
    expect(reader.inputs.map(({ bytes }) => Buffer.from(bytes).equals(png))).toEqual([true]);
    expect(reader.inputs[0]).toMatchObject({ limitMs: 10_000 });
    expect(reader.closed).toBe(1);
  });

  it('reads the pictures of tool results, inline and in the synthetic message, each once', async () => {
    const other = await blobs.add(makeSolidPng('blue'));
    const messages: RequestMessage[] = [
      user('old', image('old.png', await blobs.add(makeSolidPng('green')))),
      user('one.png two.png'),
      call('one.png', 'c1'),
      result('c1', '{}', { images: [image('one.png')] }),
      call('two.png', 'c2'),
      result('c2', '{}'),
      {
        role: 'user',
        origin: 'synthetic',
        parts: [{ type: 'text', text: 'x.png' }, image('two.png', other), image('one.png')],
      },
    ];
    const { text, paths } = await ask(messages);
    expect(paths).toEqual([]);
    expect(text.match(/\*\*[a-z]+\.png\*\*/g)).toEqual(['**one.png**', '**two.png**']);
  });

  it('tells two files with the same content each by its name', async () => {
    const { text } = await ask([user('a.png b.png', image('a.png'), image('b.png'))]);
    expect(text.match(/\*\*[a-z]+\.png\*\*/g)).toEqual(['**a.png**', '**b.png**']);
  });

  it('tells the whole and each region of a picture by themselves, each with its own pixels', async () => {
    const left = { x: 0, y: 0, width: 32, height: 32 };
    const right = { x: 32, y: 0, width: 32, height: 32 };
    const shown = [image('a.png'), { ...image('a.png'), region: left }, { ...image('a.png'), region: right }];
    const reader = fakeReader();
    const { text } = await ask([user('a.png', ...shown, { ...image('a.png'), region: left })], {
      openReader: () => reader,
    });
    expect(text.match(/^\*\*a\.png\*\*.*$/gm)).toEqual([
      expect.stringMatching(/64×32, \d+ B$/),
      expect.stringMatching(/64×32, \d+ B, region 32×32 at \(0, 0\)$/),
      expect.stringMatching(/64×32, \d+ B, region 32×32 at \(32, 0\)$/),
    ]);
    expect(text.match(/^Colours: .*$/gm)).toEqual([
      expect.stringMatching(/red.*white/),
      expect.stringMatching(/^Colours: red \(#[0-9a-f]+\) 100 %$/),
      expect.stringMatching(/^Colours: white \(#[0-9a-f]+\) 100 %$/),
    ]);
    expect(new Set(reader.inputs.map(({ bytes }) => digestOf(bytes))).size).toBe(3);
    const chinese = await ask([user('a.png', { ...image('a.png'), region: right })], { locale: 'zh-CN' });
    expect(chinese.text).toContain(',区域 32×32,位于 (32, 0)');
  });

  it('does not try another reading of a path whose call went well without a picture', async () => {
    const { paths } = await ask([user('看一下shot.png'), call('看一下shot.png', 'c1'), result('c1', 'not understood')]);
    expect(paths).toEqual([]);
  });

  it('tells why a named picture could not be seen, in the words of the tool', async () => {
    const reason = 'Error: HEIC is not supported: photo.heic. Export it as JPEG.';
    const failed = result('c1', JSON.stringify({ content: reason, total_lines: 0 }), { isError: true });
    const { text } = await ask([user('photo.heic'), call('photo.heic', 'c1'), failed]);
    expect(text).toBe(`${firstLine}\n\nNot read:\n- ${reason}`);
  });

  it('says how to give it a picture and a model when there is nothing to read', async () => {
    const { text } = await ask([user('Hello, who are you?')]);
    expect(text).toContain('--attach');
    expect(text).toContain('OPENAI_API_KEY');
    const chinese = await ask([user('你好')], { locale: 'zh-CN' });
    expect(chinese.text).toContain('-m 渠道/模型');
  });

  it('says that reading stopped after 10 s and still tells the codes', async () => {
    const reader = fakeReader({ status: 'timed-out', codes: [{ kind: 'EAN13', text: '4006381333931' }], lines: [] });
    const { text } = await ask([user('look', image('a.png'))], { openReader: () => reader });
    expect(text).toContain('stopped after 10 s');
    expect(text).toContain('EAN13:\n\n```\n4006381333931\n```');
  });

  it('goes on with the next picture when the reading process ended', async () => {
    const other = await blobs.add(makeSolidPng('yellow'));
    const reader = fakeReader(
      { status: 'failed', codes: [], lines: [] },
      { status: 'read', codes: [], lines: ['second'] },
    );
    const messages = [user('look', image('a.png'), image('b.png', other))];
    const { text, events } = await ask(messages, { openReader: () => reader });
    expect(text).toContain('the reading process ended');
    expect(text).toContain('second');
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('tells a picture whose stored bytes are missing and reads the others', async () => {
    const gone = image('gone.png', `sha256:${'1'.repeat(64)}`);
    const { text, events } = await ask([user('look', gone, image('a.png'))]);
    expect(text).toContain('**gone.png**: its stored bytes are missing');
    expect(text).toContain('**a.png**: PNG');
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('does not let a file name become Markdown', async () => {
    const { text } = await ask([user('look', image('a*b_`c`.png'))]);
    expect(text).toContain('**a\\*b\\_\\`c\\`.png**');
  });
});

describe('the offline reader stops', () => {
  it('ends with CANCELED when it was stopped before', async () => {
    const { events } = await ask([user('look', image('a.png'))], { signal: AbortSignal.abort() });
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'CANCELED' } });
  });

  it('ends with CANCELED and closes the reader when it is stopped while reading', async () => {
    const stop = new AbortController();
    const reader = fakeReader();
    reader.read = async ({ signal }) => {
      stop.abort();
      signal.throwIfAborted();
      return nothingRead;
    };
    const { events } = await ask([user('look', image('a.png'))], { openReader: () => reader, signal: stop.signal });
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'CANCELED' } });
    expect(reader.closed).toBe(1);
  });
});
