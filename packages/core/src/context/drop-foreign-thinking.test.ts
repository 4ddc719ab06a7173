import { describe, expect, it } from 'vitest';
import type { AssistantMessage } from '../content/messages.ts';
import type { AssistantPart } from '../content/parts.ts';
import { deepFreeze, makeAssistantMessage, makeCall, makeUserMessage } from '../testing/make-transcript.ts';
import { dropForeignThinking } from './drop-foreign-thinking.ts';

const thought: AssistantPart = { type: 'thinking', text: 'It may be red.', signature: 'sig-1' };
const opaque: AssistantPart = { type: 'thinking', text: '', opaque: '{"id":"rs_1","encrypted_content":"x"}' };

function answer(id: string, endpointId: string | undefined, parts: readonly (AssistantPart | string)[]) {
  const message = makeAssistantMessage(id, parts);
  return endpointId === undefined ? message : ({ ...message, endpointId } satisfies AssistantMessage);
}

describe('dropForeignThinking', () => {
  it('leaves own thinking as it is, signature and opaque data included, in every turn', () => {
    const messages = deepFreeze([
      answer('a1', 'messages seer', [thought, opaque, 'Red.']),
      makeUserMessage('u2', 'sure?', { turnId: 'turn_2' }),
      answer('a2', 'messages seer', [thought, makeCall('c1')]),
    ]);
    const kept = dropForeignThinking(messages, 'messages seer');
    expect(kept).toEqual(messages);
    expect(kept.every((message, index) => message === messages[index])).toBe(true);
  });

  it('drops every thought of another endpoint or model, and nothing else of its answer', () => {
    const messages = deepFreeze([answer('a1', 'messages other', [thought, 'Red.', opaque, makeCall('c1')])]);
    const [kept] = dropForeignThinking(messages, 'messages seer');
    expect(kept).toEqual(answer('a1', 'messages other', ['Red.', makeCall('c1')]));
  });

  it('drops the thinking of an answer that does not say whose it is', () => {
    const [kept] = dropForeignThinking([answer('a1', undefined, [thought, 'Red.'])], 'messages seer');
    expect(kept).toMatchObject({ parts: [{ type: 'text', text: 'Red.' }] });
  });
});
