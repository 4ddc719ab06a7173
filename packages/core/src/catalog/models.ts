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
const claudeVision = 'Claude docs "Vision" (2026); ids from @anthropic-ai/sdk 1.14.0 messages.d.ts';
const claudeLater = `${claudeVision}; the tier is that of "later models"`;
const deepSeekVision = 'api-docs.deepseek.com guides/vision (2026-09)';

/** Models that are known to take pictures. A model without a row is `unknown` until someone or something says more. */
export const models: readonly ModelRow[] = [
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-5.6', source: openAiMeasured, confidence: 'M' }, [
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-5.5', source: openAiMeasured, confidence: 'M' }, ['gpt-5.5']),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-5.4', source: openAiGuide, confidence: 'M' }, ['gpt-5.4']),
  ...seeingModels('openai', { tokenFamily: 'openai-mini', source: openAiGuide, confidence: 'H' }, [
    'gpt-5.4-mini',
    'gpt-5-mini',
    'gpt-4.1-mini',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-nano', source: openAiGuide, confidence: 'H' }, [
    'gpt-5.4-nano',
    'gpt-5-nano',
    'gpt-4.1-nano',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-o4-mini', source: openAiGuide, confidence: 'H' }, ['o4-mini']),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-4o', source: openAiGuide, confidence: 'H' }, [
    'gpt-4o',
    'gpt-4.1',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-5', source: openAiGuide, confidence: 'H' }, [
    'gpt-5',
    'gpt-5-chat-latest',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-o-series', source: openAiGuide, confidence: 'H' }, [
    'o1',
    'o1-pro',
    'o3',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-computer-use', source: openAiGuide, confidence: 'H' }, [
    'computer-use-preview',
  ]),
  ...seeingModels('openai', { tokenFamily: 'openai-gpt-4o-mini', source: openAiGuide, confidence: 'H' }, [
    'gpt-4o-mini',
  ]),
  ...seeingModels('deepseek', { tokenFamily: 'deepseek', source: deepSeekVision, confidence: 'M' }, [
    'deepseek-flash',
    'deepseek-v4-flash',
    'deepseek-v4-flash-vision-exp',
  ]),
  ...seeingModels('anthropic', { tokenFamily: 'anthropic-high', source: claudeVision, confidence: 'H' }, [
    'claude-opus-4-7',
    'claude-opus-4-8',
    'claude-fable-5',
    'claude-mythos-5',
  ]),
  ...seeingModels('anthropic', { tokenFamily: 'anthropic-high', source: claudeLater, confidence: 'L' }, [
    'claude-opus-5',
    'claude-opus-5-5',
    'claude-sonnet-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-1',
    'claude-fable-5-2',
    'claude-mythos-5-1',
    'claude-mythos-5-2',
  ]),
  ...seeingModels('anthropic', { tokenFamily: 'anthropic-standard', source: claudeVision, confidence: 'H' }, [
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
  ]),
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

function seeingModels(
  supplier: string,
  facts: Pick<ModelRow, 'tokenFamily' | 'source' | 'confidence'>,
  ids: readonly string[],
): readonly ModelRow[] {
  return ids.map((id) => ({ supplier, id, imageInput: 'yes', ...facts }));
}
