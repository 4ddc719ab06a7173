import type { AnswerMemory } from './answer-memory.ts';
import type { Check } from './check.ts';
import type { CheckFailure } from './check-failure.ts';
import type { BodyPath } from './leak-check.ts';
import type { Personality } from './personality.ts';
import type { AnswerOptions, ScriptedUsage, StreamFault } from './reply.ts';
import type { PictureSlot } from './request-picture.ts';
import type { WireMessage } from './wire-message.ts';

/** A whole answer of the scripted model, before it takes the form of a wire. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string | undefined;
  /** Data that the client brings back unread. */
  readonly opaque: string | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finishReason: string | undefined;
  /** See `AnswerOptions`. */
  readonly failure: AnswerOptions['failure'];
  readonly inputTransformations: AnswerOptions['inputTransformations'];
  readonly usage: ScriptedUsage;
}

export interface AnswerContext {
  readonly body: Readonly<Record<string, unknown>>;
  /** Number of the answer, for its id. */
  readonly number: number;
  readonly faults: readonly StreamFault[];
  /** Takes note of what the client must bring back. */
  readonly memory: AnswerMemory;
}

/** One frame of an event stream; `event` is its name, where the wire names frames. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

/** What is different between wires. Each has a folder, and a row in `wire-roots.ts`. */
export interface WireRoot {
  /** Below the base path of the personality. */
  readonly path: string;
  /** Key of the body's list of messages. */
  readonly historyKey: string;
  readonly checks: readonly Check[];
  readMessages(body: Readonly<Record<string, unknown>>): readonly WireMessage[];
  readPictureSlots(messages: readonly WireMessage[]): readonly PictureSlot[];
  isPictureSlot(path: BodyPath): boolean;
  /** Personalities that speak this wire; absent: all. */
  isSpokenBy?(personality: Personality): boolean;
  /** The history as a cache compares it, each element as it came; absent: the elements of `historyKey`. */
  sliceHistory?(rawText: string): readonly string[];
  errorBody(failure: CheckFailure, requestId: string): unknown;
  /** A frame that holds an error; absent: unnamed, with `error`. */
  errorFrame?(error: unknown): Frame;
  isStreamed(body: Readonly<Record<string, unknown>>): boolean;
  buildFrames(answer: Answer, context: AnswerContext): readonly Frame[];
  buildJson(answer: Answer, context: AnswerContext): unknown;
}
