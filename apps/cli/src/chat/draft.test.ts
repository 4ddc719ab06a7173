import { describe, expect, it } from 'vitest';
import { Draft } from './draft.ts';
import { MessageQueue } from './message-queue.ts';

describe('Draft', () => {
  it('puts every pasted text in the place of its mark, also in a line that is called back', () => {
    const draft = new Draft();
    const first = draft.keepPastedText('[2 lines]', 'a\n[2 lines]#2 $&');
    const second = draft.keepPastedText('[2 lines]', 'c\nd');
    expect([first, second]).toEqual(['[2 lines]', '[2 lines]#2']);
    expect(draft.keepPastedText('[2 lines]', 'c\nd')).toBe(second);
    for (let count = 0; count < 2; count += 1) {
      expect(draft.expand(`x ${first} y ${second}`)).toBe('x a\n[2 lines]#2 $& y c\nd');
    }
  });
});

describe('MessageQueue', () => {
  it('gives nothing while paused, and is not paused any more when it was emptied', () => {
    const queue = new MessageQueue();
    queue.add({ line: 'one', attachments: [] });
    queue.pause();
    expect(queue.takeNext()).toBeUndefined();
    for (const message of queue.messages) queue.removeMessage(message);
    queue.add({ line: 'two', attachments: [] });
    queue.putFirst({ line: 'first', attachments: [] });
    expect(queue.takeNext()?.line).toBe('first');
  });
});
