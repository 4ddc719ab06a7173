import { AppError } from '@fovea/core/base';

/** A wrong command line: told in one line on standard error, exit code 2. */
export function usageError(message: string): AppError {
  return new AppError('USAGE', message);
}
