import { AppError, toAppError } from '../base/app-error.ts';
import type { Digest } from '../base/ids.ts';
import type { WireApi } from '../catalog/wire-api.ts';
import type { ModelRequest, RequestImage } from '../content/request.ts';
import type { Endpoint, Provider, ProviderContext, ProviderEvent } from '../providers/provider.ts';

/** The events of one model call, or a function that makes them. */
export type ScriptedCall =
  | readonly ProviderEvent[]
  | ((request: ModelRequest, context: ProviderContext) => Iterable<ProviderEvent> | AsyncIterable<ProviderEvent>);

/** A {@link Provider} without a wire, and what was asked of it. */
export interface ScriptedProvider extends Provider {
  readonly requests: readonly ModelRequest[];
  readonly endpoints: readonly Endpoint[];
  /** Digests of the pictures whose bytes were read for each request, in order. */
  readonly blobsRead: readonly (readonly Digest[])[];
}

/**
 * A provider that answers its first call with the first list of events, and so on; a call for
 * which there is no list ends with an `INTERNAL` error. Like an adapter it reads the bytes of
 * every picture, says `request-sent` first (also when the list leaves it out), and ends with
 * `CANCELED` when the signal is aborted.
 */
export function createScriptedProvider(
  calls: readonly ScriptedCall[],
  options: { wireApi?: WireApi } = {},
): ScriptedProvider {
  const requests: ModelRequest[] = [];
  const endpoints: Endpoint[] = [];
  const blobsRead: Digest[][] = [];

  async function* play(
    call: ScriptedCall | undefined,
    request: ModelRequest,
    context: ProviderContext,
  ): AsyncGenerator<ProviderEvent> {
    if (call === undefined) throw new AppError('INTERNAL', `the script has no call ${requests.length}`);
    const read: Digest[] = [];
    blobsRead.push(read);
    for (const image of imagesOf(request)) {
      await context.readBlob(image.digest);
      read.push(image.digest);
    }
    let isFirst = true;
    for await (const event of typeof call === 'function' ? call(request, context) : call) {
      if (isFirst && event.type !== 'request-sent') yield { type: 'request-sent', bodyBytes: 0 };
      isFirst = false;
      if (context.signal.aborted) throw new AppError('CANCELED', 'canceled');
      yield event;
    }
    if (context.signal.aborted) throw new AppError('CANCELED', 'canceled');
  }

  return {
    wireApi: options.wireApi ?? 'openai-chat',
    requests,
    endpoints,
    blobsRead,
    async *stream(request, endpoint, context) {
      const call = calls[requests.length];
      requests.push(structuredClone(request));
      endpoints.push(endpoint);
      try {
        for await (const event of play(call, request, context)) {
          yield event;
          if (event.type === 'finish' || event.type === 'error') return;
        }
        yield { type: 'error', error: new AppError('STREAM_CUT', 'the script has no end') };
      } catch (error) {
        yield { type: 'error', error: toAppError(error) };
      }
    },
  };
}

function imagesOf(request: ModelRequest): readonly RequestImage[] {
  return request.messages.flatMap((message) => {
    if (message.role === 'tool') return message.images;
    return message.role === 'user' ? message.parts.filter((part) => part.type === 'image') : [];
  });
}
