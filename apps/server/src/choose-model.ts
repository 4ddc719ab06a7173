import { type AppError, fail, ok, type Result } from '@fovea/core/base';
import { listUnusableKeys } from './channels/environment-channels.ts';
import type { ModelChoice } from './fovea.ts';
import { localizedError } from './localized-error.ts';
import { findModelByReference, type ModelResolver, toModelChoice } from './resolve-model.ts';
import { serverTexts } from './texts.ts';

/** Every model that may answer: configured ones first, the built-in reader last. */
export async function listModelChoices(resolver: ModelResolver): Promise<readonly ModelChoice[]> {
  const channels = await resolver.registry.list();
  return channels.flatMap((channel) => channel.models.map((model) => toModelChoice(channel, model)));
}

/**
 * The model for a turn: the one that was asked for, else the configuration's, else the only one of
 * the configured channels. What was merely found, in the environment or on this machine, is never
 * taken silently, because it may cost money; where nothing at all was found, the built-in reader
 * answers. Fails as `findModelByReference` does, and with `NO_MODEL_CHOSEN` (`data.choices`).
 */
export async function chooseModel(
  resolver: ModelResolver,
  wanted: { readonly requested: string | undefined; readonly configured: string | undefined },
): Promise<Result<ModelChoice, AppError>> {
  const reference = wanted.requested ?? wanted.configured;
  if (reference !== undefined) return chooseByReference(reference, resolver);
  const choices = await listModelChoices(resolver);
  const found = choices.filter((choice) => choice.origin !== 'built-in');
  const [first, second] = found;
  if (resolver.registry.isConfigured) {
    if (first !== undefined && second === undefined) return chooseByReference(first.id, resolver);
    return fail(await noModelChosen(choices, resolver));
  }
  const reader = choices.find((choice) => choice.origin === 'built-in');
  return first === undefined && reader !== undefined ? ok(reader) : fail(await noModelChosen(choices, resolver));
}

async function chooseByReference(reference: string, resolver: ModelResolver): Promise<Result<ModelChoice, AppError>> {
  const found = await findModelByReference(reference, resolver);
  return found.ok ? ok(toModelChoice(found.value.channel, found.value.model)) : found;
}

async function noModelChosen(choices: readonly ModelChoice[], resolver: ModelResolver): Promise<AppError> {
  const { registry, environment, wireApis } = resolver;
  const texts = serverTexts(resolver.locale);
  const isAnyFound = choices.some((choice) => choice.origin !== 'built-in');
  const channels = (await registry.list()).filter((channel) => channel.origin !== 'built-in');
  const message = isAnyFound
    ? texts.noModelChosen({
        choices,
        unusableKeys: registry.isConfigured ? [] : listUnusableKeys(environment, wireApis),
      })
    : texts.noModelNamed(channels.map((channel) => channel.name));
  return localizedError('NO_MODEL_CHOSEN', message, { data: { choices } });
}
