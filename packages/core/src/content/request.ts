import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';
import type { AssistantPart, TextPart } from './parts.ts';
import type { PictureRegion } from './picture-region.ts';
import type { ToolDefinition } from './tool-definition.ts';

/**
 * A picture as it goes to an endpoint: the stored variant, not the original. The bytes are not
 * here; the adapter reads them by `digest` while it writes the body.
 */
export interface RequestImage {
  readonly type: 'image';
  /** Digest of the variant's bytes. */
  readonly digest: Digest;
  /** Digest of the original that the variant was made of. */
  readonly originalDigest: Digest;
  readonly name: string;
  /** `image/png`, `image/jpeg`, `image/webp` or `image/gif`, as the limit row allows. */
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Of the upright original; absent where it is the original itself that stands here. */
  readonly originalWidthPx?: number;
  readonly originalHeightPx?: number;
  /** The part of the upright original that was cut out; absent for the whole. */
  readonly region?: PictureRegion;
  /** What was done to the original. */
  readonly changes?: readonly VariantChange[];
}

/**
 * A picture that the endpoint fetches itself: a URL that the user asked to pass through, or the id
 * of a file that was uploaded to this very endpoint. Only where its limit row allows it.
 */
export interface RequestImageLink {
  readonly type: 'image-link';
  readonly link: { readonly url: string } | { readonly fileId: string };
}

export type UserRequestPart = TextPart | RequestImage | RequestImageLink;

/**
 * One message of one request, as a model is shown it. Derived from the transcript and thrown away
 * after the request. `origin: 'synthetic'` marks messages that no user wrote.
 */
export type RequestMessage =
  | { readonly role: 'system'; readonly text: string }
  | {
      readonly role: 'user';
      readonly origin: 'user' | 'synthetic';
      readonly parts: readonly UserRequestPart[];
    }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly isError: boolean;
      readonly text: string;
      /** Empty unless the endpoint takes pictures inside tool results (`toolImages: "inline"`). */
      readonly images: readonly RequestImage[];
    };

/** Everything that one model call shows the model, independent of any wire API. */
export interface ModelRequest {
  /** The model's id at its supplier. */
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  /** In a fixed order that does not change within a session. */
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoningEffort?: string;
  /** Supplier fields that the user configured; merged into the body's top level. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}
