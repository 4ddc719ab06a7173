import type { FoveaEvent } from '@fovea/core/content';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTerminalScreen } from '../../../../packages/core/src/testing/terminal-screen.ts';
import { printTurn } from './print-turn.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A turn whose events the test hands out, on a screen that shows what is left of them. */
function startTurn(stopSignal?: AbortSignal) {
  const screen = { ...createTerminalScreen(24), isTTY: true };
  const queue: FoveaEvent[] = [];
  let wake = (): void => {};
  async function* events(): AsyncIterable<FoveaEvent> {
    for (;;) {
      const event = queue.shift();
      if (event === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield event;
      if (event?.type === 'turn-end') return;
    }
  }
  const finished = printTurn(events(), {
    output: screen,
    diagnostics: screen,
    locale: 'en',
    hasColors: true,
    ...(stopSignal === undefined ? {} : { stopSignal }),
  });
  const send = async (...sent: readonly FoveaEvent[]): Promise<void> => {
    queue.push(...sent);
    wake();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { screen, send, finished };
}

describe('printTurn', () => {
  it('counts the seconds of silence in the middle of an answer, below the block that is being drawn', async () => {
    const { screen, send, finished } = startTurn();
    await send({ type: 'step-start', step: 1, model: 'lab/seer' }, { type: 'text-delta', text: 'First\nli' });
    expect(screen.text()).toBe('First\nli');
    await vi.advanceTimersByTimeAsync(3000);
    expect(screen.text()).toBe('First\nli\nlab/seer … 3 s');
    await send({ type: 'text-delta', text: 'ne.\n\nSecond' });
    expect(screen.text()).toBe('First\nline.\n\nSecond');
    await vi.advanceTimersByTimeAsync(1000);
    expect(screen.text()).toBe('First\nline.\n\nSecond\nlab/seer … 1 s');
    await send({ type: 'turn-end', status: 'completed' });
    expect(await finished).toBe(0);
    expect(screen.text()).toBe('First\nline.\n\nSecond\n');
  });

  it('says on a line of its own, after what was drawn, that it is being stopped', async () => {
    const stop = new AbortController();
    const { screen, send, finished } = startTurn(stop.signal);
    await send({ type: 'step-start', step: 1, model: 'lab/seer' }, { type: 'text-delta', text: 'Half a li' });
    stop.abort();
    expect(screen.text()).toBe('Half a li\nStopping …\n');
    await send({ type: 'turn-end', status: 'stopped' });
    await finished;
    expect(screen.text()).toBe('Half a li\nStopping …\nInterrupted.\n');
  });
});
