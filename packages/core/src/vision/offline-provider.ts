import { AppError, toAppError } from '../base/app-error.ts';
import type { Locale } from '../base/locale.ts';
import type { ToolCallPart } from '../content/parts.ts';
import type { ModelRequest } from '../content/request.ts';
import type { Endpoint, Provider, ProviderContext, ProviderEvent } from '../providers/provider.ts';
import { describePicture } from './describe-picture.ts';
import { findPicturePaths } from './find-picture-paths.ts';
import { createOcrReader } from './ocr.ts';
import { type AnsweredCall, type CurrentTurn, readCurrentTurn } from './read-current-turn.ts';
import type { TextReader } from './text-reader.ts';
import { offlineTexts } from './texts.ts';

export interface OfflineProviderOptions {
  /** The language of the answers; `en` unless given. */
  readonly locale?: Locale;
  /** Makes the reader of one answer; it is closed when the answer ends. */
  readonly openReader?: () => TextReader;
}

const VIEW_TOOL = 'view_image';

/**
 * The offline reader: a provider that answers without any model, from what can be read in the
 * pictures of the turn. When the question names a picture that was not given, it asks for it by
 * `view_image`; a call that has an answer is never repeated, so that a turn always ends.
 */
export function createOfflineProvider(options: OfflineProviderOptions = {}): Provider {
  const locale = options.locale ?? 'en';
  const openReader = options.openReader ?? createOcrReader;
  return {
    wireApi: 'offline',
    async *stream(request: ModelRequest, _endpoint: Endpoint, context: ProviderContext) {
      try {
        yield { type: 'request-sent', bodyBytes: 0 };
        context.signal.throwIfAborted();
        yield* answer(request, { context, locale, openReader });
      } catch (error) {
        const canceled = new AppError('CANCELED', 'the answer was cancelled', { cause: error });
        yield { type: 'error', error: context.signal.aborted ? canceled : toAppError(error) };
      }
    },
  };
}

interface Answering {
  readonly context: ProviderContext;
  readonly locale: Locale;
  readonly openReader: () => TextReader;
}

async function* answer(request: ModelRequest, answering: Answering): AsyncGenerator<ProviderEvent> {
  const turn = readCurrentTurn(request);
  const canView = request.tools.some((tool) => tool.name === VIEW_TOOL);
  const { wanted, failures } = planViews(turn);
  if (canView && wanted.length > 0) {
    for (const call of toCalls(wanted, turn.knownCallIds)) yield { type: 'tool-call', call };
    yield { type: 'finish', reason: 'tool-calls' };
    return;
  }
  const texts = offlineTexts[answering.locale];
  yield { type: 'text-delta', text: texts.noModel };
  yield* describePictures(turn, answering);
  if (failures.length > 0) {
    yield { type: 'text-delta', text: `\n\n${texts.failures}\n${failures.map((words) => `- ${words}`).join('\n')}` };
  }
  if (turn.pictures.length === 0 && failures.length === 0) {
    yield { type: 'text-delta', text: `\n\n${texts.nothingToRead}` };
  }
  yield { type: 'finish', reason: 'stop' };
}

async function* describePictures(turn: CurrentTurn, answering: Answering): AsyncGenerator<ProviderEvent> {
  if (turn.pictures.length === 0) return;
  const reader = answering.openReader();
  try {
    for (const image of turn.pictures) {
      const text = await describePicture(image, { reader, context: answering.context, locale: answering.locale });
      yield { type: 'text-delta', text: `\n\n${text}` };
    }
  } finally {
    reader.close();
  }
}

interface ViewPlan {
  /** Paths to ask for now. */
  readonly wanted: readonly string[];
  /** Why named pictures could not be seen, in the tool's words. */
  readonly failures: readonly string[];
}

function planViews(turn: CurrentTurn): ViewPlan {
  const givenNames = new Set(turn.pictures.map((picture) => baseName(picture.name)));
  const calls = turn.calls.filter((call) => call.toolName === VIEW_TOOL);
  const wanted: string[] = [];
  const failures: string[] = [];
  for (const { candidates } of findPicturePaths(turn.text)) {
    if (candidates.some((path) => givenNames.has(baseName(path)))) continue;
    const tried = candidates.flatMap((path) => calls.filter((call) => call.path === path));
    const success = tried.find(succeeded);
    if (success?.result !== undefined) {
      // The call went well and yet no picture came along: the tool's words say why.
      failures.push(success.result.text);
      continue;
    }
    const next = candidates.find((path) => !calls.some((call) => call.path === path));
    if (next === undefined) {
      const reason = tried.at(-1)?.result?.text;
      if (reason !== undefined) failures.push(reason);
    } else {
      wanted.push(next);
    }
  }
  return { wanted: [...new Set(wanted)], failures: [...new Set(failures)] };
}

function succeeded(call: AnsweredCall): boolean {
  return call.result !== undefined && !call.result.isError;
}

function toCalls(paths: readonly string[], knownIds: ReadonlySet<string>): readonly ToolCallPart[] {
  let number = knownIds.size;
  return paths.map((path) => {
    do number += 1;
    while (knownIds.has(`offline-${number}`));
    return {
      type: 'tool-call',
      toolCallId: `offline-${number}`,
      name: VIEW_TOOL,
      arguments: JSON.stringify({ path }),
    };
  });
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
