/** The code of an error of the operating system: `ENOENT`; empty for other errors. */
export function systemErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** What such an error means, without the path that its message would name. */
export function describeSystemError(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many open files';
    case 'EIO':
      return 'input/output error';
    case 'ELOOP':
      return 'a link that leads in a circle';
    case '':
      return 'input/output error';
    default:
      return systemErrorCode(error);
  }
}
