import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Environment, readVariable } from './environment.ts';

/** A path in which a leading `~` is the user's home folder; everything else stays as it is. */
export function expandHome(path: string, environment: Environment): string {
  if (isAbsolute(path)) return path;
  return /^~(?=$|[\\/])/.test(path) ? join(findUserHome(environment), path.slice(1)) : path;
}

export function findUserHome(environment: Environment): string {
  return readVariable(environment, process.platform === 'win32' ? 'USERPROFILE' : 'HOME') ?? homedir();
}
