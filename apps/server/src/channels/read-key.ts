import { type AppError, fail, type Locale, ok, type Result, Secret } from '@fovea/core/base';
import { type Environment, readVariable } from '../config/environment.ts';
import { localizedError } from '../localized-error.ts';
import { serverTexts } from '../texts.ts';
import type { Channel } from './channel.ts';

/** The channel's key, looked up now; fails with `KEY_MISSING`, naming the channel and the variable. */
export function readKey(
  channel: Pick<Channel, 'name' | 'key'>,
  environment: Environment,
  locale: Locale,
): Result<Secret | undefined, AppError> {
  const { key } = channel;
  switch (key.kind) {
    case 'none':
      return ok(undefined);
    case 'literal':
      return ok(key.key);
    case 'missing':
      return fail(missing(serverTexts(locale).keyNotNamed(channel.name, key.suggestion), channel.name, key.suggestion));
    case 'variable': {
      const value = readVariable(environment, key.name);
      if (value !== undefined) return ok(new Secret(value));
      return fail(missing(serverTexts(locale).keyNotSet(channel.name, key.name), channel.name, key.name));
    }
  }
}

function missing(message: string, channel: string, variable: string): AppError {
  return localizedError('KEY_MISSING', message, { data: { channel, variable } });
}
