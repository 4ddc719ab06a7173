import { assertNever } from '../base/assert-never.ts';
import { countPatches28, fitIntoPatches } from './fit-into-patches.ts';
import { type PatchBudget, type TokenFamily, type TokenRule, tokenFamilies } from './token-family.ts';

/** A picture as it is sent, and how it is asked to be looked at. */
export interface ImageForTokens {
  readonly family: TokenFamily;
  /** Size of the variant that is sent, not of the original. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** Value of `detail` in the request; absent means `auto`. */
  readonly detail?: string | undefined;
}

/**
 * What one picture costs, in tokens, before any discount for caching.
 *
 * Deterministic and pure; the rule of the family is in `token-family.ts`, with its source.
 */
export function estimateImageTokens(picture: ImageForTokens): number {
  const rule: TokenRule = tokenFamilies[picture.family].rule;
  switch (rule.kind) {
    case 'flat':
      return rule.tokens;
    case 'patches-28': {
      const size = fitIntoPatches({ ...picture, edgePx: rule.edgePx, maxPatches: rule.patches });
      return countPatches28(size.widthPx, size.heightPx);
    }
    case 'patches-32':
      return Math.ceil((countPatches32(picture, rule) * rule.tokensPerHundredPatches) / 100);
    case 'tiles-512':
      return countTileTokens(picture, rule);
    case 'gemini-tiles':
      return countGeminiTokens(picture);
    case 'grid':
      return countGridTokens(picture, rule);
    case 'doubao':
      return Math.min(Math.ceil((picture.widthPx * picture.heightPx) / 784), picture.detail === 'low' ? 1312 : 5120);
    case 'kimi':
      return Math.min(4096, Math.max(1024, countPatches28(picture.widthPx, picture.heightPx)));
    case 'tiles': {
      const tiles = Math.ceil(picture.widthPx / rule.tilePx) * Math.ceil(picture.heightPx / rule.tilePx);
      return (Math.min(tiles, rule.maxTiles) + rule.extraTiles) * rule.tokensPerTile;
    }
    default:
      return assertNever(rule);
  }
}

type Size = Pick<ImageForTokens, 'widthPx' | 'heightPx'>;

const PATCH_32_PX = 32;
/** `detail: "low"` shows the model a version of about this many pixels on the long side. */
const LOW_DETAIL_PX = 512;

function countPatches32(picture: ImageForTokens, rule: Extract<TokenRule, { kind: 'patches-32' }>): number {
  if (picture.detail === 'low') return countBudgetedPatches(picture, { patches: null, maxSidePx: LOW_DETAIL_PX });
  if (picture.detail === 'high') return countBudgetedPatches(picture, rule.budgets.high);
  return countBudgetedPatches(picture, picture.detail === 'original' ? rule.budgets.original : rule.budgets.auto);
}

function countBudgetedPatches(picture: Size, budget: PatchBudget): number {
  const { widthPx, heightPx } = limitSide(picture, budget.maxSidePx ?? Number.POSITIVE_INFINITY);
  const patches = Math.ceil(widthPx / PATCH_32_PX) * Math.ceil(heightPx / PATCH_32_PX);
  if (budget.patches === null || patches <= budget.patches) return patches;
  const scale = Math.sqrt((PATCH_32_PX * PATCH_32_PX * budget.patches) / (widthPx * heightPx));
  const columns = (widthPx * scale) / PATCH_32_PX;
  const rows = (heightPx * scale) / PATCH_32_PX;
  // The scale is lowered until one side is a whole number of patches; slivers keep one.
  const shrink = Math.min(Math.max(1, Math.floor(columns)) / columns, Math.max(1, Math.floor(rows)) / rows);
  const shrunkWidthPx = Math.floor(widthPx * scale * shrink + ROUNDING);
  const shrunkHeightPx = Math.floor(heightPx * scale * shrink + ROUNDING);
  return Math.ceil(shrunkWidthPx / PATCH_32_PX) * Math.ceil(shrunkHeightPx / PATCH_32_PX);
}

/** Keeps 1055.9999999 from becoming 1055, where the side is meant to be 1056 exactly. */
const ROUNDING = 1e-6;

function limitSide(picture: Size, maxSidePx: number): Size {
  const scale = Math.min(1, maxSidePx / Math.max(picture.widthPx, picture.heightPx));
  if (scale === 1) return picture;
  return {
    widthPx: Math.max(1, Math.floor(picture.widthPx * scale)),
    heightPx: Math.max(1, Math.floor(picture.heightPx * scale)),
  };
}

function countTileTokens(picture: ImageForTokens, rule: Extract<TokenRule, { kind: 'tiles-512' }>): number {
  if (picture.detail === 'low') return rule.baseTokens;
  const longScale = Math.min(1, 2048 / Math.max(picture.widthPx, picture.heightPx));
  const shortPx = Math.min(picture.widthPx, picture.heightPx) * longScale;
  const scale = longScale * Math.min(1, 768 / shortPx);
  const columns = Math.ceil((picture.widthPx * scale) / 512 - ROUNDING);
  const rows = Math.ceil((picture.heightPx * scale) / 512 - ROUNDING);
  return rule.baseTokens + rule.tileTokens * Math.max(1, columns) * Math.max(1, rows);
}

const GEMINI_TILE_TOKENS = 258;

function countGeminiTokens({ widthPx, heightPx }: Size): number {
  if (widthPx <= 384 && heightPx <= 384) return GEMINI_TILE_TOKENS;
  const cropPx = Math.min(768, Math.max(256, Math.floor(Math.min(widthPx, heightPx) / 1.5)));
  return GEMINI_TILE_TOKENS * Math.ceil(widthPx / cropPx) * Math.ceil(heightPx / cropPx);
}

const MIN_GRID_PATCHES = 4;
/** What SiliconFlow bills for any picture with `detail: "low"`; source: its vision guide. */
const LOW_GRID_TOKENS = 256;

function countGridTokens(picture: ImageForTokens, rule: Extract<TokenRule, { kind: 'grid' }>): number {
  if (picture.detail === 'low') return LOW_GRID_TOKENS;
  const columns = Math.max(1, Math.round(picture.widthPx / rule.patchPx));
  const rows = Math.max(1, Math.round(picture.heightPx / rule.patchPx));
  const exactPatches = (picture.widthPx * picture.heightPx) / (rule.patchPx * rule.patchPx);
  if (columns * rows > rule.maxPatches) {
    const shrink = Math.sqrt(exactPatches / rule.maxPatches) * rule.patchPx;
    return Math.max(1, Math.floor(picture.widthPx / shrink)) * Math.max(1, Math.floor(picture.heightPx / shrink));
  }
  if (columns * rows < MIN_GRID_PATCHES) {
    const grow = Math.sqrt(MIN_GRID_PATCHES / exactPatches) / rule.patchPx;
    return Math.ceil(picture.widthPx * grow) * Math.ceil(picture.heightPx * grow);
  }
  return columns * rows;
}
