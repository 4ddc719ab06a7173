import { type AppError, fail, type Locale, ok, type Result, Secret } from '@fovea/core/base';
import { type Environment, readVariable } from '../config/environment.ts';
import { localizedError } from '../localized-error.ts';
import { serverTexts } from '../texts.ts';
import type { Channel } from './channel.ts';
import { isSendableKey } from './sendable-key.ts';

/**
 * The channel's key, looked up now; fails with `KEY_MISSING`, and with `CONFIG_INVALID` for a variable
 * whose value no header can carry, naming the channel and the variable.
 */
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
      if (value !== undefined && isSendableKey(value)) return ok(new Secret(value));
      if (value !== undefined) return fail(unsendable(channel.name, key.name, locale));
      return fail(missing(serverTexts(locale).keyNotSet(channel.name, key.name), channel.name, key.name));
    }
  }
}

function missing(message: string, channel: string, variable: string): AppError {
  return localizedError('KEY_MISSING', message, { data: { channel, variable } });
}

function unsendable(channel: string, variable: string, locale: Locale): AppError {
  return localizedError('CONFIG_INVALID', serverTexts(locale).keyNotSendable(channel, variable), {
    data: { channel, variable },
  });
}
