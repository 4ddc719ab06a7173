import stringWidth from 'string-width';
import { columnsOf, LiveRows } from '../render/live-rows.ts';
import { sanitizeForTerminal } from '../render/sanitize.ts';
import { layOutLine } from './lay-out-line.ts';
import type { LineEditor } from './line-editor.ts';
import type { Terminal } from './terminal.ts';

/** The prompt and the line that is being typed, at the bottom of the screen while no turn runs. */
export class PromptLine {
  readonly #terminal: Terminal;
  readonly #editor: LineEditor;
  readonly #rows: LiveRows;
  /** What a plain terminal shows of the line. */
  #plain: string | undefined;

  constructor(terminal: Terminal, editor: LineEditor) {
    this.#terminal = terminal;
    this.#editor = editor;
    this.#rows = new LiveRows(terminal.output);
  }

  /** Shows the line, or draws it anew. */
  draw(prompt: string): void {
    const { text, cursor } = this.#editor;
    if (this.#terminal.isPlain === true) {
      this.#drawPlainly(sanitizeForTerminal(`${prompt}${text}`));
      return;
    }
    const { output } = this.#terminal;
    const layout = layOutLine(
      { prompt, text, cursor },
      { widthColumns: columnsOf(output) - 1, mostRows: Math.max(1, (output.rows ?? 24) - 1) },
    );
    this.#rows.draw(layout.rows, layout.cursor);
  }

  /** Takes the line away, so that others can be printed. */
  hide(): void {
    if (this.#plain !== undefined && this.#plain !== '') this.#terminal.output.write('\n');
    this.#plain = undefined;
    this.#rows.erase();
  }

  /** Leaves the line on the screen as it was entered; a terminal wraps it as one. */
  finish(entered: string): void {
    if (this.#terminal.isPlain === true) {
      this.#drawPlainly(sanitizeForTerminal(entered));
      this.hide();
      return;
    }
    this.#rows.erase();
    this.#terminal.output.write(`${sanitizeForTerminal(entered)}\n`);
  }

  /** Only what a terminal without cursor can do: characters are added or taken away at the end. */
  #drawPlainly(line: string): void {
    const { output } = this.#terminal;
    const shown = this.#plain;
    this.#plain = line;
    if (shown === undefined) output.write(line);
    else if (line.startsWith(shown)) output.write(line.slice(shown.length));
    else if (shown.startsWith(line)) output.write('\b \b'.repeat(stringWidth(shown.slice(line.length))));
    else output.write(`\n${line}`);
  }
}
