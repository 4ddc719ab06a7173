import { AppError, isAppError } from '../base/app-error.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ENOENT: 'it does not exist and cannot be made',
  ELOOP: 'too many links lead to each other',
  ENAMETOOLONG: 'the path is too long',
  EINVAL: 'the path is not one that the file system takes',
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
  SQLITE_IOERR_SHMSIZE: 'no space is left on the device',
  SQLITE_IOERR: 'the device reported an error',
  SQLITE_CORRUPT: 'the database file is damaged',
  SQLITE_NOTADB: 'the file is not a database',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
  SQLITE_PERM: 'permission denied',
  SQLITE_ERROR: 'its tables are not those of this program',
  SQLITE_CONSTRAINT: 'the record contradicts another one',
  '23505': 'the record contradicts another one',
  '42P01': 'its tables are not those of this program',
  '42703': 'its tables are not those of this program',
  '28P01': 'the database refuses the password',
  '3D000': 'there is no database of this name',
  '53100': 'no space is left on the device',
  '42501': 'permission denied',
};

const primaryNames: ReadonlyMap<number, string> = new Map([
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
]);

const makeRoom = 'make room and try again';
const writeAccess = 'give yourself the right to read and write it, or set FOVEA_HOME to another folder';
const replaceDatabase =
  'put a copy back (the folder backups beside it holds those made before upgrades), or move the file away to begin with an empty one';
/** What a person can do where one part of the store is damaged. */
export const readTheRest =
  '`fovea check` says what is damaged, everything else stays readable, and the folder backups beside the database holds copies made before upgrades';

/** What a person can do. By whole code, else by family. */
const waysOut: Readonly<Record<string, string>> = {
  EACCES: writeAccess,
  EPERM: writeAccess,
  EROFS: writeAccess,
  ENOTDIR: 'set FOVEA_HOME to another folder',
  EEXIST: 'move it away, or set FOVEA_HOME to another folder',
  EISDIR: 'move it away, or set FOVEA_HOME to another folder',
  ENOENT: 'set FOVEA_HOME to another folder',
  ENOSPC: makeRoom,
  EDQUOT: makeRoom,
  SQLITE_FULL: makeRoom,
  SQLITE_IOERR_SHMSIZE: makeRoom,
  '53100': makeRoom,
  SQLITE_READONLY: writeAccess,
  SQLITE_PERM: writeAccess,
  SQLITE_CANTOPEN: writeAccess,
  SQLITE_CORRUPT: `put a copy back, or read what can be read: ${readTheRest}`,
  SQLITE_NOTADB: replaceDatabase,
  SQLITE_ERROR: replaceDatabase,
  SQLITE_BUSY: 'end the other process, or try again later',
};

/**
 * A failure of the file system or database as `STORE_UNAVAILABLE`. The message and data name the
 * operation and the code; the words of the database, which may quote a record, stay in `cause`.
 */
export function toStoreError(error: unknown, operation: string): AppError {
  if (isAppError(error)) return error;
  const code = systemCode(error);
  const wayOut = findByCode(waysOut, code);
  const message = `${operation}: ${reasonOf(code)}${wayOut === undefined ? '' : `; ${wayOut}`}`;
  return new AppError('STORE_UNAVAILABLE', message, {
    data: code === undefined ? { operation } : { operation, systemCode: code },
    cause: error,
  });
}

/** The `code` that Node, SQLite or PostgreSQL gave an error, if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && error.code !== '' ? nameExtended(error.code) : undefined;
}

/**
 * libsql has no names for some of SQLite's extended codes, whose low byte is the code that they
 * extend: 1544 is a read-only folder. Source: SQLite manual, "Result and Error Codes".
 */
function nameExtended(code: string): string {
  const number = Number(/^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code)?.[1] ?? Number.NaN);
  const name = primaryNames.get(number & 0xff);
  return name === undefined ? code : `${name}_${number}`;
}

function reasonOf(code: string | undefined): string {
  if (code === undefined) return 'an unexpected failure';
  const reason = findByCode(reasons, code);
  return reason === undefined ? code : `${reason} (${code})`;
}

function findByCode(table: Readonly<Record<string, string>>, code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const family = /^SQLITE_[A-Z]+/.exec(code)?.[0];
  return table[code] ?? (family === undefined ? undefined : table[family]);
}
