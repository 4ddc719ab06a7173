import { findModel, type ModelPrice } from '@fovea/core/catalog';
import { parseModelReference } from './model-reference.ts';
import type { ModelResolver } from './resolve-model.ts';

/** What a million tokens of `channel/model` cost now; `undefined` where that is not known, or no longer. */
export async function findPrice(reference: string, resolver: ModelResolver): Promise<ModelPrice | undefined> {
  const parsed = parseModelReference(reference);
  if (parsed === undefined) return undefined;
  const channel = await resolver.registry.find(parsed.channel);
  if (channel === undefined) return undefined;
  const listed = channel.models.find((model) => model.id === parsed.model);
  return listed === undefined ? findModel(channel.supplierId, parsed.model)?.price : listed.price;
}
