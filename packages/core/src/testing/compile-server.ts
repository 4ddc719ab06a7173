import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompiledFloors, compileFile, compileFloors } from './compile-floors.ts';

const sourceFolder = fileURLToPath(new URL('..', import.meta.url));
const serverFolder = fileURLToPath(new URL('../../../../apps/server/src', import.meta.url));

/**
 * Compiles every floor and the server app from their present source, for child processes of tests:
 * the folder `server` holds the app, which finds the floors as the package `@fovea/core`.
 */
export async function compileServer(): Promise<CompiledFloors> {
  const entries = await readdir(sourceFolder, { withFileTypes: true });
  const floors = entries.filter((entry) => entry.isDirectory() && entry.name !== 'testing').map(({ name }) => name);
  const compiled = await compileFloors(floors);
  const manifest = { name: '@fovea/core', type: 'module', exports: { './*': './*/index.js' } };
  await writeFile(join(compiled.folder, 'package.json'), JSON.stringify(manifest));
  const names = await readdir(serverFolder, { recursive: true });
  for (const name of names.filter((one) => one.endsWith('.ts') && !one.endsWith('.test.ts'))) {
    await compileFile(join(serverFolder, name), join(compiled.folder, 'server', name.replace(/\.ts$/, '.js')));
  }
  return compiled;
}
