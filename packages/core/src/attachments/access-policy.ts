import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { isAnyForbidden, isWithin, realForm, realForms } from './forbidden-paths.ts';
import { findLookAlikes, foldName } from './look-alike-names.ts';
import { describeSystemError, systemErrorCode } from './system-error.ts';

/**
 * Which files may be read. Made once for a session by the composition; the rules that use it are
 * in this file and in `open-source.ts`.
 */
export interface FileAccess {
  /** Absolute, real path of the workspace folder. Relative paths are resolved against it. */
  readonly workspace: string;
  /** Alias to absolute path: `photos/a.png` reads below the folder of the alias `photos`. */
  readonly externalFolders: Readonly<Record<string, string>>;
  /**
   * What may never be read: absolute paths of files and folders (`FOVEA_HOME` among them), and
   * names such as `.env` or `*.pem`, which no part of a path may match, whatever its case.
   */
  readonly forbidden: readonly string[];
  /**
   * Those of `forbidden` that hold whatever the user configures. Where given, `detail` of a
   * `FORBIDDEN` refusal is `built-in` when one of them is met, else `configured`.
   */
  readonly builtInForbidden?: readonly string[];
}

/** A path that may be read, as far as names tell. What is opened is checked once more. */
export interface ResolvedPath {
  /** As it was given. */
  readonly path: string;
  /** Absolute, without links. */
  readonly realPath: string;
  /** Relative to the workspace, or below an alias; forward slashes. */
  readonly displayPath: string;
}

/** Where a path leads before links are followed. */
interface LexicalPath {
  readonly absolutePath: string;
  /** The workspace or external folder that it lies in; absent for what lies outside. */
  readonly root?: Root;
}

/** A folder that may be read, and how paths below it are shown. */
interface Root {
  readonly folder: string;
  /** Absent for the workspace. */
  readonly alias?: string;
}

interface FoundFile {
  /** Absolute, without links. */
  readonly realPath: string;
  /** Before links were followed. */
  readonly lexicalPath: string;
}

/**
 * Decides by name whether a path may be read, and where it leads: below the workspace, below the
 * folder of an alias, or nowhere. Links are followed and their target is held to the same rules.
 * A file of exactly the name comes first; where there is none, the one that looks the same is meant.
 *
 * Refuses with `NOT_FOUND`, `AMBIGUOUS_NAME`, `OUTSIDE_WORKSPACE`, `FORBIDDEN`, `UNREADABLE`. A
 * model is told the third and fourth as the first (`refusalText`).
 */
export async function resolvePath(path: string, access: FileAccess): Promise<Result<ResolvedPath, Refusal>> {
  if (path === '' || path.includes('\0')) return fail({ code: 'NOT_FOUND', name: path });
  const lexical = findLexicalPath(path, access);
  const found = await findFile(path, lexical, access);
  if (!found.ok) return found;
  const { realPath, lexicalPath } = found.value;
  const refusal = await refuseRealPath({ path, realPath, lexicalPath }, access);
  if (refusal !== undefined) return fail(refusal);
  if (NAMES_FOLDER.test(path) && !(await isFolder(realPath))) {
    return fail({ code: 'NOT_FOUND', name: path, detail: 'file-not-folder' });
  }
  const displayPath =
    lexical.root === undefined ? await findDisplayPath(realPath, access) : displayBelow(lexical.root, lexicalPath);
  return ok({ path, realPath, displayPath: displayPath ?? path });
}

/**
 * Where a path leads by its text alone, whether or not anything is there: against the workspace, or
 * below the folder of an alias. Absolute; links are not followed, and nothing is checked.
 */
export function findAbsolutePath(path: string, access: FileAccess): string {
  return findLexicalPath(path, access).absolutePath;
}

/** With a separator at the end only a folder can be meant. */
const NAMES_FOLDER = process.platform === 'win32' ? /[\\/]\.?$/ : /\/\.?$/;

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/**
 * The rules for a path without links: not forbidden, and below the workspace or an external
 * folder. `open-source.ts` asks again with the path of what it has really opened.
 */
export async function refuseRealPath(
  place: { readonly path: string; readonly realPath: string; readonly lexicalPath?: string },
  access: FileAccess,
): Promise<Refusal | undefined> {
  const { path, realPath, lexicalPath } = place;
  const candidates = lexicalPath === undefined ? [realPath] : [realPath, lexicalPath];
  if (await isAnyForbidden(candidates, access.forbidden)) return refuseForbidden(path, candidates, access);
  const roots = await realForms([access.workspace, ...Object.values(access.externalFolders)]);
  if (roots.some((root) => isWithin(root, realPath))) return undefined;
  return { code: 'OUTSIDE_WORKSPACE', name: path };
}

/** Says whose list it is: what is built in stays forbidden when the configuration is changed. */
async function refuseForbidden(path: string, candidates: readonly string[], access: FileAccess): Promise<Refusal> {
  const { builtInForbidden } = access;
  if (builtInForbidden === undefined) return { code: 'FORBIDDEN', name: path };
  const isBuiltIn = await isAnyForbidden(candidates, builtInForbidden);
  return { code: 'FORBIDDEN', name: path, detail: isBuiltIn ? 'built-in' : 'configured' };
}

function findLexicalPath(path: string, access: FileAccess): LexicalPath {
  const aliased = isAbsolute(path) ? undefined : findAliasedPath(path, access);
  if (aliased !== undefined) return aliased;
  const absolutePath = resolve(access.workspace, path);
  const roots: readonly Root[] = [{ folder: access.workspace }, ...externalRoots(access)];
  const root = roots.find(({ folder }) => isWithin(folder, absolutePath));
  if (root !== undefined) return { absolutePath, root };
  for (const candidate of roots) {
    const rest = cutLookAlikeRoot(candidate.folder, absolutePath);
    if (rest !== undefined) return { absolutePath: join(candidate.folder, ...rest), root: candidate };
  }
  return { absolutePath };
}

function externalRoots(access: FileAccess): readonly Root[] {
  return Object.entries(access.externalFolders).map(([alias, folder]) => ({ alias, folder }));
}

/** The parts behind a root that a path begins with in another spelling: the root's own name may be decomposed. */
function cutLookAlikeRoot(root: string, path: string): readonly string[] | undefined {
  const rootParts = root.split(sep);
  const parts = path.split(sep);
  const isSame = rootParts.every((part, index) => foldName(part) === foldName(parts[index] ?? ''));
  return isSame ? parts.slice(rootParts.length) : undefined;
}

/** `alias/rest` of an external folder; the rest may not climb out of it. */
function findAliasedPath(path: string, access: FileAccess): LexicalPath | undefined {
  const [first = '', ...rest] = path.split(/[\\/]/);
  const root = findAlias(first, access);
  if (root === undefined) return undefined;
  const absolutePath = resolve(root.folder, rest.join('/'));
  return isWithin(root.folder, absolutePath) ? { absolutePath, root } : { absolutePath };
}

function findAlias(name: string, access: FileAccess): Root | undefined {
  const roots = externalRoots(access);
  const exact = roots.find(({ alias }) => alias === name);
  if (exact !== undefined) return exact;
  const [only, ...others] = roots.filter(({ alias }) => foldName(alias ?? '') === foldName(name));
  return others.length === 0 ? only : undefined;
}

/** For absolute paths that were given through a link, such as `/tmp` on macOS. */
async function findDisplayPath(realPath: string, access: FileAccess): Promise<string | undefined> {
  for (const { folder, ...root } of [{ folder: access.workspace }, ...externalRoots(access)]) {
    const realRoot = { ...root, folder: await realForm(folder) };
    if (isWithin(realRoot.folder, realPath)) return displayBelow(realRoot, realPath);
  }
  return undefined;
}

/** The file of exactly this name with links followed, else the only one whose name looks the same. */
async function findFile(path: string, lexical: LexicalPath, access: FileAccess): Promise<Result<FoundFile, Refusal>> {
  const { absolutePath: lexicalPath, root } = lexical;
  try {
    return ok({ realPath: await realpath(lexicalPath), lexicalPath });
  } catch (error) {
    // What lies outside is not told apart from what is not there.
    if (root === undefined) return fail({ code: 'OUTSIDE_WORKSPACE', name: path });
    const code = systemErrorCode(error);
    if (code === 'ENAMETOOLONG' || code === 'EINVAL') return fail(refuseAbsent(path));
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      return fail({ code: 'UNREADABLE', name: path, detail: describeSystemError(error) });
    }
    return findLookAlike(path, { absolutePath: lexicalPath, root }, access);
  }
}

async function findLookAlike(
  path: string,
  { absolutePath, root }: Required<LexicalPath>,
  access: FileAccess,
): Promise<Result<FoundFile, Refusal>> {
  // A link of exactly this name that leads nowhere is what was meant.
  if (await isPresent(absolutePath)) return fail(refuseAbsent(path));
  const parts = relative(root.folder, absolutePath).split(sep);
  const mayEnter = async (folder: string): Promise<boolean> => {
    return (
      (await refuseRealPath({ path, realPath: await realForm(folder), lexicalPath: folder }, access)) === undefined
    );
  };
  const candidates = await findLookAlikes(root.folder, parts, mayEnter);
  const found = (await Promise.all(candidates.map(followLinks))).filter((file) => file !== undefined);
  const [only, ...others] = await keepReadable(found, path, access);
  if (only === undefined) return found[0] === undefined ? fail(refuseAbsent(path)) : ok(found[0]);
  if (others.length === 0) return ok(only);
  const names = [only, ...others].map(({ lexicalPath }) => displayBelow(root, lexicalPath));
  return fail({ code: 'AMBIGUOUS_NAME', name: path, candidates: names });
}

async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function followLinks(lexicalPath: string): Promise<FoundFile | undefined> {
  const realPath = await realpath(lexicalPath).catch(() => undefined);
  return realPath === undefined ? undefined : { realPath, lexicalPath };
}

/** A list of candidates must not tell what reading would not. */
async function keepReadable(files: readonly FoundFile[], path: string, access: FileAccess): Promise<FoundFile[]> {
  const refusals = await Promise.all(files.map((file) => refuseRealPath({ path, ...file }, access)));
  return files.filter((_file, index) => refusals[index] === undefined);
}

/** `C:\a.png`, `C:/a.png` and `\\server\share`: on another system these are names like any other. */
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|\\\\[^\\/])/i;

function refuseAbsent(path: string): Refusal {
  const isForeign = process.platform !== 'win32' && WINDOWS_PATH.test(path);
  return { code: 'NOT_FOUND', name: path, ...(isForeign && { detail: 'windows-path' }) };
}

/** Relative to the workspace, or below the alias; forward slashes. */
function displayBelow({ folder, alias }: Root, path: string): string {
  const parts = relative(folder, path).split(sep);
  const shown = [...(alias === undefined ? [] : [alias]), ...parts].filter((part) => part !== '').join('/');
  return shown === '' ? '.' : shown;
}
