import { AppError, type ErrorCode, type ErrorData } from '@fovea/core/base';

/**
 * An error whose message is a whole sentence in the configured language already. `data.localized`
 * is `true`: who shows it adds no sentence of their own in front.
 */
export function localizedError(
  code: ErrorCode,
  message: string,
  options: { readonly data?: ErrorData; readonly cause?: unknown } = {},
): AppError {
  const data = { ...options.data, localized: true };
  return new AppError(code, message, { data, ...(options.cause === undefined ? {} : { cause: options.cause }) });
}
