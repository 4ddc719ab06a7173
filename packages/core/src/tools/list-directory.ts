import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import { type FileAccess, resolvePath } from '../attachments/access-policy.ts';
import { describeSystemError, systemErrorCode } from '../attachments/system-error.ts';
import { isRecord } from '../base/parse-json.ts';
import { formatBytes } from '../base/units.ts';
import { escapeControls } from './shown-name.ts';
import { type ToolTexts, toolTexts } from './texts.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'list_directory';

/** More names than this help no model; it can list a folder below instead. */
const MOST_ENTRIES = 500;
/** Entries that are looked at side by side. */
const BATCH = 32;

const Arguments = defineArguments(
  Type.Object({ path: Type.Optional(Type.String({ minLength: 1 })) }, { additionalProperties: false }),
);

/**
 * `list_directory`: the entries of one folder, sorted by name, hidden ones too. What may not be
 * read is left out, so that a listing does not tell what reading would not.
 */
export function createListDirectoryTool(): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = toolTexts[locale].listDirectory;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: (toolArguments) => {
      const path = isRecord(toolArguments) ? toolArguments['path'] : undefined;
      return { kind: 'LIST', target: typeof path === 'string' ? path : '.' };
    },
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      return listFolder(parsed.value.path ?? '.', context);
    },
  };
}

async function listFolder(path: string, context: ToolContext): Promise<ToolOutcome> {
  const { access, locale } = context;
  const texts = toolTexts[locale];
  const resolved = await resolvePath(path, access);
  if (!resolved.ok) return refusedOutcome(resolved.error, locale);
  const folder = resolved.value.realPath;
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return failedOutcome(texts.notAFolder(path));
    return refusedOutcome({ code: 'UNREADABLE', name: path, detail: describeSystemError(error) }, locale);
  }
  const sorted = names.sort((one, other) => (one < other ? -1 : 1));
  const { lines, isCut } = await describeEntries(sorted, { folder, context });
  const content = [
    ...(lines.length === 0 ? [texts.emptyFolder] : lines),
    ...(isCut ? [texts.listCut(lines.length)] : []),
  ];
  return {
    isError: false,
    content: JSON.stringify({ content: content.join('\n'), entries: lines.length }),
    attachments: [],
  };
}

async function describeEntries(
  names: readonly string[],
  { folder, context }: { readonly folder: string; readonly context: ToolContext },
): Promise<{ readonly lines: readonly string[]; readonly isCut: boolean }> {
  const { access, locale, signal } = context;
  const lines: string[] = [];
  for (let start = 0; start < names.length; start += BATCH) {
    signal.throwIfAborted();
    const batch = names.slice(start, start + BATCH);
    const described = await Promise.all(
      batch.map((entry) => describeEntry(entry, { folder, access, texts: toolTexts[locale] })),
    );
    lines.push(...described.filter((line) => line !== undefined));
    if (lines.length > MOST_ENTRIES) return { lines: lines.slice(0, MOST_ENTRIES), isCut: true };
  }
  return { lines, isCut: false };
}

/** Undefined for what may not be read, leads out of the workspace, or is gone meanwhile. */
async function describeEntry(
  entry: string,
  options: { readonly folder: string; readonly access: FileAccess; readonly texts: ToolTexts },
): Promise<string | undefined> {
  const { folder, access, texts } = options;
  const path = join(folder, entry);
  const resolved = await resolvePath(path, access);
  if (!resolved.ok) return undefined;
  try {
    const isLink = (await lstat(path)).isSymbolicLink();
    const facts = await stat(resolved.value.realPath);
    const notes = [
      ...(facts.isFile() ? [formatBytes(facts.size)] : []),
      ...(facts.isFile() || facts.isDirectory() ? [] : [texts.special]),
      ...(isLink ? [texts.link] : []),
    ];
    const shown = `${escapeControls(entry)}${facts.isDirectory() ? '/' : ''}`;
    return notes.length === 0 ? shown : `${shown}  (${notes.join(', ')})`;
  } catch {
    return undefined;
  }
}
