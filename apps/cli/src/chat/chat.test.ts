import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { AppError, fail, ok } from '@fovea/core/base';
import type { FoveaEvent, Session } from '@fovea/core/content';
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
function createFovea(answer: Answer) {
  const turns: TurnInput[] = [];
  const fovea: Partial<Fovea> = {
    locale: 'en',
    listModels: async () => [model, { ...model, id: 'lab/blind', imageInput: 'no' }],
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

function startChat(answer: Answer = () => completed('Seen.')) {
  const workspace = mkdtempSync(join(tmpdir(), 'fovea-chat-'));
  const keyboard = new PassThrough();
  const output = new PassThrough();
  Object.assign(output, { isTTY: true, columns: 100, rows: 40 });
  let written = '';
  output.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  const { fovea, turns } = createFovea(answer);
  const chat = new Chat({
    terminal: { input: keyboard, output },
    fovea,
    context: {
      locale: 'en',
      texts: cliTexts('en'),
      currentFolder: workspace,
      hasColors: false,
      signal: new AbortController().signal,
      openFovea: async () => fovea,
    },
    workspace,
    homeFolder: '/home/nobody',
    model,
  });
  const finished = chat.run();
  open.push(() => keyboard.end());
  const screen = (): string => stripVTControlCharacters(written);
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
    await chat.until('attached good.png (image/png, 64×32, 127 B)');
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
    const elsewhere = mkdtempSync(join(tmpdir(), 'fovea-elsewhere-'));
    writeFileSync(join(elsewhere, 'good.png'), 'picture');
    chat.keyboard.write(`/attach ${join(elsewhere, 'good.png')}\r`);
    await chat.until('attached .fovea/attachments/good.png');
    chat.keyboard.write(`/attach ${join(elsewhere, 'good.png')}\r`);
    await chat.until('attached .fovea/attachments/good-2.png');
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
    await chat.until('attached good.png');
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
    await chat.until('Interrupted.');
    chat.keyboard.write('/quit\r');
    expect(await chat.finished).toBe(0);
  });

  it('changes the model, and says which names there are when one is wrong', async () => {
    const chat = startChat();
    chat.keyboard.write('/model\r');
    await chat.until('* lab/seer (sees pictures)');
    chat.keyboard.write('/model nope\r');
    await chat.until('channel "lab" has no model "nope"');
    chat.keyboard.write('/model lab/blind\r');
    await chat.until('Now answering: lab/blind (takes no pictures).');
    chat.keyboard.write('hi\r');
    await chat.until('Seen.');
    expect(chat.turns).toMatchObject([{ model: 'lab/blind' }]);
  });

  it('leaves on the second Ctrl+C at an empty line, and names unknown commands', async () => {
    const chat = startChat();
    chat.keyboard.write('/nonsense\r');
    await chat.until('unknown command /nonsense');
    chat.keyboard.write('\u0003');
    await chat.until('Press Ctrl+C again to leave.');
    chat.keyboard.write('\u0003');
    expect(await chat.finished).toBe(0);
  });
});
