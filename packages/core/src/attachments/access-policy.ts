import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
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
  readonly displayPath: string | undefined;
}

/**
 * Decides by name whether a path may be read, and where it leads: below the workspace, below the
 * folder of an alias, or nowhere. Links are followed and their target is held to the same rules.
 *
 * Refuses with `NOT_FOUND`, `OUTSIDE_WORKSPACE`, `FORBIDDEN`, `UNREADABLE`. A model is told the
 * second and third as the first (`refusalText`).
 */
export async function resolvePath(path: string, access: FileAccess): Promise<Result<ResolvedPath, Refusal>> {
  if (path === '' || path.includes('\0')) return fail({ code: 'NOT_FOUND', name: path });
  const lexical = findLexicalPath(path, access);
  const found = await findExactFile(lexical.absolutePath, path);
  if (!found.ok) {
    // What lies outside is not told apart from what is not there.
    const isOutside = lexical.displayPath === undefined;
    return isOutside && found.error.code === 'NOT_FOUND' ? fail({ code: 'OUTSIDE_WORKSPACE', name: path }) : found;
  }
  const realPath = found.value;
  const refusal = await refuseRealPath({ path, realPath, lexicalPath: lexical.absolutePath }, access);
  if (refusal !== undefined) return fail(refusal);
  const displayPath = lexical.displayPath ?? (await findDisplayPath(realPath, access)) ?? path;
  return ok({ path, realPath, displayPath });
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

async function isAnyForbidden(candidates: readonly string[], entries: readonly string[]): Promise<boolean> {
  const forbidden = await realForms(entries);
  return candidates.some((candidate) => isForbidden(candidate, forbidden));
}

function findLexicalPath(path: string, access: FileAccess): LexicalPath {
  const aliased = isAbsolute(path) ? undefined : findAliasedPath(path, access);
  if (aliased !== undefined) return aliased;
  const absolutePath = resolve(access.workspace, path);
  if (isWithin(access.workspace, absolutePath)) {
    return { absolutePath, displayPath: toDisplay(relative(access.workspace, absolutePath)) };
  }
  return { absolutePath, displayPath: findExternalDisplay(absolutePath, access) };
}

/** `alias/rest` of an external folder; the rest may not climb out of it. */
function findAliasedPath(path: string, access: FileAccess): LexicalPath | undefined {
  const [alias = '', ...rest] = path.split(/[\\/]/);
  if (!Object.hasOwn(access.externalFolders, alias)) return undefined;
  const folder = access.externalFolders[alias];
  if (folder === undefined) return undefined;
  const absolutePath = resolve(folder, rest.join('/'));
  const isInside = isWithin(folder, absolutePath);
  return { absolutePath, displayPath: isInside ? displayBelow(alias, relative(folder, absolutePath)) : undefined };
}

function findExternalDisplay(absolutePath: string, access: FileAccess): string | undefined {
  for (const [alias, folder] of Object.entries(access.externalFolders)) {
    if (isWithin(folder, absolutePath)) return displayBelow(alias, relative(folder, absolutePath));
  }
  return undefined;
}

/** For absolute paths that were given through a link, such as `/tmp` on macOS. */
async function findDisplayPath(realPath: string, access: FileAccess): Promise<string | undefined> {
  const workspace = await realForm(access.workspace);
  if (isWithin(workspace, realPath)) return toDisplay(relative(workspace, realPath));
  for (const [alias, folder] of Object.entries(access.externalFolders)) {
    const realFolder = await realForm(folder);
    if (isWithin(realFolder, realPath)) return displayBelow(alias, relative(realFolder, realPath));
  }
  return undefined;
}

/** The file of exactly this name, links followed. The place where look-alike names would be searched. */
async function findExactFile(absolutePath: string, name: string): Promise<Result<string, Refusal>> {
  try {
    return ok(await realpath(absolutePath));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'EINVAL') {
      return fail({ code: 'NOT_FOUND', name });
    }
    return fail({ code: 'UNREADABLE', name, detail: describeSystemError(error) });
  }
}

/** Paths with links followed where they exist, beside the paths as they are; names stay names. */
async function realForms(entries: readonly string[]): Promise<readonly string[]> {
  const forms = await Promise.all(
    entries.map(async (entry) => (isAbsolute(entry) ? [entry, await realForm(entry)] : [entry])),
  );
  return forms.flat();
}

async function realForm(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function isForbidden(candidate: string, forbidden: readonly string[]): boolean {
  return forbidden.some((entry) =>
    isAbsolute(entry) ? isWithin(entry, candidate) : candidate.split(sep).some((part) => matchesName(part, entry)),
  );
}

/** Whether a part of a path has the name; `*` stands for any characters. */
function matchesName(part: string, pattern: string): boolean {
  const pieces = pattern.toLowerCase().split('*');
  const name = part.toLowerCase();
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return name === first;
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > name.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/** Whether `path` is `folder` or lies below it. */
function isWithin(folder: string, path: string): boolean {
  const way = relative(foldCase(folder), foldCase(path));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Where file systems usually do not tell upper and lower case apart, neither do the rules. */
function foldCase(path: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? path.toLowerCase() : path;
}

function displayBelow(alias: string, rest: string): string {
  return rest === '' ? alias : `${alias}/${toDisplay(rest)}`;
}

function toDisplay(path: string): string {
  return path === '' ? '.' : path.split(sep).join('/');
}
