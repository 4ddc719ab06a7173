import type { ApprovalDecision } from '@fovea/core/agent';
import type { ApprovalRequestEvent } from '@fovea/core/content';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineEditor } from './line-editor.ts';
import { RunningTurn } from './running-turn.ts';

const request: ApprovalRequestEvent = {
  type: 'approval-request',
  toolCallId: 'call_1',
  name: 'run_command',
  arguments: '{}',
  demand: 'execute',
  target: 'rm -r build',
  isAfterForeignPicture: false,
};

const PAUSE_BETWEEN_KEYS_MS = 120;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A turn that asks, when its keys are shown; keys that the question does not take go to the line. */
async function ask() {
  const editor = new LineEditor();
  const running = new RunningTurn({ editor, locale: 'en', prompt: () => '', isPlain: false });
  const decisions: ApprovalDecision[] = [];
  void running.approver.decide(request, running.signal).then((decision) => decisions.push(decision));
  await vi.advanceTimersByTimeAsync(600);
  const type = async (text: string) => {
    for (const key of text) {
      if (!running.takeKey(key)) editor.press(key);
      await vi.advanceTimersByTimeAsync(PAUSE_BETWEEN_KEYS_MS);
    }
    await vi.advanceTimersByTimeAsync(10_000);
  };
  return { editor, decisions, type };
}

describe('RunningTurn, while it asks', () => {
  it.each(['yes', 'wait', 'hey', 'always', 'no, stop', '/steer and', 'aa'])(
    'takes %j for a message, however slowly it is typed',
    async (text) => {
      const { editor, decisions, type } = await ask();
      await type(text);
      expect(decisions).toEqual([]);
      expect(editor.text).toBe(text);
    },
  );

  it.each<[string, ApprovalDecision]>([
    ['y', { decision: 'allow' }],
    ['Y', { decision: 'allow' }],
    ['y\r', { decision: 'allow' }],
    ['a', { decision: 'allow', remember: 'session' }],
  ])('decides by a key that stands alone: %j', async (text, decision) => {
    const { editor, decisions, type } = await ask();
    await type(text);
    expect(decisions).toEqual([decision]);
    expect(editor.text).toBe('');
  });

  it('counts keys again when the message is finished', async () => {
    const { editor, decisions, type } = await ask();
    await type('\rx');
    expect(editor.text).toBe('x');
    await type('\u0015');
    await type('y');
    expect(decisions).toEqual([{ decision: 'allow' }]);
  });
});
