import type { ErrorCode } from './error-codes.ts';

const marker = Symbol.for('fovea.app-error');

/** JSON-safe facts of an error: names, figures, limits. Never bytes, keys or data URIs. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * The only error class of Fovea. Thrown for faults of the program and of its surroundings (broken
 * input or output); expected refusals are values, see `Refusal`.
 *
 * Recognise it with {@link isAppError}, which also works when two copies of this package are
 * installed, and tell errors apart by `code`.
 */
export class AppError extends Error {
  readonly [marker] = true;
  readonly code: ErrorCode;
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, options: { data?: ErrorData; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.data = options.data ?? {};
  }

  toJSON(): { code: ErrorCode; message: string; data: ErrorData } {
    return { code: this.code, message: this.message, data: this.data };
  }
}

/** Whether `value` is an {@link AppError} of any installed copy of this package. */
export function isAppError(value: unknown): value is AppError {
  return typeof value === 'object' && value !== null && marker in value;
}

/** Any thrown value as an {@link AppError}: itself, or wrapped as `INTERNAL`. */
export function toAppError(value: unknown, code: ErrorCode = 'INTERNAL'): AppError {
  if (isAppError(value)) return value;
  const message = value instanceof Error ? value.message : String(value);
  return new AppError(code, message, { cause: value });
}
