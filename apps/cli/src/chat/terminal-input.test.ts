import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TerminalInput } from './terminal-input.ts';

function open() {
  const keys: string[] = [];
  const pastes: string[] = [];
  const keyboard = new PassThrough();
  let isOver = false;
  const input = new TerminalInput(keyboard, {
    onKey: (key) => keys.push(key),
    onPaste: (text) => pastes.push(text),
    onEnd: () => {
      isOver = true;
    },
  });
  input.open();
  const send = async (...chunks: readonly (string | Buffer)[]): Promise<void> => {
    for (const chunk of chunks) keyboard.write(chunk);
    await sleep(0);
  };
  return { send, keys, pastes, input, keyboard, isOver: () => isOver };
}

describe('TerminalInput', () => {
  it('takes bytes apart into keys and pastes, wherever the chunks are cut', async () => {
    const whole = 'a图\u001b[200~/tmp/图 1.png\nsecond\u001b[201~\u001b[1;5D🎉\u001bOA\u001b[3~\u001bbz';
    const bytes = Buffer.from(whole);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const { send, keys, pastes } = open();
      await send(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(keys).toEqual(['a', '图', '\u001b[1;5D', '🎉', '\u001bOA', '\u001b[3~', '\u001bb', 'z']);
      expect(pastes).toEqual(['/tmp/图 1.png\nsecond']);
    }
  });

  it('leaves keys inside a paste to the paste', async () => {
    const { send, keys, pastes } = open();
    await send('\u001b[200~x\u0016\u0003\u001b[Ay\u001b[201~');
    expect(keys).toEqual([]);
    expect(pastes).toEqual(['x\u0016\u0003\u001b[Ay']);
  });

  it('takes an Escape for one when nothing follows, and the beginning of another key for nothing', async () => {
    const { send, keys } = open();
    await send('ab\u001b');
    expect(keys).toEqual(['a', 'b']);
    await sleep(80);
    expect(keys).toEqual(['a', 'b', '\u001b']);
    await send('\u001b[1;5');
    await sleep(80);
    await send('c');
    expect(keys).toEqual(['a', 'b', '\u001b', 'c']);
  });

  it('reads nothing while it is closed, and goes on when it is opened again', async () => {
    const { send, keys, input, keyboard, isOver } = open();
    await send('a');
    input.close();
    await send('b');
    expect(keys).toEqual(['a']);
    input.open();
    await send('c');
    expect(keys).toEqual(['a', 'b', 'c']);
    keyboard.end();
    await sleep(0);
    expect(isOver()).toBe(true);
  });
});
