import { countPatches28, fitIntoPatches } from '../catalog/fit-into-patches.ts';
import type { LimitRow } from '../catalog/limit-row.ts';

/** Longest edge of a variant where the row says nothing else. Source: requirement R030. */
export const DEFAULT_EDGE_PX = 1568;

/** Limits of an endpoint are kept clearly, not exactly. */
const MARGIN = 0.95;
const PATCH_PX = 28;
const CANVAS_STEP = 0.95;

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
  const size = scaleTo(upright, edgePx / Math.max(upright.widthPx, upright.heightPx));
  return fitCanvas(fitAreas(size, upright, limits), limits);
}

/** A fitted size by a further factor, for pictures whose bytes are still too many. */
export function shrinkFitted(size: PixelSize, factor: number, limits: SizeLimits): FittedSize {
  return fitCanvas(scaleTo(size, factor), limits);
}

/** Within the budgets of pixels and of patches. */
function fitAreas(size: PixelSize, upright: PixelSize, limits: SizeLimits): PixelSize {
  const { maxPixels, maxPatches28 } = limits;
  let fitted = size;
  if (maxPixels !== undefined && fitted.widthPx * fitted.heightPx > maxPixels) {
    fitted = scaleTo(upright, Math.sqrt((maxPixels * MARGIN) / (upright.widthPx * upright.heightPx)));
  }
  if (maxPatches28 === undefined) return fitted;
  // Only the budget of patches binds here: the edge was applied above.
  const edgePx = Math.ceil(Math.max(fitted.widthPx, fitted.heightPx) / PATCH_PX) * PATCH_PX;
  return fitIntoPatches({ ...fitted, edgePx, maxPatches: maxPatches28 });
}

/** A sliver on its canvas may cover more than the sliver alone: it gets smaller until both fit. */
function fitCanvas(size: PixelSize, limits: SizeLimits): FittedSize {
  let fitted = withCanvas(size, limits);
  let longPx = Math.max(size.widthPx, size.heightPx);
  while (isOverBudget(fitted, limits) && longPx > 1) {
    const nextPx = Math.floor(longPx * CANVAS_STEP);
    fitted = withCanvas(scaleTo(fitted, nextPx / longPx), limits);
    longPx = nextPx;
  }
  return fitted;
}

function isOverBudget({ canvasWidthPx, canvasHeightPx }: FittedSize, limits: SizeLimits): boolean {
  const { maxPixels, maxPatches28 } = limits;
  if (maxPixels !== undefined && canvasWidthPx * canvasHeightPx > maxPixels) return true;
  return maxPatches28 !== undefined && countPatches28(canvasWidthPx, canvasHeightPx) > maxPatches28;
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
