import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PNG } from 'pngjs';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createFixedClock, type FixedClock } from '../testing/fixed-clock.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createOcrReader, type OcrReaderOptions } from './ocr.ts';
import { createOfflineProvider } from './offline-provider.ts';
import type { PictureReading, TextReader } from './text-reader.ts';

// The child is the built one: `node scripts/build.mjs` before, as in every checkout after `npm install`.
const screenshots = new URL('../../../../fixtures/screenshots/', import.meta.url);
const LIMIT_MS = 10_000;
/** Two cores and a cold cache: far more than it takes, the limit of the product is tested with a fixed clock. */
const PATIENCE_MS = 60_000;

let reader: TextReader = createOcrReader();

function open(options?: OcrReaderOptions): void {
  const opened = createOcrReader(options);
  reader = opened;
  onTestFinished(() => opened.close());
}

function read(
  bytes: Uint8Array,
  options: { readonly clock?: FixedClock; readonly signal?: AbortSignal } = {},
): Promise<PictureReading> {
  const { clock = createFixedClock(), signal = new AbortController().signal } = options;
  return reader.read({ bytes, limitMs: LIMIT_MS, clock, signal });
}

async function readScreenshot(name: string): Promise<PictureReading> {
  return read(await readFile(new URL(name, screenshots)));
}

/** A child of our own making; `body` handles `message` and answers with `send`. */
async function openStub(body: string, options: OcrReaderOptions = {}): Promise<void> {
  const folder = await createTemporaryFolder();
  onTestFinished(() => folder.remove());
  const program = `process.on('message', (message) => { const send = (reply) => process.send({ id: message.id, ...reply }); ${body} });`;
  open({ childPath: await folder.write('child.mjs', program), ...options });
}

async function untilGone(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`process ${pid} still runs`);
}

describe('the reading process', { timeout: PATIENCE_MS }, () => {
  // One process reads them all: most of the time of one reading is its start.
  const shared = createOcrReader();
  beforeEach(() => {
    reader = shared;
  });
  afterAll(() => shared.close());

  it('reads an English dialog word for word, its buttons included, and no Chinese noise', async () => {
    const { status, codes, lines } = await readScreenshot('dialog-en.png');
    expect({ status, codes }).toEqual({ status: 'read', codes: [] });
    expect(lines.filter((line) => line !== '')).toEqual([
      'Save changes',
      'Do you want to save the changes to report.docx?',
      'Your edits will be lost if you close without saving.',
      'Error code: 0x80070020 (32 files, 4.7 MB)',
      expect.stringMatching(/^Don't save {2,}Cancel {2,}Save$/),
    ]);
  });

  it('reads a Chinese dialog without blanks between the characters', async () => {
    const { lines } = await readScreenshot('dialog-zh.png');
    const text = lines.join('\n');
    expect(text).toContain('保存更改');
    expect(text).toMatch(/是否将更改保存到.季度报告\.docx/);
    expect(text).toContain('您所做的修改将会丢失。');
    expect(text).toMatch(/磁盘剩余空间[::]128 ?GB/);
    expect(text).toMatch(/不保存 {2,}取消 {2,}保存$/);
  });

  it('reads light text on a dark ground', async () => {
    const { lines } = await readScreenshot('terminal-dark.png');
    expect(lines.filter((line) => line !== '')).toEqual([
      '$ npm test',
      'Running 214 tests in 37 files',
      'PASS src/parser.test.ts (1.2 s)',
      'FAIL src/router.test.ts (0.8 s)',
      'expected status 200 but received 404',
      'at src/router.ts:58:13',
      '213 passed, 1 failed',
    ]);
  });

  it('reads a QR code and the words below it, not the pattern', async () => {
    const { codes, lines } = await readScreenshot('qr-code.png');
    expect(codes).toEqual([{ kind: 'QR Code', text: 'https://example.org/tickets/4711?seat=12B' }]);
    expect(lines).toEqual(['Scan to open your ticket']);
  });

  it('reads large print as well as the small print beside it, and invents nothing', async () => {
    const { lines } = await readScreenshot('large-print.png');
    expect(lines.filter((line) => line !== '')).toEqual([
      'OPEN 24 h',
      'Summer Festival',
      'Vienna, 12 July 2025',
      'Doors open at 18:00. Tickets cost 25 EUR and include one drink.',
      'Children under 12 enter free with an adult.',
      '夏日音乐节',
      'Questions? Call 0800 123 456',
    ]);
  });

  it('reads small text of a large screen, at its own size and after it was scaled down', async () => {
    for (const name of ['control-panel-4k.png', 'control-panel-1920.png']) {
      const { lines } = await readScreenshot(name);
      const text = lines.join('\n');
      expect(text).toContain('Control panel - Overview');
      expect(text).toContain('Build 5831 finished with 3 warnings and 0 errors');
      expect(text).toContain('Memory in use: 1,482 MB of 16,384 MB');
      expect(text).toContain('Next backup: Friday, 14 March at 02:30');
    }
  });

  it('says that bytes which are no picture cannot be read, and reads the next picture', async () => {
    expect(await read(Buffer.from('no picture'))).toEqual({ status: 'failed', codes: [], lines: [] });
    expect((await readScreenshot('qr-code.png')).status).toBe('read');
  });

  it('uses no network and leaves no file: its data comes from installed packages', async () => {
    const folder = await createTemporaryFolder();
    onTestFinished(() => folder.remove());
    // Whoever opens a connection or asks for a name, in the process or a thread of it, kills the process.
    const guard = await folder.write(
      'guard.cjs',
      `const kill = () => process.kill(process.pid, 'SIGKILL');
       require('node:net').Socket.prototype.connect = kill; require('node:dns').lookup = kill; globalThis.fetch = kill;`,
    );
    const nodeArguments = ['--require', guard];
    open({ nodeArguments });
    expect((await readScreenshot('dialog-en.png')).lines).toContain('Save changes');
    expect(existsSync('eng.traineddata')).toBe(false);
    expect(existsSync('chi_sim.traineddata')).toBe(false);
    const thread = `new Worker('fetch("http://127.0.0.1:9/").catch(() => {})', { eval: true })`;
    await openStub(`import('node:worker_threads').then(({ Worker }) => ${thread});`, { nodeArguments });
    expect((await read(Uint8Array.of(1))).status).toBe('failed');
  });
});

/** A photograph of nothing but noise, with a code in its corner: no text, and seconds of work. */
async function makeNoisyPhotograph(): Promise<Uint8Array> {
  const code = PNG.sync.read(await readFile(new URL('qr-code.png', screenshots)));
  const photograph = new PNG({ width: 2400, height: 1800 });
  let state = 1;
  photograph.data.forEach((_, index, data) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data[index] = index % 4 === 3 ? 255 : state >>> 24;
  });
  PNG.bitblt(code, photograph, 0, 0, code.width, code.height, 0, 0);
  return PNG.sync.write(photograph);
}

describe('a picture that takes too long', { timeout: PATIENCE_MS }, () => {
  it('is told by kind, size, colours and codes, and its reading process is gone', async () => {
    const folder = await createTemporaryFolder();
    onTestFinished(() => folder.remove());
    const note = folder.resolve('pid');
    const guard = await folder.write(
      'note.cjs',
      `require('node:fs').writeFileSync(${JSON.stringify(note)}, String(process.pid));`,
    );
    const blobs = createMemoryBlobs();
    const originalDigest = await blobs.add(await makeNoisyPhotograph());
    const image = { type: 'image', digest: originalDigest, originalDigest, name: 'noise.png' } as const;
    const size = { mediaType: 'image/png', sizeBytes: 1, widthPx: 1, heightPx: 1 };
    const parts = [{ type: 'text', text: 'look' } as const, { ...image, ...size }];
    const request = { model: 'reader', messages: [{ role: 'user', origin: 'user', parts } as const], tools: [] };
    const endpoint = { channel: 'offline', wireApi: 'offline', baseUrl: '', apiKey: undefined, headers: {} } as const;
    const clock = createFixedClock();
    const { signal } = new AbortController();
    const provider = createOfflineProvider({
      openReader: () => createOcrReader({ nodeArguments: ['--require', guard] }),
    });
    const context = {
      signal,
      clock,
      logger: silentLogger,
      readBlob: (digest: typeof originalDigest) => blobs.get(digest),
    };
    let text = '';
    for await (const event of provider.stream(request, { ...endpoint, idleTimeoutMs: 60_000 }, context)) {
      if (event.type !== 'text-delta') continue;
      text += event.text;
      if (event.text.includes('QR Code')) await clock.advance(LIMIT_MS);
    }
    expect(text).toContain('**noise.png**: PNG, 2400×1800');
    expect(text).toContain('Colours: ');
    expect(text).toContain('https://example.org/tickets/4711?seat=12B');
    expect(text).toContain('stopped after 10 s');
    await untilGone(Number(await readFile(note, 'utf8')));
  });
});

describe('createOcrReader', { timeout: PATIENCE_MS }, () => {
  it('sends bytes as bytes', async () => {
    await openStub(`send({ type: 'text', lines: [message.bytes.constructor.name, [...message.bytes].join()] });`);
    const { lines } = await read(Uint8Array.of(0, 255, 128));
    expect(lines[1]).toBe('0,255,128');
  });

  it('gives the process no environment but what it is told', async () => {
    const body = `send({ type: 'text', lines: Object.keys(process.env).sort() });`;
    await openStub(body);
    expect((await read(Uint8Array.of(1))).lines).toEqual([]);
    await openStub(body, { environment: { SYSTEMROOT: 'C:\\Windows' } });
    expect((await read(Uint8Array.of(1))).lines).toEqual(['SYSTEMROOT']);
  });

  it('reads several pictures in one process, one after the other', async () => {
    await openStub(`send({ type: 'text', lines: [String(process.pid), String(message.bytes[0])] });`);
    const readings = await Promise.all([read(Uint8Array.of(1)), read(Uint8Array.of(2)), read(Uint8Array.of(3))]);
    expect(readings.map(({ lines }) => lines[1])).toEqual(['1', '2', '3']);
    expect(new Set(readings.map(({ lines }) => lines[0])).size).toBe(1);
  });

  it('stops after the limit, kills the process, and keeps the codes that were found', async () => {
    await openStub(
      `if (message.bytes[0] === 1) send({ type: 'codes', codes: [{ kind: 'pid', text: String(process.pid) }] });
       else send({ type: 'text', lines: ['next'] });`,
    );
    const clock = createFixedClock();
    let isDone = false;
    const reading = read(Uint8Array.of(1), { clock }).finally(() => {
      isDone = true;
    });
    // The picture's own time begins with the first reply, not with the start of the process.
    while (!clock.sleepsMs.includes(LIMIT_MS)) await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(LIMIT_MS - 1);
    expect(isDone).toBe(false);
    await clock.advance(1);
    const { status, codes } = await reading;
    expect(status).toBe('timed-out');
    expect(codes).toHaveLength(1);
    await untilGone(Number(codes[0]?.text));
    expect((await read(Uint8Array.of(2))).lines).toEqual(['next']);
  });

  it('does not wait forever for a process that never begins', async () => {
    await openStub('');
    const clock = createFixedClock();
    const reading = read(Uint8Array.of(1), { clock });
    while (clock.pendingSleepsMs().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    expect((await reading).status).toBe('timed-out');
  });

  it('refuses only the text of the picture whose reading crashed the process', async () => {
    await openStub(
      `if (message.bytes[0] === 1) process.kill(process.pid, 'SIGKILL'); else send({ type: 'text', lines: ['fine'] });`,
    );
    const readings = await Promise.all([read(Uint8Array.of(1)), read(Uint8Array.of(2))]);
    expect(readings).toEqual([
      { status: 'failed', codes: [], lines: [] },
      { status: 'read', codes: [], lines: ['fine'] },
    ]);
  });

  it('is not misled by replies of the wrong shape or to another picture', async () => {
    await openStub(
      `send({ type: 'text', lines: [1] }); process.send({ id: -1, type: 'text', lines: ['other'] });
       process.send('text'); send({ type: 'text', lines: ['right'] });`,
    );
    expect((await read(Uint8Array.of(1))).lines).toEqual(['right']);
  });

  it('fails when the process cannot be started', async () => {
    open({ childPath: fileURLToPath(new URL('no-such-child.mjs', screenshots)) });
    expect((await read(Uint8Array.of(1))).status).toBe('failed');
  });

  it('rejects with the reason of an abort and ends the process', async () => {
    await openStub(`if (message.bytes[0] === 1) send({ type: 'text', lines: [String(process.pid)] });`);
    const { lines } = await read(Uint8Array.of(1));
    const stop = new AbortController();
    const reading = read(Uint8Array.of(2), { signal: stop.signal });
    const reason = new Error('stopped by the user');
    setImmediate(() => stop.abort(reason));
    await expect(reading).rejects.toBe(reason);
    await untilGone(Number(lines[0]));
  });

  it('lets the program end at once and ends with it', async () => {
    const folder = await createTemporaryFolder();
    onTestFinished(() => folder.remove());
    const child = await folder.write(
      'child.mjs',
      `process.on('message', ({ id }) => process.send({ id, type: 'text', lines: [String(process.pid)] }));
       process.on('disconnect', () => process.exit(0));`,
    );
    const built = createRequire(import.meta.url)
      .resolve('@fovea/core/vision/ocr-child')
      .replace('ocr-child', 'ocr');
    const program = `import { createOcrReader } from ${JSON.stringify(pathToFileURL(built).href)};
      const reader = createOcrReader({ childPath: ${JSON.stringify(child)} });
      const clock = { nowMs: Date.now, sleep: (ms, signal) => new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); }); }) };
      const { lines } = await reader.read({ bytes: Uint8Array.of(1), limitMs: 10000, clock, signal: new AbortController().signal });
      console.log(lines[0]);`;
    const main = await folder.write('main.mjs', program);
    // A program that its child keeps alive would be killed here, with no status.
    const ended = spawnSync(process.execPath, [main], { encoding: 'utf8', timeout: 30_000 });
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: '' });
    await untilGone(Number(ended.stdout.trim()));
  });
});
