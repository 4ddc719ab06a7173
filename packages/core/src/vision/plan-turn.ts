import { locales } from '../base/locale.ts';
import { refusalText } from '../content/refusal-texts.ts';
import { findPicturePaths, isPicturePath, type NamedPicture } from './find-picture-paths.ts';
import type { AnsweredCall, CurrentTurn } from './read-current-turn.ts';
import { suggestName } from './suggest-name.ts';

export const VIEW_TOOL = 'view_image';
export const LIST_TOOL = 'list_directory';

/** A call to make: both tools take a path. */
export interface PlannedCall {
  readonly toolName: string;
  readonly path: string;
}

/** Why a named picture could not be seen. */
export interface ViewFailure {
  /** The words of the tool about the first reading of the name. */
  readonly reason: string;
  /** The other readings that were not found either. */
  readonly alsoTried: readonly string[];
  /** The name may have had more words: quotes would tell. */
  readonly mayBeLonger: boolean;
  /** A picture that is there and has a similar name. */
  readonly suggestion: string | undefined;
}

export interface TurnPlan {
  readonly calls: readonly PlannedCall[];
  /** What to tell when there is nothing to call. */
  readonly failures: readonly ViewFailure[];
}

/**
 * What to ask for next: the pictures that the question names, one reading of a name after the
 * other as long as it is not found, then one list of a folder for a suggestion. A call that was
 * made is never repeated, so that a turn always ends.
 */
export function planTurn(turn: CurrentTurn, tools: ReadonlySet<string>): TurnPlan {
  if (!tools.has(VIEW_TOOL)) return { calls: [], failures: [] };
  const outcomes = findPicturePaths(turn.text)
    .filter((named) => !isGiven(named, turn))
    .map((named) => followTries(named, turn.calls));
  const wanted = new Set(outcomes.flatMap(({ next }) => (next === undefined ? [] : [next])));
  if (wanted.size > 0) {
    return { calls: [...wanted].map((path) => ({ toolName: VIEW_TOOL, path })), failures: [] };
  }
  const missing = outcomes.flatMap(({ missing: path }) => path ?? [])[0];
  if (missing === undefined) return { calls: [], failures: collectFailures(outcomes, undefined) };
  const folder = folderOf(missing);
  const list = turn.calls.find((call) => call.toolName === LIST_TOOL);
  if (list === undefined && tools.has(LIST_TOOL)) {
    return { calls: [{ toolName: LIST_TOOL, path: folder === '' ? '.' : folder }], failures: [] };
  }
  return { calls: [], failures: collectFailures(outcomes, { folder, names: listedPictures(list) }) };
}

interface Outcome {
  readonly next?: string;
  /** The shortest reading, when none was found. */
  readonly missing?: string;
  readonly failure?: Omit<ViewFailure, 'suggestion'>;
}

function followTries(named: NamedPicture, calls: readonly AnsweredCall[]): Outcome {
  const views = calls.filter((call) => call.toolName === VIEW_TOOL);
  let firstReason: string | undefined;
  for (const path of named.candidates) {
    const call = views.find((one) => one.path === path);
    if (call === undefined) return { next: path };
    if (call.result === undefined) return {};
    // A call that went well gave no picture, else the picture were among the given ones.
    if (!call.result.isError || !isNotFound(call.result.text)) {
      return { failure: { reason: call.result.text, alsoTried: [], mayBeLonger: false } };
    }
    firstReason ??= call.result.text;
  }
  const missing = named.candidates.at(-1);
  if (missing === undefined || firstReason === undefined) return {};
  const alsoTried = named.candidates.slice(1);
  return { missing, failure: { reason: firstReason, alsoTried, mayBeLonger: named.mayBeLonger } };
}

/** In which language the tools speak is the session's matter, not this provider's. */
function isNotFound(words: string): boolean {
  return locales.some((locale) => words.startsWith(refusalText({ code: 'NOT_FOUND', name: '' }, locale)));
}

function isGiven(named: NamedPicture, turn: CurrentTurn): boolean {
  const names = new Set(turn.pictures.map((picture) => baseName(picture.name)));
  return named.candidates.some((path) => names.has(baseName(path)));
}

interface Listing {
  readonly folder: string;
  readonly names: readonly string[];
}

function collectFailures(outcomes: readonly Outcome[], listing: Listing | undefined): readonly ViewFailure[] {
  const failures = new Map<string, ViewFailure>();
  for (const { failure, missing } of outcomes) {
    if (failure === undefined) continue;
    const isListed = missing !== undefined && folderOf(missing) === listing?.folder;
    const name = isListed ? suggestName(baseName(missing), listing.names) : undefined;
    failures.set(failure.reason, { ...failure, suggestion: name === undefined ? undefined : listing?.folder + name });
  }
  return [...failures.values()];
}

/** Entries are one a line; a folder ends with a slash, a file is followed by its size. */
function listedPictures(call: AnsweredCall | undefined): readonly string[] {
  if (call?.result === undefined || call.result.isError) return [];
  return call.result.text
    .split('\n')
    .map((line) => line.replace(/ {2}\([^()]*\)$/, ''))
    .filter(isPicturePath);
}

/** With its slash; empty for a bare name. */
function folderOf(path: string): string {
  return path.slice(0, path.length - baseName(path).length);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
