import { AppError, toAppError } from '../base/app-error.ts';
import { assertNever } from '../base/assert-never.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { AssistantPart } from '../content/parts.ts';
import type { ModelRequest } from '../content/request.ts';
import type { Usage } from '../content/usage.ts';
import type { Endpoint, FinishReason, Provider, ProviderContext, ProviderEvent } from '../providers/provider.ts';
import type { SecretMask } from './secret-mask.ts';

export interface RunStepInput {
  readonly provider: Provider;
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  readonly context: ProviderContext;
  /** Goes over everything that the answer says. */
  readonly mask: SecretMask;
  /** The number of the request in its session. */
  readonly requestNumber: number;
  /** Called once, when the request goes out; gives the event that tells of it. */
  readonly onRequestSent: (bodyBytes: number) => Promise<FoveaEvent>;
}

/** How a model call ended, with what it gave until then. */
export interface StepOutcome {
  readonly end:
    | { readonly type: 'finished'; readonly reason: FinishReason }
    | { readonly type: 'failed'; readonly error: AppError };
  /** In the order in which they came; adjoining deltas are one part. */
  readonly parts: readonly AssistantPart[];
  readonly usage?: Usage;
}

/**
 * Makes one model call: gives its events while they come, and what came in the end.
 *
 * Nothing is stored here. A failure is an outcome, a stream that ends without its end mark
 * included; so is a provider that breaks its contract and throws.
 */
export async function* runStep(input: RunStepInput): AsyncGenerator<FoveaEvent, StepOutcome> {
  const answer = new PartialAnswer();
  const outcome = yield* readAnswer(input, answer);
  if (answer.isSent) {
    yield {
      type: 'request-end',
      request: input.requestNumber,
      accepted: outcome.type === 'finished' || answer.hasContent,
      ...(outcome.type === 'failed' ? { code: outcome.error.code } : {}),
    };
  }
  return { end: outcome, ...answer.contents() };
}

async function* readAnswer(
  { provider, request, endpoint, context, mask, onRequestSent }: RunStepInput,
  answer: PartialAnswer,
): AsyncGenerator<FoveaEvent, StepOutcome['end']> {
  try {
    for await (const event of mask.answer(provider.stream(request, endpoint, context))) {
      if (event.type === 'finish') return { type: 'finished', reason: event.reason };
      if (event.type === 'error') return { type: 'failed', error: event.error };
      if (event.type === 'request-sent') {
        answer.isSent = true;
        yield await onRequestSent(event.bodyBytes);
        continue;
      }
      answer.add(event);
      if (event.type === 'text-delta' && event.text !== '') yield { type: 'text-delta', text: event.text };
      if (event.type === 'thinking-delta' && event.text !== '') yield { type: 'thinking-delta', text: event.text };
    }
  } catch (error) {
    return { type: 'failed', error: toAppError(error) };
  }
  return { type: 'failed', error: new AppError('STREAM_CUT', 'The answer ended before its end mark.') };
}

type ContentEvent = Exclude<ProviderEvent, { type: 'request-sent' | 'finish' | 'error' }>;

/** Collects the parts of an answer while it streams. */
class PartialAnswer {
  isSent = false;
  readonly #parts: AssistantPart[] = [];
  #usage: Usage | undefined;

  get hasContent(): boolean {
    return this.#parts.length > 0 || this.#usage !== undefined;
  }

  add(event: ContentEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#addText(event.text);
        return;
      case 'thinking-delta':
        this.#addThinking(event);
        return;
      case 'tool-call':
        this.#parts.push(event.call);
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      default:
        assertNever(event);
    }
  }

  contents(): Pick<StepOutcome, 'parts' | 'usage'> {
    return { parts: this.#parts, ...(this.#usage === undefined ? {} : { usage: this.#usage }) };
  }

  #addText(text: string): void {
    const last = this.#parts.at(-1);
    if (text === '') return;
    if (last?.type === 'text') this.#parts[this.#parts.length - 1] = { ...last, text: last.text + text };
    else this.#parts.push({ type: 'text', text });
  }

  /** A signature or opaque data ends its thought: what comes after it is another one. */
  #addThinking({ text, signature, opaque }: Omit<Extract<ContentEvent, { type: 'thinking-delta' }>, 'type'>): void {
    const last = this.#parts.at(-1);
    const proof = { ...(signature !== undefined && { signature }), ...(opaque !== undefined && { opaque }) };
    const isProven = signature !== undefined || opaque !== undefined;
    if (last?.type === 'thinking' && last.signature === undefined && last.opaque === undefined) {
      this.#parts[this.#parts.length - 1] = { ...last, text: last.text + text, ...proof };
    } else if (text !== '' || isProven) {
      this.#parts.push({ type: 'thinking', text, ...proof });
    }
  }
}
