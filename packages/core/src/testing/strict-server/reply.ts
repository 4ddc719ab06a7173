import type { CheckId } from './check-failure.ts';

/** A tool call that the scripted model makes; without an id it gets `call_1`, `call_2`, … */
export interface ScriptedToolCall {
  readonly name: string;
  /** A text is sent as it is, also when it is no JSON. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
  readonly id?: string;
}

export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/**
 * What goes wrong in a stream, or is merely unusual. `afterFrames` counts `data:` frames, the
 * first of which only says the role.
 */
export type StreamFault =
  /** Sends no more and keeps the connection open. */
  | { readonly kind: 'stall'; readonly afterFrames: number }
  /** Ends the answer properly, without its end mark. */
  | { readonly kind: 'cut'; readonly afterFrames: number }
  /** Resets the connection. */
  | { readonly kind: 'reset'; readonly afterFrames: number }
  /** Waits for the promise, then goes on. */
  | { readonly kind: 'hold'; readonly afterFrames: number; readonly until: Promise<unknown> }
  /** A frame that holds an error, then the end without an end mark. */
  | { readonly kind: 'error-frame'; readonly afterFrames: number; readonly error?: unknown }
  /** Writes that end inside characters and inside JSON. */
  | { readonly kind: 'split-bytes' }
  | { readonly kind: 'crlf' }
  /** Comment lines between the frames. */
  | { readonly kind: 'comments' }
  /** Frames with a name, an id and content that no client knows. */
  | { readonly kind: 'unknown-events' }
  /** Frames without their names. */
  | { readonly kind: 'unnamed-frames' }
  /** A thought without its signature. */
  | { readonly kind: 'signature-missing' }
  | { readonly kind: 'done-twice' }
  | { readonly kind: 'done-missing' }
  | { readonly kind: 'finish-missing' }
  | { readonly kind: 'usage-missing' }
  /** Argument pieces of parallel calls in turns instead of one call after the other. */
  | { readonly kind: 'interleaved-tool-calls' }
  /** A random-looking extra field in every delta. */
  | { readonly kind: 'obfuscation' };

export interface AnswerOptions {
  readonly reasoning?: string;
  /** Data that the client brings back unread: that of a redacted thought, for instance. */
  readonly opaque?: string;
  readonly usage?: ScriptedUsage;
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly faults?: readonly StreamFault[];
  /** Responses: the answer fails after all its items. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Responses: what the endpoint says that it left out of the request. */
  readonly inputTransformations?: readonly unknown[];
}

/** What the server does with one request that passed every check. */
export type Reply =
  | ({ readonly kind: 'text'; readonly text: string } & AnswerOptions)
  | ({
      readonly kind: 'tool-calls';
      readonly calls: readonly ScriptedToolCall[];
      readonly text: string;
    } & AnswerOptions)
  | ({ readonly kind: 'oracle' } & AnswerOptions)
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'html'; readonly status: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'fails-check'; readonly check: CheckId };

export type AnswerReply = Extract<Reply, AnswerOptions & { readonly kind: 'text' | 'tool-calls' | 'oracle' }>;

/** The model says this. */
export function replyText(words: string, options: AnswerOptions = {}): Reply {
  return { kind: 'text', text: words, ...options };
}

/** The model calls these tools, in parallel when they are several, after saying `text` if there is any. */
export function replyToolCalls(
  calls: readonly ScriptedToolCall[],
  options: AnswerOptions & { readonly text?: string } = {},
): Reply {
  return { kind: 'tool-calls', calls, ...options, text: options.text ?? '' };
}

/** The model says what it sees in the pictures of this request. */
export function oracle(options: AnswerOptions = {}): Reply {
  return { kind: 'oracle', ...options };
}

/** The endpoint fails: an object is sent as JSON, a text as it is. */
export function replyError(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { kind: 'error', status, body, headers };
}

/** A web page instead of an answer, as captive portals and wrong base URLs give it. */
export function replyHtml(status = 200): Reply {
  return { kind: 'html', status };
}

/** No answer at all, not even headers. */
export function hang(): Reply {
  return { kind: 'hang' };
}

/** The test knows that this request fails this check: the check's own answer is given. */
export function failsCheck(check: CheckId): Reply {
  return { kind: 'fails-check', check };
}
