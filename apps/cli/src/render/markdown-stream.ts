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

/**
 * Draws Markdown while it arrives. Finished blocks are printed once; the block that is still being
 * written is drawn again with each piece, as long as it fits on the screen (what has scrolled out
 * cannot be redrawn: a longer block waits until it is finished).
 */
export class MarkdownStream {
  readonly #screen: Screen;
  readonly #hasColors: boolean;
  #pending = '';
  /** Rows between the cursor and the start of the block that is drawn provisionally. */
  #rowsAbove: number | undefined;
  #hasPrinted = false;
  #hasStatus = false;

  constructor(screen: Screen, options: { readonly hasColors: boolean }) {
    this.#screen = screen;
    this.#hasColors = options.hasColors;
  }

  write(text: string): void {
    this.#pending += sanitizeForTerminal(text);
    this.#erase();
    this.#print(this.#takeFinishedBlocks());
    this.#drawPending();
  }

  /** Prints what is left. Afterwards the cursor stands at the start of a line. */
  end(): void {
    this.#erase();
    this.#print(this.#pending);
    this.#pending = '';
    this.#hasPrinted = false;
  }

  /** Draws one line below what has been written so far, or draws it anew; the next text takes it away. */
  showStatus(text: string, style: (line: string) => string = (line) => line): void {
    this.hideStatus();
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
    const tokens = lexer(this.#pending);
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
    return renderMarkdown(markdown, { widthColumns, hasColors: this.#hasColors });
  }
}
