import type { AttachedFile } from './attach-file.ts';

/** What the next message will hold besides the line that is being typed, and the texts that were pasted. */
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

  /** Takes all pictures out, for the message that is sent with them. */
  take(): readonly AttachedFile[] {
    return this.detach();
  }

  /** Puts pictures back, before those that have come since. */
  putBack(files: readonly AttachedFile[]): void {
    const known = new Set(files.map((file) => file.source));
    this.#attachments = [...files, ...this.#attachments.filter((file) => !known.has(file.source))];
  }

  /** Keeps a pasted text of several lines; the line shows the mark instead. */
  keepPastedText(mark: string, text: string): string {
    let unique = mark;
    for (let count = 2; this.#pastedTexts.has(unique); count += 1) {
      if (this.#pastedTexts.get(unique) === text) return unique;
      unique = `${mark}#${count}`;
    }
    this.#pastedTexts.set(unique, text);
    return unique;
  }

  /** The typed line with every mark replaced by the text that it stands for, also in a line that was called back. */
  expand(line: string): string {
    const marks = [...this.#pastedTexts.keys()].filter((mark) => line.includes(mark));
    if (marks.length === 0) return line;
    // The longer mark first: one may be the beginning of another. One pass: a pasted text is no line.
    const pattern = marks.sort((one, other) => other.length - one.length).map(escapePattern);
    return line.replace(new RegExp(pattern.join('|'), 'g'), (mark) => this.#pastedTexts.get(mark) ?? mark);
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
