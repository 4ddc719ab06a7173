import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const sourceFolder = fileURLToPath(new URL('..', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../../../.cache', import.meta.url));

/** JavaScript of some floors, for child processes of tests. */
export interface CompiledFloors {
  /** Holds a folder for each floor. */
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Compiles floors from their present source, without type checks, so that a child process runs
 * what the test's author sees and not an older build. The folder lies inside the project, where
 * packages are found.
 */
export async function compileFloors(floors: readonly string[]): Promise<CompiledFloors> {
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'floors-'));
  for (const floor of floors) {
    const names = await readdir(join(sourceFolder, floor), { recursive: true });
    for (const name of names.filter((candidate) => candidate.endsWith('.ts') && !candidate.endsWith('.test.ts'))) {
      await compileFile(join(sourceFolder, floor, name), join(folder, floor, name.replace(/\.ts$/, '.js')));
    }
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Without type checks. */
export async function compileFile(source: string, target: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(source, 'utf8'), {
    fileName: source,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, outputText);
}
