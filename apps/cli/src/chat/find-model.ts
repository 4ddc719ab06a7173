import { AppError, fail, type Result } from '@fovea/core/base';
import type { Fovea, ModelChoice } from '@fovea/server';
import type { CliTexts } from '../texts.ts';

/** What a model can do with pictures, in words; of the built-in reader, what it reads. */
export function describeEyes(model: ModelChoice, texts: CliTexts): string {
  return model.origin === 'built-in' ? texts.readerEyes : texts.eyes[model.imageInput];
}

/**
 * The model that a user named, as `channel/model`, or by its name alone where only one model is
 * called so. Fails as `Fovea.chooseModel` does, and with `UNKNOWN_MODEL` for a name of several.
 */
export async function findModel(name: string, fovea: Fovea, texts: CliTexts): Promise<Result<ModelChoice, AppError>> {
  const models = await fovea.listModels();
  const isWhole = models.some((model) => model.id === name);
  const named = isWhole ? [] : models.filter((model) => model.model.toLowerCase() === name.toLowerCase());
  const [first, second] = named;
  if (first === undefined) return fovea.chooseModel(name);
  if (second === undefined) return fovea.chooseModel(first.id);
  const ids = named.map((model) => model.id);
  return fail(new AppError('UNKNOWN_MODEL', texts.chatSeveralModels(name, ids), { data: { localized: true } }));
}
