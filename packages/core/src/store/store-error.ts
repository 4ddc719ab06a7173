import { AppError, isAppError } from '../base/app-error.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something that is not a folder has this name',
  EISDIR: 'a folder stands where a file was expected',
  EMFILE: 'too many files are open',
  EIO: 'the device reported an error',
  ECONNREFUSED: 'nothing answers at the address of the database',
  ENOTFOUND: 'the host of the database is unknown',
  SQLITE_BUSY: 'another process has kept the database locked for too long',
  SQLITE_READONLY: 'the database is read-only',
  SQLITE_FULL: 'no space is left on the device',
  SQLITE_IOERR: 'the device reported an error',
  SQLITE_CORRUPT: 'the database file is damaged',
  SQLITE_NOTADB: 'the file is not a database',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
  SQLITE_CONSTRAINT: 'the record contradicts another one',
  '23505': 'the record contradicts another one',
  '53100': 'no space is left on the device',
};

/**
 * A failure of the file system or database as `STORE_UNAVAILABLE`. The message and data name the
 * operation and the code; the words of the database, which may quote a record, stay in `cause`.
 */
export function toStoreError(error: unknown, operation: string): AppError {
  if (isAppError(error)) return error;
  const code = systemCode(error);
  const reason = reasonOf(code);
  return new AppError('STORE_UNAVAILABLE', `${operation}: ${reason}`, {
    data: code === undefined ? { operation } : { operation, systemCode: code },
    cause: error,
  });
}

/** The `code` that Node, SQLite or PostgreSQL gave an error, if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && error.code !== '' ? error.code : undefined;
}

function reasonOf(code: string | undefined): string {
  if (code === undefined) return 'an unexpected failure';
  const family = /^SQLITE_[A-Z]+/.exec(code)?.[0];
  const reason = reasons[code] ?? (family === undefined ? undefined : reasons[family]);
  return reason === undefined ? code : `${reason} (${code})`;
}
