import { fail, ok, type Result } from '../base/result.ts';

/** A part of the upright original in whole pixels, inside of it, at least 1 x 1. */
export interface PixelRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A part of the upright original as it is asked for: in pixels, or in fractions of width and
 * height. Fractions are four values from 0 to 1 of which one is not whole; `0, 0, 1, 1` is the
 * whole picture.
 */
export type RegionRequest = PixelRegion;

/** The region that will be cut out. */
export interface ResolvedRegion {
  readonly region: PixelRegion;
  /** A part of the request lay outside the picture and was left out. */
  readonly isClipped: boolean;
}

/** Why a region cannot be cut out: no numbers, no area, or nothing of it inside the picture. */
export interface RegionFault {
  readonly code: 'NOT_FINITE' | 'EMPTY' | 'OUTSIDE';
  /** What was asked for. */
  readonly request: RegionRequest;
  /** The upright picture that it was asked of. */
  readonly widthPx: number;
  readonly heightPx: number;
}

/**
 * The pixels that a request means, of an upright picture of this size. Broken pixels are taken
 * whole: the start is rounded down, the end up. What lies outside is left out, and told.
 *
 * Source: requirement R199.
 */
export function resolveRegion(
  request: RegionRequest,
  upright: { readonly widthPx: number; readonly heightPx: number },
): Result<ResolvedRegion, RegionFault> {
  const { widthPx, heightPx } = upright;
  const values = [request.x, request.y, request.width, request.height];
  const refuse = (code: RegionFault['code']) => fail({ code, request, widthPx, heightPx });
  if (!values.every(Number.isFinite)) return refuse('NOT_FINITE');
  if (request.width <= 0 || request.height <= 0) return refuse('EMPTY');
  const unit = areFractions(values) ? upright : { widthPx: 1, heightPx: 1 };
  const across = wholeSpan(request.x * unit.widthPx, request.width * unit.widthPx, widthPx);
  const down = wholeSpan(request.y * unit.heightPx, request.height * unit.heightPx, heightPx);
  if (across.size < 1 || down.size < 1) return refuse('OUTSIDE');
  return ok({
    region: { x: across.start, y: down.start, width: across.size, height: down.size },
    isClipped: across.isClipped || down.isClipped,
  });
}

function areFractions(values: readonly number[]): boolean {
  if (!values.every((value) => value >= 0 && value <= 1)) return false;
  return values.some((value) => !Number.isInteger(value)) || values.join() === '0,0,1,1';
}

interface Span {
  readonly start: number;
  readonly size: number;
  readonly isClipped: boolean;
}

/** Fractions like 0.1 + 0.2 must not take a pixel more than is meant. */
const ROUNDING = 1e-6;

function wholeSpan(from: number, length: number, limitPx: number): Span {
  const start = Math.floor(from + ROUNDING);
  const end = Math.ceil(from + length - ROUNDING);
  const inside = { start: Math.max(0, start), end: Math.min(limitPx, end) };
  return { start: inside.start, size: inside.end - inside.start, isClipped: start < 0 || end > limitPx };
}

/** Whether nothing would be cut off. */
export function isWholePicture(
  region: PixelRegion,
  upright: { readonly widthPx: number; readonly heightPx: number },
): boolean {
  return region.width === upright.widthPx && region.height === upright.heightPx;
}

/** Whether this can be cut out of an upright picture of this size as it stands. */
export function isInside(
  region: PixelRegion,
  upright: { readonly widthPx: number; readonly heightPx: number },
): boolean {
  const { x, y, width, height } = region;
  const isWhole = [x, y, width, height].every(Number.isSafeInteger);
  return (
    isWhole &&
    Math.min(x, y) >= 0 &&
    Math.min(width, height) >= 1 &&
    x + width <= upright.widthPx &&
    y + height <= upright.heightPx
  );
}
