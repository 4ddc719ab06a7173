import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOCKET = 'fovea-guide';
const POLL_MS = 50;
const WAIT_MS = 60_000;

/** A real terminal, driven from outside. */
export interface Terminal {
  /** Types text, then keys as tmux names them: `Enter`, `Escape`. */
  type(text: string, ...keys: readonly string[]): Promise<void>;
  /** Waits until the screen shows `text`. */
  until(text: string): Promise<void>;
  /** Everything from the first line on, what has scrolled out included. */
  screen(): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a program in tmux, with exactly this environment. */
export async function startTerminal(
  command: readonly string[],
  options: { readonly environment: Readonly<Record<string, string>>; readonly columns: number; readonly rows: number },
): Promise<Terminal> {
  const tmux = async (...words: readonly string[]): Promise<string> => {
    return (await run('tmux', ['-L', SOCKET, '-f', '/dev/null', ...words])).stdout;
  };
  const environment = Object.entries(options.environment).map(([name, value]) => `${name}=${value}`);
  await tmux(
    ...['new-session', '-d', '-s', 'job', '-x', String(options.columns), '-y', String(options.rows)],
    ...['env', '-i', ...environment, ...command],
  );
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'job');
  return {
    screen,
    async type(text, ...keys) {
      if (text !== '') await tmux('send-keys', '-t', 'job', '-l', text);
      for (const key of keys) await tmux('send-keys', '-t', 'job', key);
    },
    async until(text) {
      const endMs = Date.now() + WAIT_MS;
      for (;;) {
        const shown = await screen();
        if (shown.includes(text)) return;
        if (Date.now() > endMs) throw new Error(`the terminal never showed ${JSON.stringify(text)}:\n${shown}`);
        await sleep(POLL_MS);
      }
    },
    resize: async (columns, rows) => {
      await tmux('resize-window', '-t', 'job', '-x', String(columns), '-y', String(rows));
    },
    close: async () => {
      await tmux('kill-server').catch(() => '');
    },
  };
}
