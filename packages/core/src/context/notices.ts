import type { Digest } from '../base/ids.ts';

/**
 * What building a context had to do besides copying, in the order of the request: for events and
 * the audit, never for the model.
 *
 * - `replaced-by-notice`: a picture stands as words, because the model takes none.
 * - `missing`: a picture stands as words, because its stored bytes are gone.
 * - `link-replaced`: a picture that the endpoint would have fetched itself stands as words.
 * - `link-not-sent`: a URL or file stands as words, because this endpoint does not take it.
 * - `not-admitted`: a picture stands as words, because it is no stored attachment.
 * - `answer-added`: a tool call without a result got one.
 * - `result-dropped`: a tool result without a call, or a second one for the same call, was left out.
 */
export type ContextNotice =
  | {
      readonly kind: 'replaced-by-notice' | 'missing';
      /** Of the original. */
      readonly digest: Digest;
      readonly name: string;
      readonly toolCallId?: string;
    }
  | { readonly kind: 'not-admitted'; readonly name: string }
  | { readonly kind: 'link-replaced' | 'link-not-sent'; readonly name: string }
  | {
      readonly kind: 'answer-added' | 'result-dropped';
      readonly toolCallId: string;
      readonly toolName: string;
    };
