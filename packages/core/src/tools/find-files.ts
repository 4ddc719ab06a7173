import { stat } from 'node:fs/promises';
import Type from 'typebox';
import { type ResolvedPath, resolvePath } from '../attachments/access-policy.ts';
import { argumentActivity } from './argument-activity.ts';
import { findTexts } from './find-texts.ts';
import { compileGlob, type PathPattern } from './path-pattern.ts';
import { escapeControls } from './shown-name.ts';
import { toolTexts } from './texts.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';
import { defaultWalkBounds, type WalkBounds, type WalkEnd, walkFiles } from './walk-files.ts';

const name = 'find_files';

/** More names than this help no model; a narrower pattern does. */
const MOST_FILES = 500;

const Arguments = defineArguments(
  Type.Object(
    {
      pattern: Type.String({ minLength: 1 }),
      path: Type.Optional(Type.String({ minLength: 1 })),
      include_ignored: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);

/**
 * `find_files`: the paths below a folder that match a glob, sorted. What `.gitignore` leaves out is
 * left out unless it is asked for; what may not be read never occurs.
 */
export function createFindFilesTool(bounds: WalkBounds = defaultWalkBounds): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = findTexts[locale].findFiles;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('SEARCH', 'pattern'),
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const texts = findTexts[context.locale];
      const { pattern, path = '.', include_ignored: isIgnoredToo = false } = parsed.value;
      const compiled = compileGlob(pattern);
      if (!compiled.ok) return failedOutcome(texts.globFault(compiled.error));
      const start = await resolvePath(path, context.access);
      if (!start.ok) return refusedOutcome(start.error, context.locale);
      if (!(await isFolder(start.value))) return failedOutcome(toolTexts[context.locale].notAFolder(path));
      return listMatches({ matches: compiled.value, start: start.value, isIgnoredToo, bounds }, context);
    },
  };
}

/** Whether a resolved path is a folder. */
export async function isFolder({ realPath }: ResolvedPath): Promise<boolean> {
  return stat(realPath).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

async function listMatches(
  search: {
    readonly matches: PathPattern;
    readonly start: ResolvedPath;
    readonly isIgnoredToo: boolean;
    readonly bounds: WalkBounds;
  },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { matches, start, isIgnoredToo, bounds } = search;
  const { access, locale, signal } = context;
  const texts = findTexts[locale];
  const walk = walkFiles({ access, start, isIgnoredToo, bounds, signal });
  const found: string[] = [];
  let end: WalkEnd | undefined;
  while (end === undefined) {
    const next = await walk.next();
    if (next.done === true) end = next.value;
    else if (matches(next.value.parts)) found.push(next.value.displayPath);
  }
  const sorted = found.sort((one, other) => (one < other ? -1 : 1));
  const shown = sorted.slice(0, MOST_FILES);
  const lines = [
    ...shown.map(escapeControls),
    ...(found.length === 0 ? [texts.nothingFound(isIgnoredToo)] : []),
    ...(found.length > shown.length ? [texts.filesCut(shown.length, found.length)] : []),
    ...(end.cut === undefined ? [] : [texts.walkCut(end.cut, bounds)]),
    ...(end.unreadableFolders === 0 ? [] : [texts.unreadableFolders(end.unreadableFolders)]),
  ];
  return {
    isError: false,
    content: JSON.stringify({ content: lines.join('\n'), files: shown.length }),
    attachments: [],
  };
}
