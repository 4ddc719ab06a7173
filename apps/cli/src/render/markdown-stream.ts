import { lexer } from 'marked';
import stringWidth from 'string-width';
import { columnsOf, LiveRows, type RowCursor, splitRows } from './live-rows.ts';
import { renderMarkdown } from './render-markdown.ts';
import { sanitizeForTerminal } from './sanitize.ts';
import type { Screen } from './screen.ts';

/** A longer block is not laid out before it is finished. */
const LONGEST_LIVE_BLOCK = 4096;
/** A longer block is printed as it is written: laying it out would take too long. */
const LONGEST_BLOCK = 8192;
/** How much text may come before finished blocks are looked for. */
const PIECE = 2048;
const REFRESH_MS = 40;
/** At most a tenth of the time goes into drawing, whatever the text does to the parser. */
const REST_FACTOR = 9;

/**
 * Draws Markdown while it arrives. Finished blocks are printed once; the block that is still being
 * written is drawn again from time to time; of one that does not fit on the screen the end.
 *
 * The work is linear in the text: blocks have a largest size, and drawing has a share of the time.
 * A model can write text that a Markdown parser chews on for minutes, and Ctrl+C must work then too.
 */
export class MarkdownStream {
  readonly #screen: Screen;
  readonly #live: LiveRows;
  readonly #hasColors: boolean;
  #pending = '';
  #unsettledLength = 0;
  #nextRefreshMs = 0;
  #refreshTimer: NodeJS.Timeout | undefined;
  /** Set while a block that is too long is printed as it is written; holds the mark that ends it. */
  #plainUntil: string | undefined;
  /** The block that is being written, as rows. */
  #block: readonly string[] = [];
  #status: { readonly row: string; readonly column: number } | undefined;
  #hasPrinted = false;

  constructor(screen: Screen, options: { readonly hasColors: boolean }) {
    this.#screen = screen;
    this.#live = new LiveRows(screen);
    this.#hasColors = options.hasColors;
  }

  write(text: string): void {
    const clean = sanitizeForTerminal(text);
    for (let start = 0; start < clean.length; start += PIECE) {
      this.#pending += clean.slice(start, start + PIECE);
      this.#unsettledLength += Math.min(PIECE, clean.length - start);
      if (this.#unsettledLength < PIECE) continue;
      this.#settle();
      this.#draw();
    }
    if (performance.now() >= this.#nextRefreshMs) this.#refresh();
    else this.#refreshTimer ??= setTimeout(() => this.#refresh(), REFRESH_MS).unref();
  }

  /** Prints what is left. Afterwards the cursor stands at the start of a line. */
  end(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#status = undefined;
    this.#settle();
    if (this.#plainUntil === undefined) this.#print(this.#pending);
    else if (this.#pending.trim() !== '') this.#writeAbove(`${this.#pending.trimEnd()}\n`);
    this.#pending = '';
    this.#plainUntil = undefined;
    this.#hasPrinted = false;
    this.#live.erase();
  }

  /**
   * Draws one row below what has been written so far, in the place of the former one; it stays there
   * while the answer goes on. With a column the cursor stands there, else at its end.
   */
  showStatus(row: string, column?: number): void {
    this.#status = { row, column: column ?? stringWidth(row) };
    this.#draw();
  }

  hideStatus(): void {
    this.#status = undefined;
    this.#draw();
  }

  /** Prints lines of another kind above the block that is being written, which goes on after them. */
  insert(lines: string): void {
    this.#writeAbove(lines);
    this.#block = this.#layOutPending();
    this.#draw();
  }

  #refresh(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    const startMs = performance.now();
    this.#settle();
    this.#block = this.#layOutPending();
    this.#draw();
    const endMs = performance.now();
    this.#nextRefreshMs = endMs + Math.max(REFRESH_MS, (endMs - startMs) * REST_FACTOR);
  }

  /** Prints what is finished and forgets it. */
  #settle(): void {
    this.#unsettledLength = 0;
    if (this.#plainUntil !== undefined) this.#continuePlainly(this.#plainUntil);
    if (this.#plainUntil !== undefined) return;
    this.#print(this.#takeFinishedBlocks());
    if (this.#pending.length > LONGEST_BLOCK) this.#beginPlainly();
  }

  #beginPlainly(): void {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.#pending)?.[1];
    this.#plainUntil = fence === undefined ? '\n\n' : `\n${fence}`;
    if (this.#hasPrinted) this.#writeAbove('\n');
    this.#hasPrinted = true;
    this.#continuePlainly(this.#plainUntil);
  }

  /** Only whole lines, so that the next row is free; one without an end is broken somewhere. */
  #continuePlainly(until: string): void {
    const end = this.#pending.indexOf(until);
    if (end !== -1) {
      const length = end + until.length;
      this.#writeAbove(`${this.#pending.slice(0, length).trimEnd()}\n`);
      this.#pending = this.#pending.slice(length);
      this.#plainUntil = undefined;
      return;
    }
    // The end mark may stand on the border of two pieces.
    const length = this.#pending.length - until.length;
    const lines = this.#pending.lastIndexOf('\n', length - 1) + 1;
    if (lines > 0) {
      this.#writeAbove(this.#pending.slice(0, lines));
      this.#pending = this.#pending.slice(lines);
    } else if (this.#pending.length > LONGEST_BLOCK) {
      const cut = this.#pending.lastIndexOf(' ', length) + 1 || length;
      this.#writeAbove(`${this.#pending.slice(0, cut)}\n`);
      this.#pending = this.#pending.slice(cut);
    }
  }

  /** All blocks but the last, which may still grow. */
  #takeFinishedBlocks(): string {
    const tokens = readBlocks(this.#pending);
    const last = tokens.findLastIndex((token) => token.type !== 'space');
    const finished = tokens
      .slice(0, Math.max(0, last))
      .map((token) => token.raw)
      .join('');
    // marked normalises some of what it reads (tabs, for one): take nothing where the lengths would not agree.
    if (!this.#pending.startsWith(finished)) return '';
    this.#pending = this.#pending.slice(finished.length);
    return finished;
  }

  #print(markdown: string): void {
    const rendered = this.#render(markdown);
    if (rendered === '') return;
    this.#writeAbove(`${this.#hasPrinted ? '\n' : ''}${rendered}\n`);
    this.#hasPrinted = true;
  }

  /** Writes for good what stands above the rows that are drawn again. */
  #writeAbove(text: string): void {
    this.#live.erase();
    this.#block = [];
    this.#screen.write(text);
  }

  #layOutPending(): readonly string[] {
    if (this.#plainUntil !== undefined) return [];
    const isLaidOut = this.#pending.length <= LONGEST_LIVE_BLOCK;
    const rendered = isLaidOut ? this.#render(this.#pending) : this.#pending.trimEnd();
    if (rendered === '') return [];
    return [...(this.#hasPrinted ? [''] : []), ...splitRows(rendered, columnsOf(this.#screen) - 1)];
  }

  #draw(): void {
    // One row is for the status. What has scrolled out could not be drawn again: of a longer block its end is shown.
    const block = this.#block.slice(-Math.max(1, (this.#screen.rows ?? 24) - 1));
    const status = this.#status === undefined ? [] : [this.#status.row];
    const cursor: RowCursor | undefined =
      this.#status === undefined ? undefined : { row: block.length, column: this.#status.column };
    this.#live.draw([...block, ...status], cursor);
  }

  #render(markdown: string): string {
    if (markdown.trim() === '') return '';
    const widthColumns = Math.max(20, columnsOf(this.#screen) - 1);
    try {
      return renderMarkdown(markdown, { widthColumns, hasColors: this.#hasColors });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return markdown.trimEnd();
    }
  }
}

/** The blocks of a text; none where it is nested too deeply to be read. */
function readBlocks(markdown: string): readonly { readonly type: string; readonly raw: string }[] {
  try {
    return lexer(markdown);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
}
