// How long the version takes against a bare start of Node.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../apps/cli/bin/fovea.js', import.meta.url));

export const name = 'version';
export const bound = 2.5;
export const unit = 'ms';
export const rounds = 21;

export function ours() {
  execFileSync(process.execPath, [bin, '--version'], { stdio: 'ignore' });
}

export function reference() {
  execFileSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
}
