// Builds the workspace members that exist into their `dist` folders. Runs as npm's `prepare`, so
// that one `npm install` in a fresh checkout gives a working `fovea`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const members = ['packages/core', 'apps/server', 'apps/cli'];
const result = spawnSync(process.execPath, [compiler, '-b', ...members], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
