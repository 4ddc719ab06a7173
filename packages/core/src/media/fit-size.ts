import { fitIntoPatches } from '../catalog/fit-into-patches.ts';
import type { LimitRow } from '../catalog/limit-row.ts';

/** Longest edge of a variant where the row says nothing else. Source: requirement R030. */
export const DEFAULT_EDGE_PX = 1568;

/** Limits of an endpoint are kept clearly, not exactly. */
const MARGIN = 0.95;
const PATCH_PX = 28;

export interface PixelSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** A picture's size on the wire, and the canvas on which it stands: larger where it was padded. */
export interface FittedSize extends PixelSize {
  readonly canvasWidthPx: number;
  readonly canvasHeightPx: number;
}

/** The fields of a limit row that decide sizes. */
export type SizeLimits = Pick<LimitRow, 'edge' | 'maxSide' | 'maxPixels' | 'maxPatches28' | 'minSide' | 'maxRatio'>;

/**
 * The largest size with the picture's proportions that the row allows; never larger than the
 * picture. One factor for both sides, slivers round up to 1 px; what is then too small or too
 * narrow gets a canvas.
 *
 * Source: wire-facts, rule 20 (default variant) and section 10 (fields).
 */
export function fitSize(upright: PixelSize, limits: SizeLimits): FittedSize {
  const edgePx = longestEdge(limits);
  let size = scaleTo(upright, edgePx / Math.max(upright.widthPx, upright.heightPx));
  if (limits.maxPixels !== undefined && size.widthPx * size.heightPx > limits.maxPixels) {
    size = scaleTo(upright, Math.sqrt((limits.maxPixels * MARGIN) / (upright.widthPx * upright.heightPx)));
  }
  if (limits.maxPatches28 !== undefined) {
    // Only the budget of patches binds here: the edge was applied above.
    const paddedEdgePx = Math.ceil(edgePx / PATCH_PX) * PATCH_PX;
    size = fitIntoPatches({ ...size, edgePx: paddedEdgePx, maxPatches: limits.maxPatches28 });
  }
  return withCanvas(size, limits);
}

/** A fitted size by a further factor, for pictures whose bytes are still too many. */
export function shrinkFitted(size: PixelSize, factor: number, limits: SizeLimits): FittedSize {
  return withCanvas(scaleTo(size, factor), limits);
}

function longestEdge(limits: SizeLimits): number {
  const edgePx = limits.edge ?? DEFAULT_EDGE_PX;
  if (limits.maxSide === null || edgePx < limits.maxSide) return edgePx;
  return Math.floor(limits.maxSide * MARGIN);
}

function scaleTo(size: PixelSize, factor: number): PixelSize {
  if (factor >= 1) return { widthPx: size.widthPx, heightPx: size.heightPx };
  return {
    widthPx: Math.max(1, Math.round(size.widthPx * factor)),
    heightPx: Math.max(1, Math.round(size.heightPx * factor)),
  };
}

function withCanvas(size: PixelSize, limits: SizeLimits): FittedSize {
  const longPx = Math.max(size.widthPx, size.heightPx, limits.minSide ?? 1);
  const ratio = limits.maxRatio ?? Number.POSITIVE_INFINITY;
  const isTooNarrow = longPx / Math.min(size.widthPx, size.heightPx) > ratio;
  const shortestPx = Math.max(limits.minSide ?? 1, isTooNarrow ? Math.ceil(longPx / (ratio * MARGIN)) : 1);
  return {
    widthPx: size.widthPx,
    heightPx: size.heightPx,
    canvasWidthPx: Math.max(size.widthPx, shortestPx),
    canvasHeightPx: Math.max(size.heightPx, shortestPx),
  };
}
