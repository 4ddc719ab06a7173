import type { AttachedFile } from './attach-file.ts';

/** One message as it was entered, or a line that speaks to the chat itself. */
export interface EnteredMessage {
  readonly line: string;
  readonly attachments: readonly AttachedFile[];
}

/** A message in one line: its pictures, then what was typed. */
export function describeMessage({ line, attachments }: EnteredMessage): string {
  return `${attachments.map(({ path }) => `[${path}] `).join('')}${line}`;
}

/**
 * Lines that are kept in this process because the session's queue cannot hold them: commands, what
 * was entered behind one, and messages that were refused. A pause keeps them until the user goes on.
 */
export class MessageQueue {
  #messages: EnteredMessage[] = [];
  #isPaused = false;

  get count(): number {
    return this.#messages.length;
  }

  get messages(): readonly EnteredMessage[] {
    return this.#messages;
  }

  add(message: EnteredMessage): void {
    this.#messages.push(message);
  }

  /** For what was not sent after all. */
  putFirst(message: EnteredMessage): void {
    this.#messages.unshift(message);
  }

  /** After a turn that did not end well: what waits may not fit any more. */
  pause(): void {
    this.#isPaused = this.#messages.length > 0;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** The next one that is to be sent; absent while paused. */
  takeNext(): EnteredMessage | undefined {
    return this.#isPaused ? undefined : this.#messages.shift();
  }

  removeMessage(message: EnteredMessage): void {
    this.#messages = this.#messages.filter((one) => one !== message);
    this.#endEmptyPause();
  }

  #endEmptyPause(): void {
    if (this.#messages.length === 0) this.#isPaused = false;
  }
}
