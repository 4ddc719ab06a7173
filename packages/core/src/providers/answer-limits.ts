import { KIB, MIB } from '../base/units.ts';

/** What one answer may take of time and memory, whatever the endpoint sends. */
export interface AnswerLimits {
  /** Longest time in which an answer may grow by nothing, whatever else comes. */
  readonly noProgressMs: number;
  /** Text, thinking, and names and arguments of tool calls, in sum. */
  readonly answerCharacters: number;
  readonly toolCalls: number;
  /** One server-sent event. */
  readonly eventCharacters: number;
  /** An answer that comes whole, as one JSON document. */
  readonly wholeAnswerBytes: number;
  /** What is read of a refusal or a web page. */
  readonly refusalBytes: number;
  readonly refusalMs: number;
  /** How long usage and end mark may take after the answer itself is complete. */
  readonly afterCompleteMs: number;
}

export const answerLimits: AnswerLimits = {
  // Gateways send comments and pings while a model is queued or thinks unseen: for minutes, not for ever.
  noProgressMs: 10 * 60_000,
  // A million tokens: several times what any model writes in one answer.
  answerCharacters: 4 * MIB,
  // Far more than a model asks for at once, and few enough to run.
  toolCalls: 512,
  // Above every event of a real answer, pictures inside events included.
  eventCharacters: 16 * MIB,
  wholeAnswerBytes: 16 * MIB,
  // Only the first words of a refusal are told.
  refusalBytes: 64 * KIB,
  // The status has said already that it failed; its words come at once or are not worth the wait.
  refusalMs: 10_000,
  afterCompleteMs: 5000,
};
