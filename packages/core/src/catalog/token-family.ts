import type { Confidence } from './limit-row.ts';

/** Patches allowed for one value of `detail`; `null`: no budget. */
export interface PatchBudget {
  readonly patches: number | null;
  readonly maxSidePx?: number;
}

export type TokenRule =
  | { readonly kind: 'flat'; readonly tokens: number }
  | { readonly kind: 'patches-28'; readonly edgePx: number; readonly patches: number }
  | {
      readonly kind: 'patches-32';
      /** Per hundred patches, so that the arithmetic stays in whole numbers. */
      readonly tokensPerHundredPatches: number;
      readonly budgets: { readonly original: PatchBudget; readonly auto: PatchBudget; readonly high: PatchBudget };
    }
  | { readonly kind: 'tiles-512'; readonly baseTokens: number; readonly tileTokens: number }
  | { readonly kind: 'gemini-tiles' }
  | { readonly kind: 'grid'; readonly patchPx: number; readonly maxPatches: number }
  | { readonly kind: 'doubao' }
  | { readonly kind: 'kimi' }
  | {
      readonly kind: 'tiles';
      readonly tilePx: number;
      readonly maxTiles: number;
      readonly tokensPerTile: number;
      /** Tiles that are added for the whole picture. */
      readonly extraTiles: number;
    };

export interface TokenFamilyRow {
  readonly rule: TokenRule;
  readonly confidence: Confidence;
}

const unbounded: PatchBudget = { patches: null };
const high: PatchBudget = { patches: 2500 };
const original: PatchBudget = { patches: 10_000, maxSidePx: 6000 };
const small: PatchBudget = { patches: 1536 };
const smallBudgets = { original: small, auto: small, high: small };

/**
 * How each family of models counts the tokens of a picture. A family is a stated fact of a model or
 * supplier row, never read off a model's name.
 *
 * - `flat`: the same for every size.
 * - `patches-28`: {@link fitIntoPatches} to an edge and a number of patches of 28 px, one token each.
 * - `patches-32`: patches of 32 px, shrunk to the budget of the `detail`, times a multiplier.
 * - `tiles-512`: a base, and tiles of 512 px of the picture fitted to 2048 px and a short side of 768 px.
 * - `grid`: both sides rounded to multiples of a patch, shrunk to a cap, one token a patch.
 * - `gemini-tiles`, `doubao`, `kimi`, `tiles`: see `image-tokens.ts`.
 *
 * Sources: Claude docs "Vision" (2026) and the measured table JOHNISKING/image-token-cost; OpenAI guide
 * "Images and vision" (2026) and measured values; Gemini docs; the vision guides of SiliconFlow,
 * DashScope, Kimi, DeepSeek; Ollama's source. `confidence` says how well each is known.
 */
export const tokenFamilies = {
  'anthropic-standard': { rule: { kind: 'patches-28', edgePx: 1568, patches: 1568 }, confidence: 'H' },
  'anthropic-high': { rule: { kind: 'patches-28', edgePx: 2576, patches: 4784 }, confidence: 'H' },
  'openai-gpt-5.6': {
    rule: {
      kind: 'patches-32',
      tokensPerHundredPatches: 120,
      budgets: { original: unbounded, auto: unbounded, high },
    },
    confidence: 'M',
  },
  'openai-gpt-5.5': {
    rule: { kind: 'patches-32', tokensPerHundredPatches: 120, budgets: { original, auto: original, high } },
    confidence: 'M',
  },
  'openai-gpt-5.4': {
    rule: { kind: 'patches-32', tokensPerHundredPatches: 120, budgets: { original, auto: high, high } },
    confidence: 'L',
  },
  'openai-mini': {
    rule: { kind: 'patches-32', tokensPerHundredPatches: 162, budgets: smallBudgets },
    confidence: 'H',
  },
  'openai-nano': {
    rule: { kind: 'patches-32', tokensPerHundredPatches: 246, budgets: smallBudgets },
    confidence: 'H',
  },
  'openai-o4-mini': {
    rule: { kind: 'patches-32', tokensPerHundredPatches: 172, budgets: smallBudgets },
    confidence: 'H',
  },
  'openai-gpt-4o': { rule: { kind: 'tiles-512', baseTokens: 85, tileTokens: 170 }, confidence: 'H' },
  'openai-gpt-5': { rule: { kind: 'tiles-512', baseTokens: 70, tileTokens: 140 }, confidence: 'H' },
  'openai-o-series': { rule: { kind: 'tiles-512', baseTokens: 75, tileTokens: 150 }, confidence: 'H' },
  'openai-computer-use': { rule: { kind: 'tiles-512', baseTokens: 65, tileTokens: 129 }, confidence: 'H' },
  'openai-gpt-4o-mini': { rule: { kind: 'tiles-512', baseTokens: 2833, tileTokens: 5667 }, confidence: 'H' },
  'gemini-2': { rule: { kind: 'gemini-tiles' }, confidence: 'M' },
  'gemini-3': { rule: { kind: 'flat', tokens: 1120 }, confidence: 'M' },
  'qwen-28': { rule: { kind: 'grid', patchPx: 28, maxPatches: 1280 }, confidence: 'M' },
  'qwen-28-high-resolution': { rule: { kind: 'grid', patchPx: 28, maxPatches: 16_384 }, confidence: 'M' },
  'qwen-32': { rule: { kind: 'grid', patchPx: 32, maxPatches: 16_384 }, confidence: 'L' },
  deepseek: { rule: { kind: 'flat', tokens: 400 }, confidence: 'M' },
  doubao: { rule: { kind: 'doubao' }, confidence: 'L' },
  kimi: { rule: { kind: 'kimi' }, confidence: 'L' },
  ollama: { rule: { kind: 'flat', tokens: 768 }, confidence: 'H' },
  together: {
    rule: { kind: 'tiles', tilePx: 560, maxTiles: 4, tokensPerTile: 1601, extraTiles: 0 },
    confidence: 'M',
  },
  grok: { rule: { kind: 'tiles', tilePx: 448, maxTiles: 6, tokensPerTile: 256, extraTiles: 1 }, confidence: 'L' },
  /** The built-in reader bills nothing. */
  offline: { rule: { kind: 'flat', tokens: 0 }, confidence: 'H' },
  /** The figure of the first origin document. */
  unknown: { rule: { kind: 'flat', tokens: 1000 }, confidence: 'L' },
} as const satisfies Readonly<Record<string, TokenFamilyRow>>;

/** One of the families of {@link tokenFamilies}. */
export type TokenFamily = keyof typeof tokenFamilies;
