import { describe, expect, it } from 'vitest';
import type { Message } from '../content/messages.ts';
import {
  deepFreeze,
  makeAssistantMessage,
  makeCall,
  makeToolMessage,
  makeUserMessage,
} from '../testing/make-transcript.ts';
import { closeOpenToolCalls } from './close-open-tool-calls.ts';

const question = makeUserMessage('u1', 'what is in them?');

/** The transcript's shape in one line a message. */
function outline(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === 'user') return `user ${message.content}`;
    if (message.role === 'tool') return `tool ${message.toolCallId} ${message.content.split(':')[0] ?? ''}`;
    const parts = message.parts.map((part) => (part.type === 'tool-call' ? part.toolCallId : part.type));
    return `assistant ${parts.join(' ')}`;
  });
}

describe('closeOpenToolCalls', () => {
  it('puts answers into call order, whatever order they were stored in', () => {
    const transcript = deepFreeze([
      question,
      makeAssistantMessage('a1', [makeCall('c1'), makeCall('c2'), makeCall('c3')]),
      makeToolMessage('c3', 'third'),
      makeToolMessage('c1', 'first'),
      makeToolMessage('c2', 'second'),
    ]);
    const { messages, notices } = closeOpenToolCalls(transcript, 'en');
    expect(outline(messages)).toEqual([
      'user what is in them?',
      'assistant c1 c2 c3',
      'tool c1 first',
      'tool c2 second',
      'tool c3 third',
    ]);
    expect(notices).toEqual([]);
  });

  it('finds an answer behind messages that another process wrote', () => {
    const transcript = [
      question,
      makeAssistantMessage('a1', [makeCall('c1')]),
      makeUserMessage('u2', 'meanwhile', { turnId: 'turn_2' }),
      makeAssistantMessage('a2', [makeCall('d1')], { turnId: 'turn_2' }),
      makeToolMessage('c1', 'of the first'),
      makeToolMessage('d1', 'of the second', { turnId: 'turn_2' }),
    ];
    expect(outline(closeOpenToolCalls(transcript, 'en').messages)).toEqual([
      'user what is in them?',
      'assistant c1',
      'tool c1 of the first',
      'user meanwhile',
      'assistant d1',
      'tool d1 of the second',
    ]);
  });

  it('answers a call without a result, in the language of the session', () => {
    const transcript = deepFreeze([
      question,
      makeAssistantMessage('a1', [makeCall('c1'), makeCall('c2')]),
      makeToolMessage('c1', 'done'),
      makeUserMessage('u2', 'go on', { turnId: 'turn_2' }),
    ]);
    const { messages, notices } = closeOpenToolCalls(transcript, 'en');
    expect(outline(messages)).toEqual([
      'user what is in them?',
      'assistant c1 c2',
      'tool c1 done',
      'tool c2 Interrupted',
      'user go on',
    ]);
    expect(messages[3]).toMatchObject({ isError: true, toolName: 'view_image', metadata: { attachments: [] } });
    expect(notices).toEqual([{ kind: 'answer-added', toolCallId: 'c2', toolName: 'view_image' }]);
    expect(outline(closeOpenToolCalls(transcript, 'zh-CN').messages)[3]).toBe('tool c2 已中断');
  });

  it('says cancelled for the open calls of an answer that the user stopped', () => {
    const transcript = [makeAssistantMessage('a1', ['Let me see', makeCall('c1')], { status: 'interrupted' })];
    expect(outline(closeOpenToolCalls(transcript, 'en').messages)).toEqual(['assistant text c1', 'tool c1 Cancelled']);
  });

  it('drops and reports a result without a call, and a second result of one call', () => {
    const transcript = [
      question,
      makeToolMessage('c0', 'nobody asked'),
      makeAssistantMessage('a1', [makeCall('c1')]),
      makeToolMessage('c1', 'first'),
      makeToolMessage('c1', 'again'),
      makeUserMessage('u2', 'next'),
    ];
    const { messages, notices } = closeOpenToolCalls(transcript, 'en');
    expect(outline(messages)).toEqual(['user what is in them?', 'assistant c1', 'tool c1 first', 'user next']);
    expect(notices).toEqual([
      { kind: 'result-dropped', toolCallId: 'c0', toolName: 'view_image' },
      { kind: 'result-dropped', toolCallId: 'c1', toolName: 'view_image' },
    ]);
  });

  it('gives calls that share an id different ones, and each its own result', () => {
    const transcript = deepFreeze([
      question,
      makeAssistantMessage('a1', [makeCall('call_0'), makeCall('call_0'), makeCall('')]),
      makeToolMessage('call_0', 'one'),
      makeToolMessage('call_0', 'two'),
      makeToolMessage('', 'three'),
      makeAssistantMessage('a2', [makeCall('call_0')]),
      makeToolMessage('call_0', 'four'),
    ]);
    const { messages } = closeOpenToolCalls(transcript, 'en');
    expect(outline(messages)).toEqual([
      'user what is in them?',
      'assistant call_0 call_0_2 call',
      'tool call_0 one',
      'tool call_0_2 two',
      'tool call three',
      'assistant call_0_3',
      'tool call_0_3 four',
    ]);
  });

  it('gives a result to the later of two calls that share an id when the earlier was interrupted', () => {
    const transcript = [
      makeAssistantMessage('a1', [makeCall('call_0')]),
      makeUserMessage('u2', 'again', { turnId: 'turn_2' }),
      makeAssistantMessage('a2', [makeCall('call_0')], { turnId: 'turn_2' }),
      makeToolMessage('call_0', 'mine', { turnId: 'turn_2' }),
    ];
    expect(outline(closeOpenToolCalls(transcript, 'en').messages)).toEqual([
      'assistant call_0',
      'tool call_0 Interrupted',
      'user again',
      'assistant call_0_2',
      'tool call_0_2 mine',
    ]);
  });

  it('gives each of two turns that ran at once its own result of a shared id', () => {
    const transcript = [
      makeAssistantMessage('a1', [makeCall('call_0')]),
      makeAssistantMessage('b1', [makeCall('call_0')], { turnId: 'turn_2' }),
      makeToolMessage('call_0', 'of the first'),
      makeToolMessage('call_0', 'of the second', { turnId: 'turn_2' }),
    ];
    expect(outline(closeOpenToolCalls(transcript, 'en').messages)).toEqual([
      'assistant call_0',
      'tool call_0 of the first',
      'assistant call_0_2',
      'tool call_0_2 of the second',
    ]);
  });

  it('gives a result to the latest call of its turn when an earlier one with that id stayed open', () => {
    const transcript = [
      makeAssistantMessage('a1', [makeCall('call_0')]),
      makeAssistantMessage('a2', [makeCall('call_0')]),
      makeToolMessage('call_0', 'of the latest'),
    ];
    expect(outline(closeOpenToolCalls(transcript, 'en').messages)).toEqual([
      'assistant call_0',
      'tool call_0 Interrupted',
      'assistant call_0_2',
      'tool call_0_2 of the latest',
    ]);
  });

  it('leaves out an answer that holds neither words nor calls, and keeps the words of a stopped one', () => {
    const transcript = [
      question,
      makeAssistantMessage('a1', [], { status: 'interrupted' }),
      makeAssistantMessage('a2', [{ type: 'thinking', text: 'hm' }], { status: 'interrupted' }),
      makeAssistantMessage('a3', [{ type: 'thinking', text: 'hm', signature: 's' }, 'It shows a'], {
        status: 'interrupted',
      }),
      makeUserMessage('u2', 'go on'),
    ];
    const { messages } = closeOpenToolCalls(transcript, 'en');
    expect(messages).toEqual([question, transcript[3], transcript[4]]);
  });

  it('keeps the earlier messages of a longer transcript as they were', () => {
    const transcript = [
      question,
      makeAssistantMessage('a1', [makeCall('c1'), makeCall('c1')]),
      makeToolMessage('c1', 'one'),
      makeUserMessage('u2', 'next', { turnId: 'turn_2' }),
      makeAssistantMessage('a2', [makeCall('c1')], { turnId: 'turn_2' }),
      makeToolMessage('c1', 'two', { turnId: 'turn_2' }),
    ];
    const shorter = closeOpenToolCalls(transcript.slice(0, 4), 'en').messages;
    const longer = closeOpenToolCalls(transcript, 'en').messages;
    expect(longer.slice(0, shorter.length)).toEqual(shorter);
  });
});
