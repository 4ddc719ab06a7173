import type { ToolImagePlacement } from './wire-api.ts';

/** How sure a fact is: read in types or run (`H`), dated copy or several reports (`M`), one report (`L`). */
export type Confidence = 'H' | 'M' | 'L';

/** A picture format as an endpoint takes it; `gif-static` and `gif-first-frame` differ for animations. */
export type EndpointImageFormat = 'png' | 'jpeg' | 'webp' | 'gif-static' | 'gif-first-frame';

/**
 * What one endpoint takes of pictures. `null` means: not documented, none found. Figures are those
 * of the endpoint itself; we stay clearly below them.
 */
export interface LimitRow {
  readonly id: string;
  readonly formats: readonly EndpointImageFormat[];
  /** Whether the endpoint fetches http(s) URLs itself. */
  readonly url: boolean;
  /** Characters of such a URL. */
  readonly urlMaxLen?: number;
  /** Whether a picture may be named by the id of a file that was uploaded to the endpoint. */
  readonly fileId: boolean;
  /** How such an id is written where it goes into a URL field: `ms://`. */
  readonly fileScheme?: string;
  /** `null`: the default of the wire API (decision X20). */
  readonly toolImages: ToolImagePlacement | null;
  /** The switch `toolImages: "inline"` works here, although it is not the default. */
  readonly canInline?: boolean;
  /** Nothing may stand between a tool call and its output. */
  readonly strictPairs?: boolean;
  /** Value of the Responses field `store` that requests with pictures need. */
  readonly store?: boolean;
  /** Longest edge of a variant, px; absent: 1568, the default variant of policy version 1. */
  readonly edge?: number;
  /** Bytes of one picture before base64. */
  readonly maxRaw: number | null;
  /** base64 characters of one picture. */
  readonly maxB64: number | null;
  readonly maxImages: number | null;
  /** Instead of `maxImages`, for contexts of up to 200,000 tokens. */
  readonly maxImages200k?: number;
  /** Instead of `maxImages`, when all pictures are URLs. */
  readonly maxImagesUrl?: number;
  /** Longest side, px. */
  readonly maxSide: number | null;
  readonly maxPixels?: number;
  /** Shortest side, px. */
  readonly minSide?: number;
  /** Longest side by shortest side. */
  readonly maxRatio?: number;
  /** Patches of 28 x 28 px, rounded up for each side. */
  readonly maxPatches28?: number;
  /** For models that are marked so. */
  readonly highTier?: { readonly edge: number; readonly maxPatches28: number };
  /** Another longest side above a number of pictures: `over` N means from N + 1, `from` N from N. */
  readonly manyImages: {
    readonly over?: number;
    readonly from?: number;
    readonly maxSide: number;
    /** Documents count as pictures. */
    readonly documentsCount?: boolean;
  } | null;
  /** Bytes of all pictures of a request before base64. */
  readonly maxTotalRaw?: number;
  /** Bytes of the whole request body. */
  readonly body: number | null;
  /** Values of `detail`; `null`: the field is not sent. */
  readonly detail: readonly string[] | null;
  readonly confidence: Confidence;
  /** Where the figures were read. */
  readonly source?: string;
  readonly note?: string;
}
