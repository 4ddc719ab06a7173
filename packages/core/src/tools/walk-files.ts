import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type FileAccess, type ResolvedPath, resolvePath } from '../attachments/access-policy.ts';
import { isAnyForbidden, isWithin, realForm, realForms } from '../attachments/forbidden-paths.ts';
import type { WalkCut } from './find-texts.ts';
import { holdFolder } from './hold-folder.ts';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts';
import { readWalkedFile } from './read-walked-file.ts';

/** What bounds a walk. */
export interface WalkBounds {
  /** Files and folders that are looked at. */
  readonly entries: number;
  /** Folders below the start. */
  readonly depth: number;
  readonly durationMs: number;
}

/** Generous for a repository, small for a home folder or a disk. */
export const defaultWalkBounds: WalkBounds = { entries: 200_000, depth: 64, durationMs: 20_000 };

export interface WalkOptions {
  readonly access: FileAccess;
  /** The folder to begin with, resolved. */
  readonly start: ResolvedPath;
  /** Also what `.gitignore` files leave out. */
  readonly isIgnoredToo: boolean;
  readonly bounds: WalkBounds;
  readonly signal: AbortSignal;
}

export interface WalkedFile {
  /** From the start folder. */
  readonly parts: readonly string[];
  /** Absolute, without links. */
  readonly realPath: string;
  /** As tools name it: relative to the workspace or below an alias; forward slashes. */
  readonly displayPath: string;
  /** Its name is a link; `realPath` is the target's. */
  readonly isLink: boolean;
}

/** What a walk left out, unlike what it was told to leave out. */
export interface WalkEnd {
  readonly cut?: WalkCut;
  readonly unreadableFolders: number;
}

/** Longest `.gitignore` that is read. */
const MOST_IGNORE_BYTES = 1024 * 1024;
/** How long the walk keeps others waiting. */
const SLICE_MS = 20;

/**
 * Every regular file below a folder, in the order of names, folder after folder. `.git` is never
 * entered, links to folders are not followed, what may not be read does not occur, and what
 * `.gitignore` files between the workspace and the file leave out only on demand. Where the start
 * itself is ignored, it was asked for: then only the files inside it count.
 *
 * Throws the signal's reason when it is aborted.
 */
export async function* walkFiles(options: WalkOptions): AsyncGenerator<WalkedFile, WalkEnd> {
  const walk: Walk = {
    options,
    isForbidden: await createForbiddenCheck(options.access, options.start.realPath),
    endsAtMs: performance.now() + options.bounds.durationMs,
    sliceEndsAtMs: performance.now() + SLICE_MS,
    entries: 0,
    unreadableFolders: 0,
  };
  const rules = options.isIgnoredToo ? [] : await readRulesAbove(options.start.realPath, options.access);
  yield* walkFolder({ path: options.start.realPath, parts: [], rules }, walk);
  return { unreadableFolders: walk.unreadableFolders, ...(walk.cut && { cut: walk.cut }) };
}

interface Walk {
  readonly options: WalkOptions;
  readonly isForbidden: (path: string, name: string) => Promise<boolean>;
  readonly endsAtMs: number;
  sliceEndsAtMs: number;
  entries: number;
  unreadableFolders: number;
  cut?: WalkCut;
}

interface Folder {
  readonly path: string;
  readonly parts: readonly string[];
  /** Of this folder and those above, the nearest last. */
  readonly rules: readonly PlacedRules[];
}

/** The rules of one `.gitignore`. */
interface PlacedRules {
  /** Its folder, without links. */
  readonly folder: string;
  readonly rules: IgnoreRules;
}

async function* walkFolder(folder: Folder, walk: Walk): AsyncGenerator<WalkedFile, void> {
  const entries = await listFolder(folder.path);
  if (entries === undefined) {
    walk.unreadableFolders += 1;
    return;
  }
  const rules = walk.options.isIgnoredToo ? [] : await addRulesOf(folder, entries);
  for (const entry of entries) {
    if (!(await mayGoOn(walk))) return;
    const path = join(folder.path, entry.name);
    const parts = [...folder.parts, entry.name];
    if (entry.name === '.git' || isIgnored(path, entry.isDirectory(), rules)) continue;
    if (await walk.isForbidden(path, entry.name)) continue;
    if (entry.isDirectory()) {
      if (parts.length >= walk.options.bounds.depth) walk.cut ??= 'depth';
      else yield* walkFolder({ path, parts, rules }, walk);
    } else if (entry.isFile()) yield { parts, realPath: path, displayPath: displayPath(walk, parts), isLink: false };
    else if (entry.isSymbolicLink()) {
      const target = await followLink(path, walk.options.access);
      if (target !== undefined) {
        yield { parts, realPath: target, displayPath: displayPath(walk, parts), isLink: true };
      }
    }
  }
}

/** Counts an entry; false once the walk is over. Lets others run now and then. */
async function mayGoOn(walk: Walk): Promise<boolean> {
  walk.options.signal.throwIfAborted();
  if (walk.cut === 'entries' || walk.cut === 'duration') return false;
  walk.entries += 1;
  const nowMs = performance.now();
  if (walk.entries > walk.options.bounds.entries) walk.cut = 'entries';
  else if (nowMs > walk.endsAtMs) walk.cut = 'duration';
  else if (nowMs > walk.sliceEndsAtMs) {
    await setImmediate();
    walk.sliceEndsAtMs = performance.now() + SLICE_MS;
  }
  return walk.cut !== 'entries' && walk.cut !== 'duration';
}

/** Undefined where it cannot be listed, or where a link has taken its place. */
async function listFolder(path: string): Promise<readonly Dirent[] | undefined> {
  const held = await holdFolder(path).catch(() => undefined);
  if (held === undefined) return undefined;
  try {
    const entries = await readdir(held.path, { withFileTypes: true });
    if (!(await held.isInPlace())) return undefined;
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return undefined;
  } finally {
    await held.close();
  }
}

function displayPath(walk: Walk, parts: readonly string[]): string {
  const above = walk.options.start.displayPath;
  return [...(above === '.' ? [] : [above]), ...parts].join('/');
}

/** The target of a link to a file that may be read. */
async function followLink(path: string, access: FileAccess): Promise<string | undefined> {
  const resolved = await resolvePath(path, access);
  if (!resolved.ok) return undefined;
  const facts = await stat(resolved.value.realPath).catch(() => undefined);
  return facts?.isFile() === true ? resolved.value.realPath : undefined;
}

function isIgnored(path: string, isFolder: boolean, placed: readonly PlacedRules[]): boolean {
  for (const { folder, rules } of placed.toReversed()) {
    const decision = rules.decide(relative(folder, path).split(sep), isFolder);
    if (decision !== undefined) return decision === 'ignored';
  }
  return false;
}

async function addRulesOf(folder: Folder, entries: readonly Dirent[]): Promise<readonly PlacedRules[]> {
  const isThere = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const rules = isThere ? await readRules(folder.path) : undefined;
  return rules === undefined ? folder.rules : [...folder.rules, rules];
}

async function readRules(folder: string): Promise<PlacedRules | undefined> {
  const read = await readWalkedFile(join(folder, '.gitignore'), { maxBytes: MOST_IGNORE_BYTES });
  return 'kind' in read ? undefined : { folder, rules: parseIgnoreRules(new TextDecoder().decode(read)) };
}

/** Of the folders from the workspace, or that of an alias, down to the start, without the start. */
async function readRulesAbove(start: string, access: FileAccess): Promise<readonly PlacedRules[]> {
  const roots = await Promise.all([access.workspace, ...Object.values(access.externalFolders)].map(realForm));
  const root = roots.filter((folder) => isWithin(folder, start)).sort((one, other) => other.length - one.length)[0];
  if (root === undefined) return [];
  const placed: PlacedRules[] = [];
  let folder = root;
  for (const part of relative(root, start).split(sep)) {
    if (part === '') break;
    const rules = await readRules(folder);
    if (rules !== undefined) placed.push(rules);
    folder = join(folder, part);
    if (isIgnored(folder, true, placed)) return [];
  }
  return placed;
}

/**
 * The rules of `access-policy.ts` for the next part of a path whose folder was judged already. The
 * hundred entries of the list are not gone through for every part of every path again.
 */
async function createForbiddenCheck(
  access: FileAccess,
  start: string,
): Promise<(path: string, name: string) => Promise<boolean>> {
  const names = access.forbidden.filter((entry) => !isAbsolute(entry));
  const paths = (await realForms(access.forbidden.filter((entry) => isAbsolute(entry)))).filter((path) =>
    isWithin(start, path),
  );
  const known = new Map<string, Promise<boolean>>();
  return async (path, name) => {
    if (paths.some((forbidden) => isWithin(forbidden, path))) return true;
    const judged = known.get(name) ?? isAnyForbidden([name], names);
    known.set(name, judged);
    return judged;
  };
}
