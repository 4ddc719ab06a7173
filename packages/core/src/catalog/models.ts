import type { Confidence } from './limit-row.ts';
import { findSupplier } from './suppliers.ts';
import type { TokenFamily } from './token-family.ts';
import type { ImageInputCapability } from './wire-api.ts';

/** What a million tokens cost. `cached` is for input that the endpoint had in its cache. */
export interface ModelPrice {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly currency: 'USD' | 'CNY';
}

/** Stated facts about one model. What is not known is absent or `unknown`, never guessed from the name. */
export interface ModelRow {
  readonly supplier: string;
  /** The model's id at its supplier. */
  readonly id: string;
  readonly imageInput: ImageInputCapability;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** Absent where none is known. */
  readonly price?: ModelPrice;
  /** How its pictures are counted. `anthropic-high` also marks the models of a limit row's `highTier`. */
  readonly tokenFamily: TokenFamily;
  readonly source: string;
  readonly confidence: Confidence;
}

const openAiGuide = 'OpenAI guide "Images and vision" (2026), which gives the cost of its pictures';
const openAiMeasured = 'measured table of picture costs (2026); ids from openai 6.49.0 shared.d.ts';
const openAiPages = 'developers.openai.com model pages (2026-09 to 2026-11), prices of up to 272,000 input tokens';
const modelsDev = 'models.dev (anomalyco), prices of short prompts';
const claudeVision = 'Claude docs "Vision" and "Pricing" (2026-10); ids from @anthropic-ai/sdk 1.14.0 messages.d.ts';
const claudeLater = `${claudeVision}; the tier is that of "later models"`;
const deepSeekVision = 'api-docs.deepseek.com guides/vision, quick_start/pricing (2026-10); peak hours, half at others';

const dollars = (input: number, cached: number, output: number): Pick<ModelRow, 'price'> => ({
  price: { input, cached, output, currency: 'USD' },
});
const yuan = (input: number, cached: number, output: number): Pick<ModelRow, 'price'> => ({
  price: { input, cached, output, currency: 'CNY' },
});
const size = (contextTokens: number, maxOutputTokens: number) => ({ contextTokens, maxOutputTokens });

const openAiSize = size(1_050_000, 128_000);
const claudeSize = size(1_000_000, 128_000);

const gpt6 = { tokenFamily: 'openai-gpt-5.6', source: openAiPages, confidence: 'M', ...openAiSize } as const;
const gpt56 = { tokenFamily: 'openai-gpt-5.6', source: openAiMeasured, confidence: 'M' } as const;
const gpt55 = { tokenFamily: 'openai-gpt-5.5', source: openAiMeasured, confidence: 'M', ...openAiSize } as const;
const gpt54 = { tokenFamily: 'openai-gpt-5.4', source: openAiGuide, confidence: 'M', ...openAiSize } as const;
const mini = { tokenFamily: 'openai-mini', source: openAiGuide, confidence: 'H' } as const;
const nano = { tokenFamily: 'openai-nano', source: openAiGuide, confidence: 'H' } as const;
const high = { tokenFamily: 'anthropic-high', source: claudeVision, confidence: 'H' } as const;
const later = { tokenFamily: 'anthropic-high', source: claudeLater, confidence: 'L' } as const;
const standard = { tokenFamily: 'anthropic-standard', source: claudeVision, confidence: 'H' } as const;

/**
 * What is known of models. A model without a row is `unknown` until someone or something says more.
 *
 * A price stands only where a source can be named and one rate holds for ordinary requests. Where an
 * endpoint bills by hour or by the length of a prompt, the source says which rate it is; where the
 * rates are too far apart for one of them (Claude Haiku 5.5: five times), or sources disagree, there
 * is none.
 */
export const models: readonly ModelRow[] = [
  ...seeingModels('openai', { ...gpt6, ...dollars(2, 0.1, 10) }, ['gpt-6.2-sol', 'gpt-6.1-sol']),
  ...seeingModels('openai', { ...gpt6, ...dollars(1, 0.05, 5) }, ['gpt-6.1-terra']),
  ...seeingModels('openai', { ...gpt6, ...dollars(2, 0.2, 10) }, ['gpt-6-sol']),
  ...seeingModels('openai', { ...gpt6, ...dollars(0.1, 0.01, 0.5) }, ['gpt-6-luna']),
  ...seeingModels('openai', gpt56, ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna']),
  ...seeingModels('openai', { ...gpt55, ...dollars(5, 0.5, 30) }, ['gpt-5.5']),
  ...seeingModels('openai', { ...gpt54, ...dollars(2.5, 0.25, 15) }, ['gpt-5.4']),
  ...seeingModels('openai', mini, ['gpt-5.4-mini', 'gpt-4.1-mini']),
  ...seeingModels('openai', { ...mini, ...size(400_000, 128_000), ...dollars(0.25, 0.025, 2) }, ['gpt-5-mini']),
  ...seeingModels('openai', nano, ['gpt-5.4-nano', 'gpt-4.1-nano']),
  ...seeingModels('openai', { ...nano, ...size(400_000, 128_000), ...dollars(0.05, 0.005, 0.4) }, ['gpt-5-nano']),
  ...seeingModels(
    'openai',
    {
      tokenFamily: 'openai-o4-mini',
      source: `${openAiGuide}; ${modelsDev}`,
      confidence: 'H',
      ...size(200_000, 100_000),
      ...dollars(1.1, 0.275, 4.4),
    },
    ['o4-mini'],
  ),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-4o', source: openAiGuide, confidence: 'H' }, [
    'gpt-4o',
    'gpt-4.1',
  ]),
  ...seeingModels(
    'openai',
    {
      tokenFamily: 'openai-gpt-5',
      source: `${openAiGuide}; ${modelsDev}`,
      confidence: 'H',
      ...dollars(1.25, 0.125, 10),
    },
    ['gpt-5'],
  ),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-5', source: openAiGuide, confidence: 'H' }, [
    'gpt-5-chat-latest',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-o-series', source: openAiGuide, confidence: 'H' }, ['o1', 'o1-pro']),
  ...seeingModels(
    'openai',
    {
      tokenFamily: 'openai-o-series',
      source: `${openAiGuide}; ${modelsDev}`,
      confidence: 'H',
      ...size(200_000, 100_000),
      ...dollars(2, 0.5, 8),
    },
    ['o3'],
  ),
  ...seeingModels('openai', { tokenFamily: 'openai-computer-use', source: openAiGuide, confidence: 'H' }, [
    'computer-use-preview',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-4o-mini', source: openAiGuide, confidence: 'H' }, [
    'gpt-4o-mini',
  ]),

  ...seeingModels(
    'deepseek',
    {
      tokenFamily: 'deepseek',
      source: deepSeekVision,
      confidence: 'M',
      ...size(1_000_000, 384_000),
      ...dollars(0.3, 0.006, 1.2),
    },
    ['deepseek-flash', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
  ),
  ...blindModels(
    'deepseek',
    { source: deepSeekVision, confidence: 'M', ...size(1_000_000, 384_000), ...dollars(1.32, 0.044, 3.96) },
    ['deepseek-v4-pro'],
  ),

  ...seeingModels('anthropic', { ...high, ...dollars(5, 0.5, 25) }, ['claude-opus-4-7', 'claude-opus-4-8']),
  ...seeingModels('anthropic', { ...high, ...dollars(10, 1, 50) }, ['claude-fable-5', 'claude-mythos-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize, ...dollars(5, 0.5, 25) }, ['claude-opus-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize, ...dollars(4, 0.2, 20) }, ['claude-opus-5-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize, ...dollars(2, 0.2, 10) }, ['claude-sonnet-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize, ...dollars(2, 0.1, 10) }, ['claude-sonnet-5-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize }, ['claude-haiku-5-5']),
  ...seeingModels('anthropic', { ...later, ...claudeSize, ...dollars(10, 0.25, 50) }, ['claude-fable-5-1']),
  ...seeingModels('anthropic', { ...later, ...dollars(10, 0.25, 50) }, ['claude-mythos-5-1']),
  ...seeingModels('anthropic', later, ['claude-fable-5-2', 'claude-mythos-5-2']),
  ...seeingModels('anthropic', { ...standard, ...dollars(5, 0.5, 25) }, [
    'claude-opus-4-6',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
  ]),
  ...seeingModels('anthropic', { ...standard, ...dollars(3, 0.3, 15) }, [
    'claude-sonnet-4-6',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
  ]),
  ...seeingModels('anthropic', { ...standard, ...size(200_000, 64_000), ...dollars(1, 0.1, 5) }, [
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
  ]),

  ...seeingModels(
    'dashscope',
    {
      tokenFamily: 'qwen-32',
      source: `help.aliyun.com model-studio qwen3-8-flash, Beijing (2026-08), as quoted by ${modelsDev}`,
      confidence: 'M',
      ...size(1_000_000, 131_072),
      ...yuan(0.8, 0.1, 2.7),
    },
    ['qwen3.8-flash'],
  ),
  ...seeingModels(
    'dashscope',
    { tokenFamily: 'qwen-32', source: modelsDev, confidence: 'M', ...size(1_000_000, 65_536) },
    ['qwen3.7-plus'],
  ),
  ...seeingModels(
    'zhipu',
    {
      tokenFamily: 'unknown',
      source: 'docs.z.ai guides/vlm/glm-5.3-flash (2026-08)',
      confidence: 'M',
      ...size(1_000_000, 128_000),
    },
    ['glm-5.3-flash'],
  ),
  ...blindModels('zhipu', { source: 'release notes of liustack/modlens 3.25.2 (2026-09)', confidence: 'L' }, [
    'glm-5.3',
    'glm-5.2',
  ]),
  ...seeingModels(
    'moonshot',
    {
      tokenFamily: 'kimi',
      source: 'platform.kimi.ai pricing/chat-k3, in yuan as quoted by a guide of 2026-07',
      confidence: 'L',
      ...size(1_048_576, 131_072),
      ...yuan(20, 2, 100),
    },
    ['kimi-k3'],
  ),
  ...seeingModels(
    'moonshot',
    {
      tokenFamily: 'kimi',
      source: 'platform.kimi.com pricing/chat-k26, which names its inputs (2026)',
      confidence: 'H',
      contextTokens: 262_144,
    },
    ['kimi-k2.6'],
  ),
  ...seeingModels(
    'minimax',
    {
      tokenFamily: 'unknown',
      source: 'model pages of MiniMax-M3 (2026)',
      confidence: 'M',
      ...size(1_000_000, 131_072),
    },
    ['MiniMax-M3'],
  ),
  ...blindModels('minimax', { source: 'reports on MiniMax (2026): models before M3 take text only', confidence: 'M' }, [
    'MiniMax-M2.7',
    'MiniMax-M2.5',
  ]),
  ...seeingModels('mistral', { tokenFamily: 'unknown', source: modelsDev, confidence: 'M', contextTokens: 262_144 }, [
    'mistral-medium-latest',
    'mistral-medium-2604',
  ]),
  ...seeingModels(
    'xai',
    {
      tokenFamily: 'grok',
      source: `docs.x.ai models/grok-4.7 and pricing, as quoted by ${modelsDev} (up to 200,000 tokens)`,
      confidence: 'M',
      contextTokens: 500_000,
      ...dollars(2, 0.5, 6),
    },
    ['grok-4.7'],
  ),
  ...seeingModels(
    'gemini',
    {
      tokenFamily: 'gemini-3',
      source: `ai.google.dev pricing of gemini-3.8-flash until 2026-12-31, as quoted by ${modelsDev}`,
      confidence: 'M',
      ...size(1_048_576, 65_536),
      ...dollars(0.75, 0.075, 3.75),
    },
    ['gemini-3.8-flash'],
  ),
  ...seeingModels('offline', { tokenFamily: 'offline', source: 'Fovea itself', confidence: 'H' }, ['reader']),
];

/** The row of a model; `undefined` when nothing is known of it, which does not mean that it cannot see. */
export function findModel(supplierId: string, modelId: string): ModelRow | undefined {
  return models.find((model) => model.supplier === supplierId && model.id === modelId);
}

/** How a model's pictures are counted: by its own row, else its supplier's, else `unknown`. */
export function tokenFamilyFor(supplierId: string, modelId: string): TokenFamily {
  return findModel(supplierId, modelId)?.tokenFamily ?? findSupplier(supplierId)?.tokenFamily ?? 'unknown';
}

type ModelFacts = Omit<ModelRow, 'supplier' | 'id' | 'imageInput'>;

function seeingModels(supplier: string, facts: ModelFacts, ids: readonly string[]): readonly ModelRow[] {
  return ids.map((id) => ({ supplier, id, imageInput: 'yes', ...facts }));
}

function blindModels(
  supplier: string,
  facts: Omit<ModelFacts, 'tokenFamily'>,
  ids: readonly string[],
): readonly ModelRow[] {
  return ids.map((id) => ({ supplier, id, imageInput: 'no', tokenFamily: 'unknown', ...facts }));
}
