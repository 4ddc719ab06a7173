import { createParser } from 'eventsource-parser';
import { AppError } from '../base/app-error.ts';
import { MIB } from '../base/units.ts';

/** One server-sent event. */
export interface EventFrame {
  /** The `event:` field; absent for unnamed events. */
  readonly name?: string;
  readonly data: string;
  /** The stream ended before the blank line that closes an event: the data may be cut off. */
  readonly isUnterminated: boolean;
}

/** Far above any event of a model's answer; bounds what a broken server can make us hold. */
const MAX_EVENT_CHARACTERS = 16 * MIB;

/**
 * Server-sent events of a byte stream, whatever its chunks: split UTF-8, LF, CR or CRLF, several
 * `data:` lines, comments and unknown fields (which are dropped), named and unnamed events.
 *
 * Throws `STREAM_INVALID` for an event without end, and what `chunks` throws.
 * Source: HTML Living Standard, section 9.2 "Server-sent events".
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame> {
  const decoder = new TextDecoder();
  let frames: EventFrame[] = [];
  let isUnterminated = false;
  let hasOverflowed = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
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
    if (hasOverflowed) throw new AppError('STREAM_INVALID', 'the answer holds an event without end');
    return frames;
  }

  for await (const chunk of chunks) yield* takeFrames(decoder.decode(chunk, { stream: true }));
  yield* takeFrames(decoder.decode());
  isUnterminated = true;
  yield* takeFrames('\n\n');
}
