import { stat } from 'node:fs/promises';
import { type AppError, fail, isRecord, type Locale, ok, type Result } from '@fovea/core/base';
import { localizedError } from '../localized-error.ts';
import { readFileBeginning } from '../read-file-beginning.ts';
import { type Config, fillConfigDefaults } from './config.ts';
import { type ConfigProblem, formatConfigProblem } from './config-problem.ts';
import type { ConfigFile } from './config-schema.ts';
import { detectLocale, type Environment } from './environment.ts';
import { configFilePath } from './home.ts';
import { configTexts } from './texts.ts';

/** More than anybody writes, and little enough to be looked at before it is understood. */
const LARGEST_FILE_BYTES = 1024 * 1024;

export interface LoadConfigInput {
  readonly home: string;
  /** The file that the user named; absent: `config.jsonc` of the home folder, which may be missing. */
  readonly file?: string;
  readonly environment: Environment;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Sentences for the user, in their language; never with a key in them. */
  readonly warnings: readonly string[];
}

/**
 * The configuration, checked and frozen. Fails with `CONFIG_INVALID`: the message has one line for
 * each fault (`file:line:column: key: what was expected`), `data` has `file` and `problems`.
 * Keys are not looked up here: a channel that is not used needs none.
 */
export async function loadConfig(input: LoadConfigInput): Promise<Result<LoadedConfig, AppError>> {
  const file = input.file ?? configFilePath(input.home);
  const locale = detectLocale(input.environment);
  const read = await readConfigFile(file, locale);
  if (!read.ok) return read;
  if (read.value === undefined) {
    if (input.file !== undefined) return fail(invalid(file, configTexts(locale).fileMissing(file)));
    return ok({ config: fillConfigDefaults({}, locale), warnings: [] });
  }
  // Late, because the schema costs more than everything else that a command without a file needs.
  const { parseConfigText } = await import('./parse-config-text.ts');
  const parsed = parseConfigText(read.value, locale);
  if (!parsed.ok) {
    const lines = parsed.error.map((problem) => formatConfigProblem(file, problem));
    return fail(invalid(file, lines.join('\n'), parsed.error));
  }
  const config = fillConfigDefaults(parsed.value, locale);
  return ok({ config, warnings: await listWarnings(parsed.value, file, config.locale) });
}

/** The text of the file; `undefined` when there is none. */
async function readConfigFile(file: string, locale: Locale): Promise<Result<string | undefined, AppError>> {
  const texts = configTexts(locale);
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readFileBeginning(file, LARGEST_FILE_BYTES + 1);
  } catch (error) {
    const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : 'unknown';
    if (code === 'ENOENT') return ok(undefined);
    return fail(invalid(file, texts.fileUnreadable(file, code)));
  }
  if (bytes === undefined) {
    return fail(invalid(file, (await isFolder(file)) ? texts.fileIsFolder(file) : texts.fileNotRegular(file)));
  }
  if (bytes.byteLength > LARGEST_FILE_BYTES) return fail(invalid(file, texts.fileTooLarge(file)));
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return fail(invalid(file, texts.fileNotUtf8(file)));
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function listWarnings(file: ConfigFile, path: string, locale: Locale): Promise<readonly string[]> {
  const texts = configTexts(locale);
  const channels = Object.entries(file.channels ?? {});
  const withLiteralKey = channels.filter(([, { apiKey }]) => apiKey !== undefined && !apiKey.startsWith('env:'));
  const { listUnusedKeys } = await import('./list-unused-keys.ts');
  const unused = listUnusedKeys(file);
  const names = withLiteralKey.map(([name]) => name);
  return [
    ...(names.length === 0 ? [] : [texts.literalKeys(path, names)]),
    ...(unused.length === 0 ? [] : [texts.unusedKeys(path, unused)]),
  ];
}

function invalid(file: string, message: string, problems: readonly ConfigProblem[] = []): AppError {
  return localizedError('CONFIG_INVALID', message, { data: { file, problems } });
}
