import type { Logger } from '../base/logger.ts';
import type { WireApi } from '../catalog/wire-api.ts';
import type { ModelRequest } from '../content/request.ts';
import type { EndpointFailure, ErrorContext } from './endpoint-error.ts';
import type { EventFrame } from './event-stream.ts';
import type { Endpoint, ProviderEvent } from './provider.ts';

/**
 * What is particular to one wire API. `createWireProvider` makes a provider of it: sending, streaming,
 * time limits and errors of HTTP are the same for all.
 */
export interface WireDialect {
  readonly wireApi: WireApi;
  /** Behind the base URL. */
  readonly path: string;
  headers(endpoint: Endpoint): Readonly<Record<string, string>>;
  /** The body as a plain value with image slots. Pure: the same request and endpoint give the same body. */
  toWire(request: ModelRequest, endpoint: Endpoint): unknown;
  /** `logger`: for what an answer says that is neither part of it nor a failure. */
  createAnswerReader(context: ErrorContext, logger: Logger): AnswerReader;
  /** What the body of a refusal says. Never throws. */
  readFailure(body: string): EndpointFailure;
}

/** How much an answer holds. */
export interface AnswerSize {
  /** Text, thinking, and names and arguments of tool calls. */
  readonly characters: number;
  readonly toolCalls: number;
}

/**
 * Turns the frames of one answer into events. Every method throws an `AppError` when the endpoint
 * reports a failure or cannot be understood (`STREAM_INVALID`).
 */
export interface AnswerReader {
  /** The answer's end was announced: what is lost after this was not needed. */
  readonly isComplete: boolean;
  /** What was collected so far. An answer that does not grow makes no progress. */
  readonly size: AnswerSize;
  /** Nothing more comes. */
  readonly isOver: boolean;
  readFrame(frame: EventFrame): readonly ProviderEvent[];
  /** An answer that came whole, as JSON, although a stream was asked for. */
  readWhole(body: string): readonly ProviderEvent[];
  /** Whole tool calls, usage, `finish`. Throws `STREAM_CUT` unless the answer is complete. */
  end(): readonly ProviderEvent[];
}
