import Type from 'typebox';
import { type ResolvedPath, resolvePath } from '../attachments/access-policy.ts';
import { openSource } from '../attachments/open-source.ts';
import type { Refusal } from '../base/refusal.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { MIB } from '../base/units.ts';
import { argumentActivity } from './argument-activity.ts';
import { isFolder } from './find-files.ts';
import { findTexts } from './find-texts.ts';
import { type LineMatcher, startLineMatcher } from './line-matcher.ts';
import type { LineQuery } from './match-lines.ts';
import { compileGlob, type PathPattern } from './path-pattern.ts';
import { readWalkedFile } from './read-walked-file.ts';
import { addOutcome, MOST_HITS, type SearchReport, searchNotes, startReport } from './search-report.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';
import { defaultWalkBounds, type WalkBounds, type WalkEnd, type WalkedFile, walkFiles } from './walk-files.ts';

const name = 'search_text';

const LONGEST_LINE = 300;
/** A larger file is data, not text that a person wrote. */
const MOST_BYTES = 5 * MIB;
/** Files that are read side by side. */
const BATCH = 16;

const Arguments = defineArguments(
  Type.Object(
    {
      pattern: Type.String({ minLength: 1, maxLength: 2000 }),
      path: Type.Optional(Type.String({ minLength: 1 })),
      glob: Type.Optional(Type.String({ minLength: 1 })),
      literal: Type.Optional(Type.Boolean()),
      ignore_case: Type.Optional(Type.Boolean()),
      context_lines: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
      include_ignored: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);

export interface SearchBounds extends WalkBounds {
  /** How long the search of one file may take. */
  readonly patienceMs: number;
}

const defaultSearchBounds: SearchBounds = { ...defaultWalkBounds, patienceMs: 5_000 };

/**
 * `search_text`: the lines of files that hold a text or match a regular expression. Files are read
 * by the rules of the access policy; the expression runs in a thread that can be ended.
 */
export function createSearchTextTool(bounds: SearchBounds = defaultSearchBounds): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = findTexts[locale].searchText;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('SEARCH', 'pattern'),
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const texts = findTexts[context.locale];
      const { path = '.', glob, include_ignored: isIgnoredToo = false } = parsed.value;
      const query = makeQuery(parsed.value);
      if (!query.ok) return failedOutcome(texts.expressionFault(query.error));
      const compiled = glob === undefined ? ok(() => true) : compileGlob(glob);
      if (!compiled.ok) return failedOutcome(texts.globFault(compiled.error));
      const start = await resolvePath(path, context.access);
      if (!start.ok) return refusedOutcome(start.error, context.locale);
      const matcher = startLineMatcher(query.value, bounds.patienceMs);
      const search: Search = { matches: compiled.value, start: start.value, isIgnoredToo, bounds, matcher };
      try {
        if (await isFolder(start.value)) return await searchFolder(search, context);
        return await searchFile(search, context);
      } finally {
        await matcher.close();
      }
    },
  };
}

interface Search {
  readonly matches: PathPattern;
  readonly start: ResolvedPath;
  readonly isIgnoredToo: boolean;
  readonly bounds: SearchBounds;
  readonly matcher: LineMatcher;
}

/** Names of characters (`\p{L}`) need the flag `u`, which forbids some escapes that people write. */
function makeQuery(search: {
  readonly pattern: string;
  readonly literal?: boolean;
  readonly ignore_case?: boolean;
  readonly context_lines?: number;
}): Result<LineQuery, string> {
  const written = search.literal === true ? escapeExpression(search.pattern) : search.pattern;
  const [, isLoose, rest] = /^(\(\?i\))?([\s\S]*)$/.exec(written) ?? [];
  const caseFlag = search.ignore_case === true || isLoose !== undefined ? 'i' : '';
  const source = rest ?? written;
  const bounds = { contextLines: search.context_lines ?? 0, mostHits: MOST_HITS + 1, longestLine: LONGEST_LINE };
  let problem = '';
  for (const flags of [`u${caseFlag}`, caseFlag]) {
    try {
      new RegExp(source, flags);
      return ok({ source, flags, ...bounds });
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return fail(problem);
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

async function searchFolder(search: Search, context: ToolContext): Promise<ToolOutcome> {
  const { matches, start, isIgnoredToo, bounds } = search;
  const { access, signal } = context;
  const walk = walkFiles({ access, start, isIgnoredToo, bounds, signal });
  const report = startReport();
  let end: WalkEnd | undefined;
  while (end === undefined && !report.isCut && report.stuckFile === undefined) {
    const batch: WalkedFile[] = [];
    while (end === undefined && batch.length < BATCH) {
      const next = await walk.next();
      if (next.done === true) end = next.value;
      // A link's target is searched under its own name, where it lies below the folder.
      else if (!next.value.isLink && matches(next.value.parts)) batch.push(next.value);
    }
    await searchBatch(batch, search.matcher, report);
  }
  return outcomeOf(report, search, { context, end });
}

async function searchBatch(files: readonly WalkedFile[], matcher: LineMatcher, report: SearchReport): Promise<void> {
  const outcomes = await Promise.all(
    files.map(async (file) => {
      const read = await readWalkedFile(file.realPath, { maxBytes: MOST_BYTES });
      return 'kind' in read ? { file, unread: read } : { file, bytes: read };
    }),
  );
  // In the order of names, whichever was read first.
  const matched = outcomes.map(({ file, bytes, unread }) => ({ file, outcome: unread ?? matcher.match(bytes) }));
  for (const { file, outcome } of matched) addOutcome(report, file.displayPath, await outcome);
}

async function searchFile(search: Search, context: ToolContext): Promise<ToolOutcome> {
  const { path } = search.start;
  const opened = await openSource(path, context.access);
  if (!opened.ok) return refusedOutcome(opened.error, context.locale);
  try {
    const { sizeBytes, displayPath } = opened.value;
    if (sizeBytes > MOST_BYTES) {
      const refusal: Refusal = { code: 'TEXT_TOO_LARGE', name: path, actual: sizeBytes, limit: MOST_BYTES };
      return refusedOutcome(refusal, context.locale);
    }
    const read = await opened.value.read({ maxBytes: MOST_BYTES, signal: context.signal });
    if (!read.ok) return refusedOutcome(read.error, context.locale);
    const report = startReport();
    addOutcome(report, displayPath, await search.matcher.match(new Uint8Array(read.value)));
    return outcomeOf(report, search, { context });
  } finally {
    await opened.value.close();
  }
}

function outcomeOf(
  report: SearchReport,
  search: Search,
  { context, end }: { readonly context: ToolContext; readonly end?: WalkEnd | undefined },
): ToolOutcome {
  const texts = findTexts[context.locale];
  const notes = [
    ...(report.hits === 0 && report.stuckFile === undefined ? [texts.nothingFound(search.isIgnoredToo)] : []),
    ...searchNotes(report, texts, { mostBytes: MOST_BYTES, patienceMs: search.bounds.patienceMs }),
    ...(end?.cut === undefined ? [] : [texts.walkCut(end.cut, search.bounds)]),
    ...(end === undefined || end.unreadableFolders === 0 ? [] : [texts.unreadableFolders(end.unreadableFolders)]),
  ];
  const content = [...report.lines, ...(notes.length > 0 && report.lines.length > 0 ? [''] : []), ...notes].join('\n');
  return {
    isError: report.stuckFile !== undefined,
    content: JSON.stringify({ content, hits: report.hits, files: report.files }),
    attachments: [],
  };
}
