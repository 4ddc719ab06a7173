import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type FileAccess, findAbsolutePath, refuseRealPath, resolvePath } from '../attachments/access-policy.ts';
import { isWithin, realForm } from '../attachments/forbidden-paths.ts';
import { isThere } from '../attachments/is-there.ts';
import { describeSystemError, systemErrorCode } from '../attachments/system-error.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ToolDemand } from './tool.ts';

/** Where a write goes: decided by name, and held to once more when it is done. */
export interface WriteTarget {
  /** As it was given. */
  readonly path: string;
  /** Absolute, without links: of a file that is there, or of one that would be. */
  readonly realPath: string;
  /** Relative to the workspace, with forward slashes; absolute outside of it. Never the name of a link. */
  readonly displayPath: string;
  readonly isInsideWorkspace: boolean;
  /** The nearest folder above it that is there, without links. */
  readonly folder: string;
  /** Folders between that one and the file, which are not there yet. */
  readonly newFolders: readonly string[];
  readonly fileName: string;
}

/** Why a file is not written. */
export type WriteFault =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** On the list of forbidden files. The same, whether or not it is there. */
  | { readonly kind: 'protected' }
  /** Nobody allowed this place. */
  | { readonly kind: 'not-granted' }
  /** A part of the path is a file. */
  | { readonly kind: 'not-a-folder' }
  /** The system would not: `detail` as of `describeSystemError`. */
  | { readonly kind: 'not-written'; readonly detail: string };

/**
 * Finds where a write to a path would go, with links followed; of what is not there yet, those of
 * the folders above it. A name that looks like that of a file which is there means that file.
 */
export async function resolveWriteTarget(path: string, access: FileAccess): Promise<Result<WriteTarget, WriteFault>> {
  const found = await resolvePath(path, access);
  if (found.ok) return describeTarget({ path, realPath: found.value.realPath, newParts: [] }, access);
  const { code, detail } = found.error;
  if (code === 'FORBIDDEN') return fail({ kind: 'protected' });
  const mayBeNew = code === 'OUTSIDE_WORKSPACE' || (code === 'NOT_FOUND' && detail === undefined);
  if (!mayBeNew || path === '' || path.includes('\0')) return fail({ kind: 'refused', refusal: found.error });
  const absolutePath = findAbsolutePath(path, access);
  const place = await findPlace(path, absolutePath);
  if (!place.ok) return place;
  const refusal = await refuseRealPath({ path, realPath: place.value.realPath, lexicalPath: absolutePath }, access);
  // Before anything else is said of it: the answer is the same, whatever is there.
  if (refusal?.code === 'FORBIDDEN') return fail({ kind: 'protected' });
  return place.value.isBelowFile ? fail({ kind: 'not-a-folder' }) : describeTarget({ path, ...place.value }, access);
}

interface Place {
  readonly realPath: string;
  /** Parts of it that are not there yet, the file's name last. */
  readonly newParts: readonly string[];
}

/** The nearest thing above that is there, with its links followed, and the rest of the path. */
async function findPlace(
  path: string,
  absolutePath: string,
): Promise<Result<Place & { readonly isBelowFile: boolean }, WriteFault>> {
  const newParts: string[] = [];
  let existing = absolutePath;
  try {
    while (!(await isThere(existing))) {
      newParts.unshift(basename(existing));
      existing = dirname(existing);
    }
    const realPath = await realpath(existing);
    const isBelowFile = newParts.length > 0 && !(await stat(realPath)).isDirectory();
    return ok({ realPath: join(realPath, ...newParts), newParts, isBelowFile });
  } catch (error) {
    // A link that leads nowhere: what it would make, its name does not tell.
    if (systemErrorCode(error) === 'ENOENT') {
      return fail({ kind: 'refused', refusal: { code: 'NOT_A_REGULAR_FILE', name: path, detail: 'link' } });
    }
    return fail({ kind: 'not-written', detail: describeSystemError(error) });
  }
}

async function describeTarget(
  { path, realPath, newParts }: Place & { readonly path: string },
  access: FileAccess,
): Promise<Result<WriteTarget, WriteFault>> {
  const workspace = await realForm(access.workspace);
  const isInsideWorkspace = isWithin(workspace, realPath);
  const shown = isInsideWorkspace ? relative(workspace, realPath) : realPath;
  const newFolders = newParts.slice(0, -1);
  return ok({
    path,
    realPath,
    displayPath: shown === '' ? '.' : shown.split(sep).join('/'),
    isInsideWorkspace,
    folder: join(realPath, '..', ...newFolders.map(() => '..')),
    newFolders,
    fileName: basename(realPath),
  });
}

/**
 * What a write to the target is. Below `.git` lie programs that git starts and settings that name
 * some: to write there is to run something later.
 */
export function demandOf({ displayPath: target, isInsideWorkspace }: WriteTarget): ToolDemand {
  const isGit = isInsideWorkspace && target.split('/').some((part) => part.toLowerCase() === '.git');
  return isGit ? { kind: 'execute', target } : { kind: 'write', target, isInsideWorkspace };
}

/** Whether a write to the target was allowed: where nothing was judged, a plain write inside the workspace is. */
export function isGranted(target: WriteTarget, granted: ToolDemand | undefined): boolean {
  const demand = demandOf(target);
  if (granted === undefined) return demand.kind === 'write' && demand.isInsideWorkspace;
  if (demand.kind === 'read' || granted.kind === 'read') return false;
  const isSameKind =
    demand.kind === 'write'
      ? granted.kind === 'write' && granted.isInsideWorkspace === demand.isInsideWorkspace
      : granted.kind === 'execute';
  return isSameKind && granted.target === demand.target;
}

/** The demand of a tool that writes to one path. What will be refused changes nothing. */
export async function judgeWrite(path: string, access: FileAccess): Promise<ToolDemand> {
  try {
    const target = await resolveWriteTarget(path, access);
    return target.ok ? demandOf(target.value) : { kind: 'read' };
  } catch {
    return { kind: 'write', target: path, isInsideWorkspace: false };
  }
}
