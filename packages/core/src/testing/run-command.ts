import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface CommandRun {
  /** Ended by this signal, when the exit code is null. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly diagnostics: string;
}

export interface CommandOptions {
  /** Added to an environment that holds only PATH. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly currentFolder?: string;
  /** Standard input; absent: none (`/dev/null`). */
  readonly input?: string | Uint8Array;
  /** Where standard output goes instead of into `output`: a path such as `/dev/full`. */
  readonly outputFile?: string;
  /** Called with the process, to send it signals. */
  readonly onStart?: (child: { kill(signal: NodeJS.Signals): boolean }) => void;
}

const bin = fileURLToPath(new URL('../../../../apps/cli/bin/fovea.js', import.meta.url));

/** Runs the built `fovea` as a process of its own, as a shell would. Needs a build. */
export function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const outputFile = options.outputFile === undefined ? undefined : openSync(options.outputFile, 'w');
    const child = spawn(process.execPath, [bin, ...words], {
      env: { PATH: process.env['PATH'] ?? '', ...options.environment },
      ...(options.currentFolder === undefined ? {} : { cwd: options.currentFolder }),
      stdio: [options.input === undefined ? 'ignore' : 'pipe', outputFile ?? 'pipe', 'pipe'],
    });
    if (outputFile !== undefined) closeSync(outputFile);
    let output = '';
    let diagnostics = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      diagnostics += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output, diagnostics }));
    if (options.input !== undefined) child.stdin?.end(options.input);
    options.onStart?.(child);
  });
}
