import type { AttachedFile } from './attach-file.ts';

/** What the next message will hold besides the line that is being typed. */
export class Draft {
  #attachments: AttachedFile[] = [];
  readonly #pastedTexts = new Map<string, string>();

  get attachments(): readonly AttachedFile[] {
    return this.#attachments;
  }

  attach(file: AttachedFile): void {
    this.#attachments.push(file);
  }

  /** The attached picture that came from the same place, if there is one. */
  findAttached(source: string): AttachedFile | undefined {
    return this.#attachments.find((file) => file.source === source);
  }

  /** Takes picture number `position` away, counted from 1, or all of them. Returns what was taken: nothing where there is no such number. */
  detach(position?: number): readonly AttachedFile[] {
    const start = position === undefined ? 0 : position - 1;
    return this.#attachments.splice(start, position === undefined ? this.#attachments.length : 1);
  }

  /** Keeps a pasted text of several lines; the line editor shows the mark instead. */
  keepPastedText(mark: string, text: string): string {
    let unique = mark;
    for (let count = 2; this.#pastedTexts.has(unique); count += 1) unique = `${mark}#${count}`;
    this.#pastedTexts.set(unique, text);
    return unique;
  }

  /** The typed line with every mark replaced by the text that it stands for. */
  expand(line: string): string {
    let text = line;
    for (const [mark, pasted] of this.#pastedTexts) text = text.replaceAll(mark, () => pasted);
    return text;
  }

  /** After the message was accepted. */
  clear(): void {
    this.#attachments = [];
    this.#pastedTexts.clear();
  }
}
