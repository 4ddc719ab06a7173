import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { AppError, fail, ok, type Refusal, type Result } from '@fovea/core/base';
import type { Fovea, Inspection } from '@fovea/server';
import type { CliTexts } from '../texts.ts';

/** A picture of the draft: admitted once for the user's eyes; the turn admits it again. */
export interface AttachedFile {
  /** Relative to the workspace. */
  readonly path: string;
  /** Where it came from: the same for what is attached twice. See {@link findSource}. */
  readonly source: string;
  readonly inspection: Extract<Inspection, { verdict: 'accepted' }>;
}

/** The place of a file without links, or the digest of bytes that have no place. */
export async function findSource(picture: string | Uint8Array, workspace: string): Promise<string> {
  if (typeof picture !== 'string') return `sha256:${createHash('sha256').update(picture).digest('hex')}`;
  const absolute = resolve(workspace, picture);
  return realpath(absolute).catch(() => absolute);
}

export interface AttachSurroundings {
  readonly fovea: Fovea;
  /** Absolute path. */
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly texts: CliTexts;
}

/** Folder inside the workspace for pictures that come from elsewhere (decision X18). */
const STAGING_FOLDER = '.fovea/attachments';

/**
 * Attaches a picture that the user named. One from outside the workspace is copied into the
 * workspace's `.fovea/attachments` first, because that is where a turn reads attachments.
 */
export async function attachFile(
  path: string,
  surroundings: AttachSurroundings,
): Promise<Result<AttachedFile, Refusal>> {
  const absolute = resolve(surroundings.workspace, path);
  const source = await findSource(path, surroundings.workspace);
  const inside = await isInside(absolute, surroundings.workspace);
  if (inside) return inspectAttachment(relativePath(absolute, surroundings.workspace), source, surroundings);
  // A folder that is not there would be complained of instead of the file.
  if (
    !(await stat(dirname(absolute)).then(
      () => true,
      () => false,
    ))
  )
    return fail({ code: 'NOT_FOUND', name: path });
  // Checked where it lies, so that nothing forbidden or broken is ever copied.
  const original = await inspectAttachment(basename(absolute), source, {
    ...surroundings,
    workspace: dirname(absolute),
  });
  if (!original.ok) return fail({ ...original.error, name: path });
  const staged = await stage(basename(absolute), surroundings, (target) =>
    copyFile(absolute, target, constants.COPYFILE_EXCL),
  );
  return inspectStaged(staged, source, surroundings);
}

/** Attaches the bytes of a picture, such as the clipboard's, by way of the same folder. */
export async function attachBytes(
  bytes: Uint8Array,
  name: string,
  surroundings: AttachSurroundings,
): Promise<Result<AttachedFile, Refusal>> {
  const staged = await stage(name, surroundings, (target) => writeFile(target, bytes, { flag: 'wx' }));
  return inspectStaged(staged, await findSource(bytes, surroundings.workspace), surroundings);
}

async function inspectStaged(
  path: string,
  source: string,
  surroundings: AttachSurroundings,
): Promise<Result<AttachedFile, Refusal>> {
  const attached = await inspectAttachment(path, source, surroundings);
  if (!attached.ok) await rm(join(surroundings.workspace, path), { force: true });
  return attached;
}

async function inspectAttachment(
  path: string,
  source: string,
  surroundings: AttachSurroundings,
): Promise<Result<AttachedFile, Refusal>> {
  const [inspection] = await surroundings.fovea.inspect([path], {
    as: 'attachment',
    workspace: surroundings.workspace,
    signal: surroundings.signal,
  });
  if (inspection?.verdict === 'accepted') return ok({ path, source, inspection });
  if (inspection?.verdict === 'refused') return fail(inspection.refusal);
  return fail({ code: 'NOT_AN_IMAGE', name: path, trueType: 'text/plain' });
}

/** Puts a file into the staging folder under its own name, or that name with a number. */
async function stage(
  name: string,
  { workspace, texts }: AttachSurroundings,
  write: (target: string) => Promise<void>,
): Promise<string> {
  const folder = join(workspace, STAGING_FOLDER);
  await mkdir(folder, { recursive: true });
  // A workspace from elsewhere may hold a link under this name: nothing is written through it.
  if (!(await isInside(folder, workspace))) throw new AppError('OUTSIDE_WORKSPACE', texts.linkOutside(folder));
  // The user's pasted pictures are not part of their project.
  await writeFile(join(workspace, '.fovea', '.gitignore'), '*\n', { flag: 'wx' }).catch(ignoreExisting);
  const extension = extname(name);
  const stem = basename(name, extension);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${stem}-${count}${extension}`;
    try {
      await write(join(folder, candidate));
      return `${STAGING_FOLDER}/${candidate}`;
    } catch (error) {
      if (!isExisting(error)) throw error;
    }
  }
}

async function isInside(path: string, folder: string): Promise<boolean> {
  const [realPath, realFolder] = await Promise.all([path, folder].map((each) => realpath(each).catch(() => each)));
  return realPath !== undefined && realFolder !== undefined && `${realPath}${sep}`.startsWith(`${realFolder}${sep}`);
}

function relativePath(path: string, folder: string): string {
  const direct = relative(folder, path);
  return (direct.startsWith('..') ? path : direct).split(sep).join('/');
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function ignoreExisting(error: unknown): void {
  if (!isExisting(error)) throw error;
}
