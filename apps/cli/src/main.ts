import { createRequire } from 'node:module';
import { type AppError, isRecord, type Locale, toAppError } from '@fovea/core/base';
import {
  configFilePath,
  detectLocale,
  type Environment,
  type Fovea,
  findHome,
  loadConfig,
  SENDER_LEFT,
  startFovea,
} from '@fovea/server';
import type { CommandContext } from './command-context.ts';
import { errorLine } from './error-texts.ts';
import { type ExitCode, exitCodeOfError, exitCodes } from './exit-codes.ts';
import { buildProgram, isPrinted, isWrongUsage, toProgramWords } from './program.ts';
import { sanitizeForTerminal } from './render/sanitize.ts';
import { cliTexts } from './texts.ts';
import { usageMessage } from './usage-message.ts';

/** Runs one command line and sets the process's exit code. */
export async function main(words: readonly string[]): Promise<void> {
  const environment: Environment = process.env;
  const configFile = findConfigOption(words);
  const locale = await findLocale(environment, configFile);
  const interruption = listenForInterruption(locale);
  const services = openOnce({ environment, configFile, locale });
  let exitCode: ExitCode = exitCodes.done;
  const context: CommandContext = {
    locale,
    texts: cliTexts(locale),
    currentFolder: process.cwd(),
    configFile: configFile ?? configFilePath(findHome(environment)),
    foveaHome: findHome(environment),
    hasColors: hasColors(environment),
    isPlain: environment['TERM'] === 'dumb',
    signal: interruption.signal,
    openFovea: services.open,
  };
  const program = buildProgram({
    context,
    version: readVersion(),
    finish: (code) => {
      exitCode = code;
    },
  });
  try {
    await program.parseAsync(toProgramWords(words), { from: 'user' });
  } catch (error) {
    exitCode = report(error, {
      locale,
      isInterrupted: interruption.signal.aborted,
      isLogging: environment['FOVEA_LOG'] !== undefined,
    });
  }
  await services.close();
  interruption.stop();
  process.exitCode = exitCode;
}

/** `--config FILE` stands before the command; it is needed before the command line is understood. */
function findConfigOption(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    if (word === '--') return undefined;
    if (word === '--config') return words[index + 1];
    if (word.startsWith('--config=')) return word.slice('--config='.length);
  }
  return undefined;
}

/** The configured language; with a faulty configuration that of the surroundings. */
async function findLocale(environment: Environment, configFile: string | undefined): Promise<Locale> {
  const loaded = await loadConfig({
    home: findHome(environment),
    environment,
    ...(configFile === undefined ? {} : { file: configFile }),
  });
  return loaded.ok ? loaded.value.config.locale : detectLocale(environment);
}

function openOnce(input: {
  readonly environment: Environment;
  readonly configFile: string | undefined;
  readonly locale: Locale;
}): { open(): Promise<Fovea>; close(): Promise<void> } {
  let opened: Promise<Fovea> | undefined;
  const start = async (): Promise<Fovea> => {
    const started = await startFovea({
      environment: input.environment,
      logSink: process.stderr,
      // A command that is done ends: it must not begin what others submitted.
      queues: 'own',
      ...(input.configFile === undefined ? {} : { configFile: input.configFile }),
    });
    if (!started.ok) throw started.error;
    for (const warning of started.value.warnings) {
      const { warningPrefix, colon } = cliTexts(input.locale);
      process.stderr.write(`${warningPrefix}${colon}${sanitizeForTerminal(warning)}\n`);
    }
    return started.value.fovea;
  };
  return {
    open: () => (opened ??= start()),
    close: async () => {
      const fovea = await opened?.catch(() => undefined);
      await fovea?.close();
    },
  };
}

/** The first Ctrl+C stops the work in an orderly way, the second one the process. */
function listenForInterruption(locale: Locale): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const endWith = (reason: unknown) => (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort(reason);
  };
  const interrupt = endWith(new Error(cliTexts(locale).interrupted));
  // Nobody wishes anything: what was accepted and waits stays.
  const leave = endWith(SENDER_LEFT);
  // A reader that went away (`fovea run … | head`) or a lost terminal ends the work like Ctrl+C.
  const onOutputError = (error: unknown): void => {
    const code = isRecord(error) ? String(error['code']) : 'unknown';
    if (code === 'EPIPE' || code === 'EIO') process.exit(exitCodes.interrupted);
    const { errorPrefix, colon, outputFailed } = cliTexts(locale);
    process.stderr.write(`${errorPrefix}${colon}${outputFailed(code)}\n`);
    process.exit(exitCodes.turnFailed);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', leave);
  process.on('SIGHUP', leave);
  process.stdout.on('error', onOutputError);
  // There is nowhere left to tell it.
  process.stderr.on('error', () => process.exit(exitCodes.interrupted));
  return {
    signal: controller.signal,
    stop: () => {
      process.removeListener('SIGINT', interrupt);
      for (const signal of ['SIGTERM', 'SIGHUP']) process.removeListener(signal, leave);
    },
  };
}

function report(
  error: unknown,
  state: { readonly locale: Locale; readonly isInterrupted: boolean; readonly isLogging: boolean },
): ExitCode {
  const texts = cliTexts(state.locale);
  if (isPrinted(error)) return exitCodes.done;
  if (isWrongUsage(error)) {
    const message = sanitizeForTerminal(usageMessage(error, state.locale));
    process.stderr.write(`${texts.errorPrefix}${texts.colon}${message}\n`);
    return exitCodes.usage;
  }
  if (state.isInterrupted) {
    process.stderr.write(`${texts.interrupted}\n`);
    return exitCodes.interrupted;
  }
  const told = toAppError(error);
  // A fault of Fovea itself: whoever reports it turns logging on and finds the stack there.
  if (told.code === 'INTERNAL' && state.isLogging) process.stderr.write(`${String(told.stack)}\n`);
  for (const line of linesOf(told, state.locale)) {
    process.stderr.write(`${texts.errorPrefix}${texts.colon}${sanitizeForTerminal(line)}\n`);
  }
  return exitCodeOfError(told.code);
}

/** A faulty configuration has a line for each fault; every other error has one line. */
function linesOf(error: AppError, locale: Locale): readonly string[] {
  return error.code === 'CONFIG_INVALID' ? error.message.split('\n') : [errorLine(error, locale)];
}

function hasColors(environment: Environment): boolean {
  if (environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '') return false;
  return process.stdout.isTTY === true && environment['TERM'] !== 'dumb';
}

function readVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('../package.json');
  return version;
}
