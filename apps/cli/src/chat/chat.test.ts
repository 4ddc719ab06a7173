import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { AppError, fail, ok } from '@fovea/core/base';
import type { FoveaEvent, Session, Transcript } from '@fovea/core/content';
import type { Fovea, ModelChoice, TurnInput } from '@fovea/server';
import { afterEach, describe, expect, it } from 'vitest';
import { cliTexts } from '../texts.ts';
import { Chat } from './chat.ts';

const model: ModelChoice = {
  id: 'lab/seer',
  channel: 'lab',
  model: 'seer',
  wireApi: 'openai-chat',
  imageInput: 'yes',
  origin: 'config',
};

const session = { id: 'ses_1', title: 'Earlier' } as unknown as Session;

type Answer = (input: TurnInput) => AsyncIterable<FoveaEvent>;

/** The services as the chat sees them; pictures are the files whose name ends in `.png`. */
function createFovea(answer: Answer, models: readonly ModelChoice[], transcript: Transcript) {
  const turns: TurnInput[] = [];
  const fovea: Partial<Fovea> = {
    locale: 'en',
    listModels: async () => models,
    loadTranscript: async () => transcript,
    chooseModel: async (name) =>
      name === 'lab/blind'
        ? ok({ ...model, id: 'lab/blind', imageInput: 'no' as const })
        : fail(new AppError('UNKNOWN_MODEL', `channel "lab" has no model "${name}"`)),
    createSession: async () => ok(session),
    inspect: async (paths) =>
      paths.map((path) =>
        /good(-\d+)?\.png$/.test(path)
          ? {
              verdict: 'accepted' as const,
              path,
              mediaType: 'image/png',
              widthPx: 64,
              heightPx: 32,
              sizeBytes: 127,
              frames: 1,
              digest: `sha256:${'0'.repeat(64)}` as const,
            }
          : { verdict: 'refused' as const, path, refusal: { code: 'NOT_FOUND' as const, name: path } },
      ),
    runTurn: (input) => {
      turns.push(input);
      return answer(input);
    },
  };
  return { fovea: fovea as Fovea, turns };
}

async function* completed(text: string): AsyncIterable<FoveaEvent> {
  yield { type: 'turn-accepted', sessionId: 'ses_1', turnId: 't', submissionId: 's' };
  yield { type: 'text-delta', text };
  yield { type: 'turn-end', status: 'completed' };
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

interface Start {
  readonly model?: ModelChoice;
  readonly models?: readonly ModelChoice[];
  /** Goes on with a session that holds these messages. */
  readonly transcript?: Transcript;
}

function startChat(answer: Answer = () => completed('Seen.'), start: Start = {}) {
  const workspace = mkdtempSync(join(tmpdir(), 'fovea-chat-'));
  const keyboard = new PassThrough();
  const output = new PassThrough();
  Object.assign(output, { isTTY: true, columns: 100, rows: 40 });
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const models = start.models ?? [model, { ...model, id: 'lab/blind', model: 'blind', imageInput: 'no' }];
  const { fovea, turns } = createFovea(answer, models, start.transcript ?? []);
  const chat = new Chat({
    terminal: { input: keyboard, output },
    fovea,
    context: {
      locale: 'en',
      texts: cliTexts('en'),
      currentFolder: workspace,
      configFile: '/home/nobody/config.jsonc',
      hasColors: false,
      signal: new AbortController().signal,
      openFovea: async () => fovea,
    },
    workspace,
    homeFolder: '/home/nobody',
    model: start.model ?? model,
    ...(start.transcript === undefined ? {} : { session }),
  });
  const finished = chat.run();
  open.push(() => keyboard.end());
  const screen = (): string => stripVTControlCharacters(written).replaceAll('\r', '');
  const until = async (text: string): Promise<void> => {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      if (screen().includes(text)) return;
      await sleep(10);
    }
    throw new Error(`the screen never showed ${JSON.stringify(text)}:\n${screen()}`);
  };
  return { keyboard, turns, screen, until, finished, workspace };
}

describe('Chat', () => {
  it('sends a line as it was typed and says how to go on later', async () => {
    const chat = startChat();
    await chat.until('Fovea · lab/seer (sees pictures)');
    chat.keyboard.write('What does  shot.png say?\r');
    await chat.until('Seen.');
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
    expect(chat.turns).toMatchObject([{ text: 'What does  shot.png say?', attachments: [], model: 'lab/seer' }]);
    expect(chat.screen()).toContain('To go on later: fovea chat -s ses_1');
  });

  it('attaches a pasted path of a picture and sends it with the next line', async () => {
    const chat = startChat();
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write(`\u001b[200~'${join(chat.workspace, 'good.png')}'\u001b[201~`);
    await chat.until('Attached good.png (image/png, 64×32, 127 B)');
    chat.keyboard.write('what is it\r');
    await chat.until('Seen.');
    chat.keyboard.write('and now\r');
    await chat.until('› and now');
    chat.keyboard.write('/quit\r');
    await chat.finished;
    expect(chat.turns.map((turn) => turn.attachments)).toEqual([['good.png'], []]);
  });

  it('copies a picture from outside into the workspace before it is attached', async () => {
    const chat = startChat();
    const [one, other] = ['one', 'other'].map(() => {
      const folder = mkdtempSync(join(tmpdir(), 'fovea-elsewhere-'));
      writeFileSync(join(folder, 'good.png'), 'picture');
      return join(folder, 'good.png');
    });
    chat.keyboard.write(`/attach ${one}\r`);
    await chat.until('Attached .fovea/attachments/good.png');
    chat.keyboard.write(`/attach ${one}\r`);
    await chat.until('Attached already: .fovea/attachments/good.png');
    chat.keyboard.write(`/attach ${other}\r`);
    await chat.until('Attached .fovea/attachments/good-2.png');
    expect(readdirSync(join(chat.workspace, '.fovea/attachments')).sort()).toEqual(['good-2.png', 'good.png']);
  });

  it('says what is not found and attaches nothing', async () => {
    const chat = startChat();
    chat.keyboard.write('\u001b[200~/nowhere/missing.png\u001b[201~');
    await chat.until('Error: not found: /nowhere/missing.png');
    chat.keyboard.write('hello\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: [], text: 'hello' }]);
  });

  it('keeps a pasted text of several lines as one message', async () => {
    const chat = startChat();
    chat.keyboard.write('look: \u001b[200~one\ntwo\u001b[201~');
    await chat.until('[pasted text, 2 lines]');
    chat.keyboard.write('\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ text: 'look: one\ntwo' }]);
  });

  it('keeps the line and the attachments of a refused turn', async () => {
    let isFirst = true;
    const chat = startChat(async function* () {
      if (isFirst) {
        isFirst = false;
        yield {
          type: 'turn-refused',
          items: [{ index: 0, name: 'good.png', code: 'CORRUPT', message: 'Error: damaged' }],
        };
        return;
      }
      yield* completed('Seen.');
    });
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('/attach good.png\r');
    await chat.until('Attached good.png');
    chat.keyboard.write('my question\r');
    await chat.until('Error: damaged');
    await chat.until('Nothing was sent.');
    chat.keyboard.write('\r');
    await chat.until('Seen.');
    expect(chat.turns.map((turn) => [turn.text, turn.attachments])).toEqual([
      ['my question', ['good.png']],
      ['my question', ['good.png']],
    ]);
  });

  it('stops a running answer with Ctrl+C and goes on', async () => {
    const chat = startChat(async function* (input) {
      yield { type: 'text-delta', text: 'thinking hard' };
      await new Promise((resolve) => input.signal?.addEventListener('abort', resolve));
      yield { type: 'turn-end', status: 'stopped' };
    });
    chat.keyboard.write('long\r');
    await chat.until('thinking hard');
    chat.keyboard.write('\u0003');
    await chat.until('thinking hard\nStopping …\nInterrupted.');
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
  });

  it('changes the model, and says which names there are when one is wrong', async () => {
    const chat = startChat();
    chat.keyboard.write('/model\r');
    await chat.until('* lab/seer (sees pictures)');
    chat.keyboard.write('/model nope\r');
    await chat.until('Error: channel "lab" has no model "nope"');
    chat.keyboard.write('/model blind\r');
    await chat.until('Now answering: lab/blind (takes no pictures).');
    chat.keyboard.write('hi\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ model: 'lab/blind' }]);
  });

  it('leaves on the second Ctrl+C at an empty line, and names unknown commands', async () => {
    const chat = startChat();
    chat.keyboard.write('/nonsense\r');
    await chat.until('Unknown command /nonsense. /help');
    chat.keyboard.write('/atach a.png\r');
    await chat.until('Unknown command /atach. Did you mean /attach?');
    chat.keyboard.write('\u0003');
    await chat.until('Press Ctrl+C again to leave.');
    chat.keyboard.write('\u0003');
    expect(await chat.finished).toBe(0);
  });

  it('attaches several bare names, names the missing one and asks for the near one', async () => {
    const chat = startChat();
    for (const name of ['good-1.png', 'good-2.png', 'god.png']) writeFileSync(join(chat.workspace, name), name);
    chat.keyboard.write('/attach good-1.png missing.png goood-2.png good-2.png\r');
    await chat.until('Attached good-2.png');
    expect(chat.screen()).toContain('Attached good-1.png');
    expect(chat.screen()).toMatch(/Error: not found: missing\.png\n/);
    expect(chat.screen()).toContain('Error: not found: goood-2.png. Did you mean good-2.png?');
    chat.keyboard.write('/attach good-1.png\r');
    await chat.until('Attached already: good-1.png');
    chat.keyboard.write('look\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: ['good-1.png', 'good-2.png'] }]);
  });

  it('takes nothing away when /detach is not understood', async () => {
    const chat = startChat();
    writeFileSync(join(chat.workspace, 'good.png'), 'picture');
    chat.keyboard.write('/attach good.png\r');
    await chat.until('Attached good.png');
    for (const wrong of ['good.png', '0', '2']) {
      chat.keyboard.write(`/detach ${wrong}\r`);
      await chat.until(`/detach ${wrong}\nSay which picture: /detach N with N from 1 to 1`);
    }
    chat.keyboard.write('look\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ attachments: ['good.png'] }]);
  });

  it('says that only the built-in reader answers, and how to get a model', async () => {
    const reader: ModelChoice = { ...model, id: 'offline/reader', wireApi: 'offline', origin: 'built-in' };
    const chat = startChat(undefined, { model: reader, models: [reader] });
    await chat.until('no model is configured: the built-in reader answers (text, codes, colours)');
    await chat.until('OPENAI_API_KEY');
    await chat.until('/home/nobody/config.jsonc');
    expect(chat.screen()).not.toContain('sees pictures');
  });

  it('shows what was said last when it goes on with a session', async () => {
    const common = { turnId: 't', createdAt: '2026-11-30T10:00:00.000Z' };
    const chat = startChat(undefined, {
      transcript: [
        { ...common, id: '1', role: 'user', content: 'first question', imageInputs: [] },
        { ...common, id: '2', role: 'user', content: 'long text\nlast question', imageInputs: [] },
        {
          ...common,
          id: '3',
          role: 'assistant',
          model: 'lab/seer',
          status: 'completed',
          parts: [{ type: 'text', text: 'one\n\ntwo\nthree\nfour' }],
        },
      ],
    });
    await chat.until('Going on with "Earlier" (ses_1).');
    await chat.until('› last question\none\ntwo\nthree\n…\n');
    expect(chat.screen()).not.toContain('first question');
  });
});
