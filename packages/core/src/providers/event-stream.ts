import { createParser } from 'eventsource-parser';
import { formatBytes } from '../base/units.ts';
import { createAnswerError, type ErrorContext } from './endpoint-error.ts';

/** One server-sent event. */
export interface EventFrame {
  /** The `event:` field; absent for unnamed events. */
  readonly name?: string;
  readonly data: string;
  /** The stream ended before the blank line that closes an event: the data may be cut off. */
  readonly isUnterminated: boolean;
}

/**
 * Server-sent events of a byte stream, whatever its chunks: split UTF-8, LF, CR or CRLF, several
 * `data:` lines, comments and unknown fields (which are dropped), named and unnamed events.
 *
 * Throws `STREAM_INVALID` for an event of more than `maxEventCharacters`, and what `chunks` throws.
 * Source: HTML Living Standard, section 9.2 "Server-sent events".
 */
export async function* readEventStream(
  chunks: AsyncIterable<Uint8Array>,
  { maxEventCharacters, errorContext }: { readonly maxEventCharacters: number; readonly errorContext: ErrorContext },
): AsyncGenerator<EventFrame> {
  const decoder = new TextDecoder();
  let frames: EventFrame[] = [];
  let isUnterminated = false;
  let hasOverflowed = false;
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) => {
      frames.push({ ...(event.event !== undefined && { name: event.event }), data: event.data, isUnterminated });
    },
    onError: (error) => {
      hasOverflowed ||= error.type === 'max-buffer-size-exceeded';
    },
  });

  function takeFrames(text: string): readonly EventFrame[] {
    frames = [];
    parser.feed(text);
    if (!hasOverflowed) return frames;
    const limit = formatBytes(maxEventCharacters);
    throw createAnswerError('STREAM_INVALID', errorContext, `the answer holds an event of more than ${limit}`);
  }

  for await (const chunk of chunks) yield* takeFrames(decoder.decode(chunk, { stream: true }));
  yield* takeFrames(decoder.decode());
  isUnterminated = true;
  yield* takeFrames('\n\n');
}
