import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A script that runs in a process of its own and prints lines. */
export interface ScriptProcess {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves when so many lines are printed; rejects with what was said when it ends before. */
  untilLines(count: number): Promise<void>;
  untilEnd(): Promise<ScriptEnd>;
}

export interface ScriptEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What stood on standard error. */
  readonly diagnostics: string;
}

export interface StartScriptOptions {
  readonly folder: string;
  /** What the script finds behind `process.argv[0]`. */
  readonly words: readonly string[];
  /** Called with each line, as soon as it is there. */
  readonly onLine?: (line: string, child: ChildProcess) => void;
}

/** Processes of one test, with nothing of this one's environment but the way to its programs. */
export class ScriptProcesses {
  readonly #children = new Set<ChildProcess>();

  /** @param script A module's text. */
  start(script: string, { folder, words, onLine }: StartScriptOptions): ScriptProcess {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...words], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    const lines: string[] = [];
    let rest = '';
    let diagnostics = '';
    const ended = once(child, 'close').then(([exitCode, signal]): ScriptEnd => ({ exitCode, signal, diagnostics }));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      diagnostics += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const pieces = (rest + text).split('\n');
      rest = pieces.pop() ?? '';
      for (const line of pieces) {
        lines.push(line);
        onLine?.(line, child);
      }
      child.emit('lines');
    });
    return {
      process: child,
      lines,
      async untilLines(count) {
        while (lines.length < count) {
          const end = await Promise.race([once(child, 'lines').then(() => undefined), ended]);
          if (end !== undefined) throw new Error(`the script ended early: ${end.diagnostics}`);
        }
      },
      untilEnd: () => ended,
    };
  }

  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#children.clear();
  }
}
