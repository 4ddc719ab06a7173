import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileAccess, type ResolvedPath, resolvePath } from '@fovea/core/attachments';
import { type Locale, ok, type Refusal, type Result } from '@fovea/core/base';
import { type FileReference, type ReferenceNoticeEvent, refusalText } from '@fovea/core/content';
import { findReferences, type TypedReference } from './find-references.ts';
import { readReferencedFile } from './read-referenced-file.ts';

/** So many files and folders one text may refer to. */
const MOST_REFERENCES = 20;
/** Source: requirement R125. */
const MOST_NAMES = 100;

/** What the `@path`s of one text name, each thing once, in the order of the text. */
export interface ResolvedReferences {
  /** Paths of pictures: they are attachments, and refuse the turn when one is bad. */
  readonly pictures: readonly string[];
  readonly references: readonly FileReference[];
  /** What exists, perhaps, and may not be read or shown: it stays text. */
  readonly notices: readonly ReferenceNoticeEvent[];
}

export interface ResolveReferencesOptions {
  readonly access: FileAccess;
  readonly locale: Locale;
  readonly signal: AbortSignal;
  /** Pictures that are attached anyway are not attached a second time. */
  readonly attachments: readonly string[];
}

/**
 * Looks up the `@path`s of a text (`docs/reference/outside.md`, requirement R125). What does not exist is text and
 * no more: an e-mail address, a decorator, the name of a package.
 */
export async function resolveReferences(text: string, options: ResolveReferencesOptions): Promise<ResolvedReferences> {
  const { access, locale } = options;
  const pictures: string[] = [];
  const references: FileReference[] = [];
  const notices: ReferenceNoticeEvent[] = [];
  const places = findReferences(text);
  if (places.length === 0) return { pictures, references, notices };
  const known = new Set(await listRealPaths(options));
  let coveredTo = 0;
  for (const place of places) {
    if (place.index < coveredTo || options.signal.aborted) continue;
    const target = await findTarget(place, access);
    if (target === undefined) continue;
    coveredTo = place.index + '@'.length + target.path.length;
    const found = target.found.ok
      ? await read(target.found.value, { known, count: references.length, access })
      : target.found;
    if (!found.ok) notices.push(toNotice(target.path, found.error, locale));
    else if (found.value === 'picture') pictures.push(target.path);
    else if (found.value !== 'known') references.push(found.value);
  }
  return { pictures, references, notices };
}

async function listRealPaths({ attachments, access }: ResolveReferencesOptions): Promise<readonly string[]> {
  const resolved = await Promise.all(attachments.map((path) => resolvePath(path, access)));
  return resolved.flatMap((one) => (one.ok ? [one.value.realPath] : []));
}

interface Target {
  /** The candidate that was meant. */
  readonly path: string;
  readonly found: Result<ResolvedPath, Refusal>;
}

/** The first candidate that names something; where none does, nothing was meant. */
async function findTarget({ candidates }: TypedReference, access: FileAccess): Promise<Target | undefined> {
  for (const path of candidates) {
    const found = await resolvePath(path, access);
    if (found.ok || found.error.code !== 'NOT_FOUND') return { path, found };
  }
  return undefined;
}

/** Adds what was found to `known`. */
async function read(
  resolved: ResolvedPath,
  { known, count, access }: { readonly known: Set<string>; readonly count: number; readonly access: FileAccess },
): Promise<Result<FileReference | 'picture' | 'known', Refusal>> {
  if (known.has(resolved.realPath)) return ok('known');
  const isFolder = await stat(resolved.realPath).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (count === MOST_REFERENCES) {
    const limits = { actual: count + 1, limit: MOST_REFERENCES };
    return { ok: false, error: { code: 'TOO_MANY_ITEMS', name: resolved.path, ...limits } };
  }
  const found = isFolder ? ok(await listFolder(resolved, access)) : await readReferencedFile(resolved.path, access);
  if (found.ok) known.add(resolved.realPath);
  return found;
}

/** Names that may be read only: a listing must not tell what reading would not. */
async function listFolder({ realPath, displayPath }: ResolvedPath, access: FileAccess): Promise<FileReference> {
  const entries = await readdir(realPath, { withFileTypes: true }).catch(() => []);
  const sorted = entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  const names: string[] = [];
  let hiddenCount = 0;
  for (const entry of sorted) {
    if (names.length === MOST_NAMES) break;
    const { ok: mayRead } = await resolvePath(join(realPath, entry.name), access);
    if (mayRead) names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
    else hiddenCount += 1;
  }
  return { kind: 'folder', path: displayPath, names, entryCount: entries.length - hiddenCount };
}

function toNotice(path: string, refusal: Refusal, locale: Locale): ReferenceNoticeEvent {
  return {
    type: 'reference-notice',
    path,
    code: refusal.code,
    message: refusalText({ ...refusal, name: path }, locale),
  };
}
