import { describe, expect, it } from 'vitest';
import type { Message } from '../content/messages.ts';
import { deepFreeze, makeAssistantMessage, makeUserMessage } from '../testing/make-transcript.ts';
import { findChanges } from './find-changes.ts';

const DAY_ONE = '2026-11-30T23:59:59.000Z';
const DAY_TWO = '2026-12-01T00:00:01.000Z';

function asked(turn: string, createdAt = DAY_ONE): Message {
  return { ...makeUserMessage(`u_${turn}`, 'go on', { turnId: turn }), createdAt };
}

function answered(turn: string, model: string): Message {
  return { ...makeAssistantMessage(`a_${turn}`, ['ok'], { turnId: turn }), model };
}

describe('findChanges', () => {
  it('finds nothing while the day and the model stay', () => {
    const messages = [asked('t1'), answered('t1', 'lab/seer'), asked('t2')];
    expect(findChanges(messages, { turnId: 't2', model: 'lab/seer' }).size).toBe(0);
  });

  it('finds a new day where the first message of that day stands', () => {
    const messages = [asked('t1'), answered('t1', 'lab/seer'), asked('t2', DAY_TWO), asked('t3', DAY_TWO)];
    expect([...findChanges(messages, { turnId: 't3', model: 'lab/seer' })]).toEqual([['u_t2', { date: '2026-12-01' }]]);
  });

  it('finds another model in the running turn, and the same once it has answered', () => {
    const running = [asked('t1'), answered('t1', 'lab/seer'), asked('t2')];
    const expected = [['u_t2', { model: 'lab/blind' }]];
    expect([...findChanges(running, { turnId: 't2', model: 'lab/blind' })]).toEqual(expected);
    const later = deepFreeze([...running, answered('t2', 'lab/blind'), asked('t3')]);
    expect([...findChanges(later, { turnId: 't3', model: 'lab/blind' })]).toEqual(expected);
    expect([...findChanges(later, { turnId: 't3', model: 'lab/seer' })]).toEqual([
      ...expected,
      ['u_t3', { model: 'lab/seer' }],
    ]);
  });

  it('says nothing of who would have answered a turn that nobody answered', () => {
    const messages = [asked('t1'), answered('t1', 'lab/seer'), asked('t2'), asked('t3')];
    expect([...findChanges(messages, { turnId: 't3', model: 'lab/blind' })]).toEqual([
      ['u_t3', { model: 'lab/blind' }],
    ]);
  });
});
