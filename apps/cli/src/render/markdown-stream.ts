import { lexer } from 'marked';
import stringWidth from 'string-width';
import { cutToWidth } from './cut-to-width.ts';
import { renderMarkdown } from './render-markdown.ts';
import { sanitizeForTerminal } from './sanitize.ts';

/** The terminal that a stream is drawn on. */
export interface Screen {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

/** A longer block is not drawn before it is finished. */
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
 * written is drawn again from time to time, as long as it fits on the screen (what has scrolled out
 * cannot be redrawn: a longer block waits until it is finished).
 *
 * The work is linear in the text: blocks have a largest size, and drawing has a share of the time.
 * A model can write text that a Markdown parser chews on for minutes, and Ctrl+C must work then too.
 */
export class MarkdownStream {
  readonly #screen: Screen;
  readonly #hasColors: boolean;
  #pending = '';
  #unsettledLength = 0;
  #nextRefreshMs = 0;
  #refreshTimer: NodeJS.Timeout | undefined;
  /** Set while a block that is too long is printed as it is written; holds the mark that ends it. */
  #plainUntil: string | undefined;
  /** Rows between the cursor and the start of the block that is drawn provisionally. */
  #rowsAbove: number | undefined;
  #hasPrinted = false;
  #hasStatus = false;

  constructor(screen: Screen, options: { readonly hasColors: boolean }) {
    this.#screen = screen;
    this.#hasColors = options.hasColors;
  }

  write(text: string): void {
    this.hideStatus();
    const clean = sanitizeForTerminal(text);
    for (let start = 0; start < clean.length; start += PIECE) {
      this.#pending += clean.slice(start, start + PIECE);
      this.#unsettledLength += Math.min(PIECE, clean.length - start);
      if (this.#unsettledLength >= PIECE) this.#settle();
    }
    if (performance.now() >= this.#nextRefreshMs) this.#refresh();
    else this.#refreshTimer ??= setTimeout(() => this.#refresh(), REFRESH_MS).unref();
  }

  /** Prints what is left. Afterwards the cursor stands at the start of a line. */
  end(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    this.#settle();
    if (this.#plainUntil === undefined) this.#print(this.#pending);
    else this.#screen.write(`${this.#pending}\n`);
    this.#pending = '';
    this.#plainUntil = undefined;
    this.#hasPrinted = false;
  }

  #refresh(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = undefined;
    const startMs = performance.now();
    this.#settle();
    this.#drawPending();
    const endMs = performance.now();
    this.#nextRefreshMs = endMs + Math.max(REFRESH_MS, (endMs - startMs) * REST_FACTOR);
  }

  /** Prints what is finished and forgets it. */
  #settle(): void {
    this.#unsettledLength = 0;
    this.#erase();
    if (this.#plainUntil !== undefined) this.#continuePlainly(this.#plainUntil);
    if (this.#plainUntil !== undefined) return;
    this.#print(this.#takeFinishedBlocks());
    if (this.#pending.length > LONGEST_BLOCK) this.#beginPlainly();
  }

  #beginPlainly(): void {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(this.#pending)?.[1];
    this.#plainUntil = fence === undefined ? '\n\n' : `\n${fence}`;
    this.#screen.write(this.#gap());
    this.#hasPrinted = true;
    this.#continuePlainly(this.#plainUntil);
  }

  #continuePlainly(until: string): void {
    const end = this.#pending.indexOf(until);
    if (end !== -1) {
      const length = end + until.length;
      this.#screen.write(`${this.#pending.slice(0, length).trimEnd()}\n`);
      this.#pending = this.#pending.slice(length);
      this.#plainUntil = undefined;
      return;
    }
    // The end mark may stand on the border of two pieces.
    const length = Math.max(0, this.#pending.length - until.length);
    this.#screen.write(this.#pending.slice(0, length));
    this.#pending = this.#pending.slice(length);
  }

  /** Draws one line below what has been written so far, or draws it anew; the next text takes it away. */
  showStatus(text: string, style: (line: string) => string = (line) => line): void {
    this.hideStatus();
    // The cursor stands somewhere in a line then, and could not return there.
    if (this.#plainUntil !== undefined) return;
    const line = style(cutToWidth(sanitizeForTerminal(text), (this.#screen.columns ?? 80) - 1));
    this.#screen.write(`${this.#rowsAbove === undefined ? '' : '\n'}${line}`);
    this.#hasStatus = true;
  }

  /** The cursor returns to the last row of the block that is being drawn; its column does not matter there. */
  hideStatus(): void {
    if (!this.#hasStatus) return;
    this.#hasStatus = false;
    this.#screen.write(this.#rowsAbove === undefined ? '\r\u001b[J' : '\r\u001b[J\u001b[1A');
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
    this.#screen.write(`${this.#gap()}${rendered}\n`);
    this.#hasPrinted = true;
  }

  #drawPending(): void {
    if (this.#plainUntil !== undefined || this.#pending.length > LONGEST_LIVE_BLOCK) return;
    const rendered = this.#render(this.#pending);
    if (rendered === '') return;
    const text = `${this.#gap()}${rendered}`;
    const rows = this.#countRows(text);
    if (rows >= (this.#screen.rows ?? 24)) return;
    this.#screen.write(text);
    this.#rowsAbove = rows - 1;
  }

  #erase(): void {
    this.hideStatus();
    if (this.#rowsAbove === undefined) return;
    const up = this.#rowsAbove > 0 ? `\u001b[${this.#rowsAbove}A` : '';
    this.#screen.write(`\r${up}\u001b[J`);
    this.#rowsAbove = undefined;
  }

  #gap(): string {
    return this.#hasPrinted ? '\n' : '';
  }

  #countRows(text: string): number {
    const columns = this.#screen.columns ?? 80;
    return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(stringWidth(line) / columns)), 0);
  }

  #render(markdown: string): string {
    if (markdown.trim() === '') return '';
    const widthColumns = Math.max(20, (this.#screen.columns ?? 80) - 1);
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
