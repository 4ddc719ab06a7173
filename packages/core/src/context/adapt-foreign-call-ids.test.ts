import { describe, expect, it } from 'vitest';
import type { Message } from '../content/messages.ts';
import { deepFreeze, makeAssistantMessage, makeCall, makeToolMessage } from '../testing/make-transcript.ts';
import { adaptForeignCallIds } from './adapt-foreign-call-ids.ts';

const long = `call_${'x'.repeat(500)}`;
const illegal = [long, `${long}y`, 'functions.view_image:0', 'functions_view_image:0', 'вызов_1', 'a\nb', ' '];

function transcript(endpointId: string | undefined): readonly Message[] {
  const calls = [...illegal, 'call_1'].map((id) => makeCall(id));
  const answer = makeAssistantMessage('a1', ['Looking.', ...calls]);
  return deepFreeze([
    endpointId === undefined ? answer : { ...answer, endpointId },
    ...[...illegal, 'call_1'].map((id) => makeToolMessage(id, 'ok')),
  ]);
}

function idsOf(messages: readonly Message[]): {
  readonly calls: readonly string[];
  readonly results: readonly string[];
} {
  return {
    calls: messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [],
    ),
    results: messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  };
}

describe('adaptForeignCallIds', () => {
  it.each(['messages other', undefined])('makes the ids of %s legal, each another, always the same', (endpointId) => {
    const { calls, results } = idsOf(adaptForeignCallIds(transcript(endpointId), 'chat seer'));
    expect(results).toEqual(calls);
    for (const id of calls) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls.at(-1)).toBe('call_1');
    expect(idsOf(adaptForeignCallIds(transcript(endpointId), 'responses seer')).calls).toEqual(calls);
  });

  it('leaves ids that the endpoint gave itself as they are', () => {
    const messages = transcript('chat seer');
    const kept = adaptForeignCallIds(messages, 'chat seer');
    expect(kept.every((message, index) => message === messages[index])).toBe(true);
  });
});
