import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TerminalInput } from './terminal-input.ts';

function open() {
  const pastes: string[] = [];
  let pasteKeys = 0;
  const heldKeys: string[] = [];
  const input = new TerminalInput(new PassThrough(), {
    onPaste: (text) => pastes.push(text),
    onPasteKey: () => {
      pasteKeys += 1;
    },
    onHeldKeys: (keys) => heldKeys.push(keys),
  });
  const keys = async (): Promise<string> => {
    input.end();
    let text = '';
    for await (const chunk of input) text += String(chunk);
    return text;
  };
  return { input, pastes, pasteKeys: () => pasteKeys, heldKeys, keys };
}

describe('TerminalInput', () => {
  it('takes a bracketed paste out of the keys, wherever the chunks are cut', async () => {
    const whole = 'ab\u001b[200~/tmp/图 1.png\nsecond\u001b[201~cd';
    const bytes = Buffer.from(whole);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const { input, pastes, keys } = open();
      input.write(bytes.subarray(0, cut));
      input.write(bytes.subarray(cut));
      expect(await keys()).toBe('abcd');
      expect(pastes).toEqual(['/tmp/图 1.png\nsecond']);
    }
  });

  it('reports Ctrl+V and keeps the keys around it', async () => {
    const { input, pasteKeys, keys } = open();
    input.write('a\u0016b');
    expect(await keys()).toBe('ab');
    expect(pasteKeys()).toBe(1);
  });

  it('hands through arrows and a lone Escape', async () => {
    const { input, keys } = open();
    input.write('\u001b[A\u001b');
    expect(await keys()).toBe('\u001b[A\u001b');
  });

  it('leaves Ctrl+V inside a paste to the paste', async () => {
    const { input, pastes, pasteKeys, keys } = open();
    input.write('\u001b[200~x\u0016y\u001b[201~');
    expect(await keys()).toBe('');
    expect(pastes).toEqual(['x\u0016y']);
    expect(pasteKeys()).toBe(0);
  });

  it('gives keys to others while it is held, and what was typed to the line afterwards', async () => {
    const { input, heldKeys, keys } = open();
    input.hold();
    input.write('typed\u0003');
    expect(heldKeys).toEqual(['typed\u0003']);
    expect(input.read()).toBeNull();
    input.release('typed');
    input.write(' on');
    expect(await keys()).toBe('typed on');
  });

  it('gives a lone Escape alone, so that it is not taken for the beginning of a key', async () => {
    const { input, heldKeys } = open();
    input.hold();
    input.write('ab\u001b');
    await sleep(60);
    expect(heldKeys).toEqual(['ab', '\u001b']);
  });
});
