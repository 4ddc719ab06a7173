import type { LogFields, Logger, Secret } from '@fovea/core/base';

/** A shorter value may be a word that any line holds. */
const MIN_SECRET_CHARACTERS = 8;

/** A logger that repeats none of the secrets, whoever put one into an event or field. */
export function createMaskedLogger(logger: Logger, secrets: readonly Secret[]): Logger {
  const values = secrets.map((secret) => secret.reveal()).filter((value) => value.length >= MIN_SECRET_CHARACTERS);
  values.sort((one, other) => other.length - one.length);
  const mask = (text: string): string => values.reduce((masked, value) => masked.replaceAll(value, '[secret]'), text);
  const maskFields = (fields: LogFields): LogFields => {
    const entries = Object.entries(fields);
    return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? mask(value) : value]));
  };
  const through =
    (write: Logger['info']): Logger['info'] =>
    (event, fields) =>
      fields === undefined ? write(mask(event)) : write(mask(event), maskFields(fields));
  return {
    debug: through((event, fields) => logger.debug(event, fields)),
    info: through((event, fields) => logger.info(event, fields)),
    warn: through((event, fields) => logger.warn(event, fields)),
    error: through((event, fields) => logger.error(event, fields)),
  };
}
