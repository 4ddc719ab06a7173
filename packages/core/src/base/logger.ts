/** Fields of a log line. Ids, names, sizes, codes; never bytes, data URIs, keys or prompts. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** The port through which every floor logs. `event` is a noun-verb name, not a sentence. */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** A logger that drops everything. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
