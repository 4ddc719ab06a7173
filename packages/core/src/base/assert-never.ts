import { AppError } from './app-error.ts';

/** Ends every `switch` over a union: the compiler fails here when a member has no case. */
export function assertNever(value: never): never {
  throw new AppError('INTERNAL', `unexpected value: ${JSON.stringify(value)}`);
}
