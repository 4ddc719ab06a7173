import type { LogFields, Logger } from '@fovea/core/base';
import { silentLogger } from '@fovea/core/base';
import { type Environment, readVariable } from './config/environment.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';
const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies Level[];

/** No field is longer, so that neither bytes nor prompts can slip into a log. */
const LONGEST_FIELD = 256;

export interface LogSink {
  write(line: string): void;
}

/**
 * One JSON object a line, from the level that `FOVEA_LOG` names (`debug`, `info`, `warn`, `error`);
 * without it, nothing.
 */
export function createJsonLinesLogger(environment: Environment, sink: LogSink, now: () => number): Logger {
  const lowest = levels.indexOf(readVariable(environment, 'FOVEA_LOG')?.toLowerCase() ?? '');
  if (lowest === -1) return silentLogger;
  const writeAt = (level: Level) => (event: string, fields?: LogFields) => {
    if (levels.indexOf(level) < lowest) return;
    sink.write(`${JSON.stringify({ at: new Date(now()).toISOString(), level, event, ...shorten(fields) })}\n`);
  };
  return { debug: writeAt('debug'), info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error') };
}

function shorten(fields: LogFields | undefined): LogFields {
  const shortened: Record<string, string | number | boolean | undefined> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    shortened[name] =
      typeof value === 'string' && value.length > LONGEST_FIELD ? `${value.slice(0, LONGEST_FIELD - 1)}…` : value;
  }
  return shortened;
}
