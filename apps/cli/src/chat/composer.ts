import { toAppError } from '@fovea/core/base';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { chatTexts } from './chat-texts.ts';
import { completePath } from './complete-path.ts';
import type { Conversation } from './conversation.ts';
import type { EnteredMessage } from './message-queue.ts';

/** How many names Tab shows. */
const MOST_CHOICES = 40;
/** A longer text of one line is shown as a mark. */
const LONGEST_TYPED_TEXT = 2000;

/**
 * What the user puts together before Enter: the line, pasted texts, pictures. Some of it takes a
 * moment; keys that come meanwhile wait for it, so that everything happens in the order in which it
 * was typed.
 */
export class Composer {
  readonly #chat: Conversation;
  readonly #onChange: () => void;
  readonly #waiting: (() => void)[] = [];
  #isOccupied = false;

  constructor(chat: Conversation, onChange: () => void) {
    this.#chat = chat;
    this.#onChange = onChange;
  }

  /** Something takes a moment. */
  get isOccupied(): boolean {
    return this.#isOccupied;
  }

  /** Does it now, or after what is being done. */
  inOrder(act: () => void): void {
    if (this.#isOccupied) this.#waiting.push(act);
    else act();
  }

  /** Keeps everything that comes waiting until the work is done. Never throws. */
  async occupy(work: () => Promise<void>): Promise<void> {
    this.#isOccupied = true;
    try {
      await work();
    } catch (error) {
      // Whatever went wrong, the conversation is still there.
      this.#chat.voice.complainOf(toAppError(error));
    }
    this.#isOccupied = false;
    this.#onChange();
    while (!this.#isOccupied) {
      const act = this.#waiting.shift();
      if (act === undefined) break;
      act();
    }
  }

  /** Takes out what was put together; nothing where it is nothing. */
  takeMessage(): EnteredMessage | undefined {
    const { editor, draft } = this.#chat;
    const line = editor.take();
    if (line.trim() === '' && draft.attachments.length === 0) return undefined;
    return { line, attachments: draft.take() };
  }

  /** Puts a message back that was not sent. */
  putBack({ line, attachments }: EnteredMessage): void {
    const { editor, draft } = this.#chat;
    draft.putBack(attachments);
    editor.insert(line);
  }

  /** A paste is pictures when it names some; otherwise it is text for the line. */
  paste(text: string): void {
    const { pictures } = this.#chat;
    const paths = pictures.pathsIn(text);
    if (paths.length === 0) this.#pasteText(text);
    else {
      void this.occupy(async () => {
        for (const path of paths) await pictures.attach(path);
      });
    }
  }

  pasteFromClipboard(): void {
    void this.occupy(() => this.#chat.pictures.attachClipboard());
  }

  /** Completes the path before the cursor, or shows what it may be. */
  complete(): void {
    const { editor, workspace, voice, context } = this.#chat;
    void this.occupy(async () => {
      const [choices, typed] = await completePath(editor.text.slice(0, editor.cursor), workspace);
      const common = commonBeginning(choices);
      if (choices.length === 1 || common.length > typed.length) editor.replaceLeft(typed.length, common);
      else if (choices.length > 0) {
        const hidden = choices.length - MOST_CHOICES;
        const rest = hidden > 0 ? [chatTexts(context.locale).moreChoices(hidden)] : [];
        voice.say([...choices.slice(0, MOST_CHOICES), ...rest].join('  '), 'dim');
      }
    });
  }

  #pasteText(text: string): void {
    const { draft, editor, context } = this.#chat;
    const whole = text.replace(/\r\n?/g, '\n');
    const lines = whole.split('\n');
    if (lines.length === 1 && whole.length <= LONGEST_TYPED_TEXT) editor.insert(sanitizeForTerminal(whole));
    else editor.insert(draft.keepPastedText(context.texts.chatPastedText(lines.length), whole));
  }
}

function commonBeginning(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}
