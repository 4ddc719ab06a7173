import { describe, expect, it } from 'vitest';
import { makeAssistantMessage, makeToolMessage, makeUserMessage } from '../testing/make-transcript.ts';
import type { AssistantMessage, Message, ToolMessage } from './messages.ts';
import { nameOldResults } from './name-old-results.ts';

function answer(id: string, calls: readonly (readonly [id: string, name: string])[]): AssistantMessage {
  const parts = calls.map(([toolCallId, name]) => ({ type: 'tool-call', toolCallId, name, arguments: '{}' }) as const);
  return { ...makeAssistantMessage(id, []), parts };
}

function result(id: string, toolCallId = '', toolName = ''): ToolMessage {
  return { ...makeToolMessage(toolCallId, 'done'), id, toolName };
}

const namesOf = (messages: readonly Message[]) =>
  nameOldResults(messages).flatMap((message) =>
    message.role === 'tool' ? [[message.id, message.toolCallId, message.toolName]] : [],
  );

describe('nameOldResults', () => {
  it('gives results without an id to the calls before them, in their order, and beside those that have one', () => {
    const calls = answer('a1', [
      ['c1', 'one'],
      ['c2', 'two'],
      ['c3', 'three'],
    ]);
    expect(namesOf([calls, result('t1'), result('t2', 'c1'), result('t3')])).toEqual([
      ['t1', 'c2', 'two'],
      ['t2', 'c1', 'one'],
      ['t3', 'c3', 'three'],
    ]);
  });

  it('begins anew with each group', () => {
    const first = answer('a1', [['c1', 'one']]);
    const second = answer('a2', [['c2', 'two']]);
    expect(namesOf([first, result('t1'), second, result('t2'), makeUserMessage('u', ''), result('t3')])).toEqual([
      ['t1', 'c1', 'one'],
      ['t2', 'c2', 'two'],
      ['t3', '', ''],
    ]);
  });

  it('leaves a result for which no call is left', () => {
    expect(namesOf([answer('a1', [['c1', 'one']]), result('t1'), result('t2')])).toEqual([
      ['t1', 'c1', 'one'],
      ['t2', '', ''],
    ]);
  });

  it('shares a transcript of which every result says what it answers', () => {
    const messages = [answer('a1', [['c1', 'one']]), result('t1', 'c1', 'one')];
    expect(nameOldResults(messages)).toBe(messages);
  });
});
