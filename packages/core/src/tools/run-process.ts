import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemErrorCode } from '../attachments/system-error.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { guardCommand } from './guard-command.ts';
import { collectOutput, type OutputEnds } from './output-ends.ts';
import { type CommandProcesses, endCommand, identifyCommand, isCommandRunning } from './process-group.ts';

/** Where programs are found when nothing else is said. */
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Under this name a command and all that it starts have a number of their own in their environment. */
const MARK_NAME = 'FOVEA_COMMAND';
/** What still comes in after the shell has ended, from those that write for it. */
const LINGER_MS = 500;

export interface ProcessOptions {
  /** A line of shell. */
  readonly command: string;
  /** Absolute. */
  readonly folder: string;
  /** Exactly this, and the mark of the command; absent: only where programs are found. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Between asking processes to end and killing them. */
  readonly graceMs: number;
  /** Bytes that are kept of either end of the output. */
  readonly endBytes: number;
  /** A command that writes more is ended. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

/** What a command did. */
export interface ProcessRun {
  readonly output: OutputEnds;
  /** Absent: it was ended by a signal. */
  readonly exitCode?: number;
  readonly endSignal?: string;
  /** Why it did not end by itself. */
  readonly stopped?: 'timeout' | 'output' | 'aborted';
  /** Something that it had started still ran when it ended; it runs no more. */
  readonly hadBackground: boolean;
}

/**
 * Runs a line of shell in a process group of its own, without standard input. Both outputs are one
 * pipe, in the order in which they were written. Nothing that it has started is left running: not
 * after its end, nor its time, nor an abort. Fails with the system's code where it cannot start.
 */
export async function runProcess(options: ProcessOptions): Promise<Result<ProcessRun, string>> {
  const markValue = randomBytes(16).toString('hex');
  const environment = { ...(options.environment ?? { PATH: USUAL_PATH }), [MARK_NAME]: markValue };
  const pipe = await openPipe();
  const { file, words } = await findShell(options.command, environment);
  const child = spawn(file, words, {
    cwd: options.folder,
    env: environment,
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: true,
    stdio: pipe === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', pipe.writeEnd, pipe.writeEnd],
  });
  // Before anything is waited for: what has ended is collected then.
  const processes = identifyCommand(child.pid ?? 0, `${MARK_NAME}=${markValue}`);
  // That it could not be told something: it has ended.
  child.on('error', () => {});
  if (pipe !== undefined) closeSync(pipe.writeEnd);
  const streams: readonly (Readable | null)[] =
    pipe === undefined ? [child.stdout, child.stderr] : [openReadEnd(pipe.readEnd)];
  const sources = streams.filter((stream) => stream !== null);
  try {
    await once(child, 'spawn');
  } catch (error) {
    for (const source of sources) source.destroy();
    return fail(systemErrorCode(error));
  }
  const guard = guardCommand(processes, USUAL_PATH);
  try {
    return ok(await watch({ child, processes, sources, options }));
  } finally {
    guard.release();
  }
}

/** A pipe as a shell makes one. Node's own are sockets: a child cannot open `/dev/stderr` on them. */
async function openPipe(): Promise<{ readonly readEnd: number; readonly writeEnd: number } | undefined> {
  if (process.platform === 'win32') return undefined;
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'fovea-pipe-'));
    const path = join(folder, 'output');
    await promisify(execFile)('mkfifo', [path], { env: { PATH: USUAL_PATH } });
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch {
    return undefined;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

function openReadEnd(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

async function findShell(
  command: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly file: string; readonly words: readonly string[] }> {
  if (process.platform === 'win32') {
    const [, named] = Object.entries(environment).find(([name]) => name.toLowerCase() === 'comspec') ?? [];
    return { file: named ?? 'C:\\Windows\\System32\\cmd.exe', words: ['/d', '/s', '/c', `"${command}"`] };
  }
  for (const file of ['/bin/bash', '/usr/bin/bash']) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return { file, words: ['-c', command] };
  }
  return { file: '/bin/sh', words: ['-c', command] };
}

interface RunningProcess {
  readonly child: ChildProcess;
  readonly processes: CommandProcesses;
  readonly sources: readonly Readable[];
  readonly options: ProcessOptions;
}

async function watch({ child, processes, sources, options }: RunningProcess): Promise<ProcessRun> {
  const { timeoutMs, graceMs, endBytes, mostBytes, signal } = options;
  const collector = collectOutput(endBytes);
  let totalBytes = 0;
  let stopped: ProcessRun['stopped'];
  let stop: (reason: NonNullable<ProcessRun['stopped']>) => void = () => {};
  const stopping = new Promise<void>((resolve) => {
    stop = (reason) => {
      stopped ??= reason;
      resolve();
    };
  });
  const ended = Promise.all(
    sources.map(async (source) => {
      source.on('data', (bytes: Buffer) => {
        collector.add(bytes);
        totalBytes += bytes.length;
        if (totalBytes > mostBytes) stop('output');
      });
      await once(source, 'close').catch(() => undefined);
    }),
  );
  const exited = once(child, 'exit');
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const abort = (): void => stop('aborted');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  await Promise.race([exited, stopping]);
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  if (stopped === undefined) await Promise.race([ended, wait(LINGER_MS)]);
  const hadBackground = stopped === undefined && (await isRunning(processes));
  if (stopped !== undefined || hadBackground) await endAll({ child, processes, graceMs });
  // What cannot even be killed is not waited for.
  await Promise.race([Promise.all([exited, ended]), wait(LINGER_MS)]);
  for (const source of sources) source.destroy();
  return {
    output: collector.ends(),
    hadBackground,
    ...(child.exitCode !== null && { exitCode: child.exitCode }),
    ...(child.signalCode !== null && { endSignal: child.signalCode }),
    ...(stopped && { stopped }),
  };
}

async function isRunning(processes: CommandProcesses): Promise<boolean> {
  return process.platform !== 'win32' && isCommandRunning(processes);
}

async function endAll({
  child,
  processes,
  graceMs,
}: Pick<RunningProcess, 'child' | 'processes'> & { readonly graceMs: number }): Promise<void> {
  if (child.pid === undefined) return;
  if (process.platform !== 'win32') return endCommand(processes, graceMs);
  // Windows has no groups; its own tool ends a tree.
  await promisify(execFile)('C:\\Windows\\System32\\taskkill.exe', ['/pid', String(child.pid), '/t', '/f']).catch(() =>
    child.kill(),
  );
}
