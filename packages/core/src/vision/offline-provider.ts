import { AppError, toAppError } from '../base/app-error.ts';
import type { Locale } from '../base/locale.ts';
import type { ToolCallPart } from '../content/parts.ts';
import type { ModelRequest } from '../content/request.ts';
import type { Endpoint, Provider, ProviderContext, ProviderEvent } from '../providers/provider.ts';
import { describePicture } from './describe-picture.ts';
import { createOcrReader } from './ocr.ts';
import { type PlannedCall, planTurn } from './plan-turn.ts';
import { type CurrentTurn, readCurrentTurn } from './read-current-turn.ts';
import type { TextReader } from './text-reader.ts';
import { offlineTexts } from './texts.ts';

export interface OfflineProviderOptions {
  /** The language of the answers; `en` unless given. */
  readonly locale?: Locale;
  /** Makes the reader of one answer; it is closed when the answer ends. */
  readonly openReader?: () => TextReader;
  /**
   * Whether there are models and this reader was chosen all the same; `false` unless given. Then
   * the answers do not say that no model is configured.
   */
  readonly isChosen?: boolean;
}

/**
 * The offline reader: a provider that answers without any model, from what can be read in the
 * pictures of the turn. When the question names a picture that was not given, it asks for it by
 * `view_image`; the answer comes piece by piece, since recognising text takes seconds.
 */
export function createOfflineProvider(options: OfflineProviderOptions = {}): Provider {
  const locale = options.locale ?? 'en';
  const openReader = options.openReader ?? createOcrReader;
  const isChosen = options.isChosen ?? false;
  return {
    wireApi: 'offline',
    async *stream(request: ModelRequest, _endpoint: Endpoint, context: ProviderContext) {
      try {
        yield { type: 'request-sent', bodyBytes: 0 };
        context.signal.throwIfAborted();
        yield* answer(request, { context, locale, openReader, isChosen });
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
  readonly isChosen: boolean;
}

async function* answer(request: ModelRequest, answering: Answering): AsyncGenerator<ProviderEvent> {
  const turn = readCurrentTurn(request);
  const { calls, failures } = planTurn(turn, new Set(request.tools.map((tool) => tool.name)));
  if (calls.length > 0) {
    for (const call of toCalls(calls, turn.knownCallIds)) yield { type: 'tool-call', call };
    yield { type: 'finish', reason: 'tool-calls' };
    return;
  }
  const texts = offlineTexts[answering.locale];
  yield { type: 'text-delta', text: answering.isChosen ? texts.chosen : texts.noModel };
  yield* describePictures(turn, answering);
  if (failures.length > 0) {
    const lines = failures.map((failure) => `- ${texts.failure(failure)}`);
    yield { type: 'text-delta', text: `\n\n${texts.failures}\n${lines.join('\n')}` };
  }
  if (turn.pictures.length === 0 && failures.length === 0) {
    const wayToModel = answering.isChosen ? texts.otherModel : texts.firstModel;
    yield { type: 'text-delta', text: `\n\n${texts.nothingToRead}\n\n${wayToModel}` };
  }
  yield { type: 'finish', reason: 'stop' };
}

async function* describePictures(turn: CurrentTurn, answering: Answering): AsyncGenerator<ProviderEvent> {
  if (turn.pictures.length === 0) return;
  const reader = answering.openReader();
  try {
    for (const image of turn.pictures) {
      for await (const piece of describePicture(image, { ...answering, reader })) {
        yield { type: 'text-delta', text: `\n\n${piece}` };
      }
    }
  } finally {
    reader.close();
  }
}

function toCalls(calls: readonly PlannedCall[], knownIds: ReadonlySet<string>): readonly ToolCallPart[] {
  let number = knownIds.size;
  return calls.map(({ toolName, path }) => {
    do number += 1;
    while (knownIds.has(`offline-${number}`));
    return {
      type: 'tool-call',
      toolCallId: `offline-${number}`,
      name: toolName,
      arguments: JSON.stringify({ path }),
    };
  });
}
