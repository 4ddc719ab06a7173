import type { ModelTarget } from '@fovea/core/agent';
import { type AppError, fail, type Locale, ok, type Result, type Secret } from '@fovea/core/base';
import {
  endpointSwitches,
  findSupplier,
  findSupplierEndpoint,
  isHighTier,
  type LimitRow,
  limitRowFor,
  rowForTier,
  type ToolImagePlacement,
  tokenFamilyFor,
  type WireApi,
} from '@fovea/core/catalog';
import type { Endpoint, Provider } from '@fovea/core/providers';
import type { Channel, ChannelModel } from './channels/channel.ts';
import type { ChannelRegistry } from './channels/channel-registry.ts';
import { findSpokenEndpoint } from './channels/environment-channels.ts';
import { toModel } from './channels/file-channels.ts';
import { readKey } from './channels/read-key.ts';
import { findClosestName } from './closest-name.ts';
import type { Environment } from './config/environment.ts';
import type { ModelChoice } from './fovea.ts';
import { localizedError } from './localized-error.ts';
import { formatModelReference, parseModelReference } from './model-reference.ts';
import { serverTexts } from './texts.ts';

/** Most tokens of an answer where neither the user nor the catalogue says otherwise. */
const DEFAULT_MAX_OUTPUT_TOKENS = 8192;
/** Longest silence of an answer where the supplier's row says nothing. */
const DEFAULT_IDLE_TIMEOUT_MS = 120_000;

export interface ModelResolver {
  readonly registry: ChannelRegistry;
  readonly environment: Environment;
  readonly locale: Locale;
  readonly wireApis: ReadonlySet<WireApi>;
}

/** A model that was found, with the key of its channel. */
export interface FoundModel {
  readonly channel: Channel;
  readonly model: ChannelModel;
  readonly apiKey: Secret | undefined;
}

/**
 * The channel and model of `channel/model`, ready to be used. Fails with `UNKNOWN_CHANNEL` or
 * `UNKNOWN_MODEL` (both say what there is or what is missing), `UNKNOWN_WIRE_API` or `KEY_MISSING`.
 */
export async function findModelByReference(
  text: string,
  resolver: ModelResolver,
): Promise<Result<FoundModel, AppError>> {
  const reference = parseModelReference(text.trim());
  if (reference === undefined) return fail(await notAReference(text, resolver));
  const channel = await resolver.registry.find(reference.channel);
  if (channel === undefined) return fail(await unknownChannel(reference.channel, resolver));
  const model = findChannelModel(channel, reference.model);
  if (model === undefined) return fail(unknownModel(channel, reference.model, resolver.locale));
  if (!resolver.wireApis.has(channel.wireApi)) return fail(unknownWireApi(channel, resolver));
  const key = readKey(channel, resolver.environment, resolver.locale);
  return key.ok ? ok({ channel, model, apiKey: key.value }) : key;
}

function findChannelModel(channel: Channel, id: string): ChannelModel | undefined {
  const listed = channel.models.find((model) => model.id === id);
  return listed ?? (channel.takesOtherModels ? toModel(channel.supplierId, id, {}) : undefined);
}

export function toModelChoice(channel: Channel, model: ChannelModel): ModelChoice {
  return {
    id: formatModelReference({ channel: channel.name, model: model.id }),
    channel: channel.name,
    model: model.id,
    wireApi: channel.wireApi,
    imageInput: model.imageInput,
    origin: channel.origin,
    ...(model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
  };
}

/** Everything that a turn needs to know of its model and of where it is reached. */
export async function toModelTarget({ channel, model, apiKey }: FoundModel, provider: Provider): Promise<ModelTarget> {
  const tokenFamily = tokenFamilyFor(channel.supplierId, model.id);
  const limitRow = findLimits(channel, isHighTier(tokenFamily));
  const { normalizeBaseUrl } = await import('@fovea/core/providers');
  return {
    channel: channel.name,
    model: model.id,
    endpoint: toEndpoint(channel, { apiKey, limitRow, baseUrl: normalizeBaseUrl(channel.wireApi, channel.baseUrl) }),
    provider,
    imageInput: model.imageInput,
    limitRow,
    tokenFamily,
    maxOutputTokens: model.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    ...(model.price === undefined ? {} : { price: model.price }),
    ...model.settings,
  };
}

function toEndpoint(
  channel: Channel,
  facts: { readonly apiKey: Secret | undefined; readonly limitRow: LimitRow; readonly baseUrl: string },
): Endpoint {
  return {
    channel: channel.name,
    wireApi: channel.wireApi,
    baseUrl: facts.baseUrl,
    apiKey: facts.apiKey,
    headers: channel.headers,
    idleTimeoutMs: findSupplier(channel.supplierId)?.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
    ...endpointSwitches(findSupplierEndpoint(channel.supplierId, channel.wireApi), facts.limitRow),
  };
}

/** The catalogue's row with what the channel overrides; the id stays, because the row is still that endpoint's. */
function findLimits(channel: Channel, isHigh: boolean): LimitRow {
  const row = rowForTier(limitRowFor(channel.supplierId, channel.wireApi), isHigh);
  const toolImages = channel.toolImages ?? row.toolImages ?? defaultPlacement(channel.wireApi);
  return { ...row, ...channel.limits, toolImages };
}

/** Source: decision X20. */
function defaultPlacement(wireApi: WireApi): ToolImagePlacement {
  switch (wireApi) {
    case 'openai-chat':
    case 'openai-responses':
      return 'after-group';
    case 'anthropic-messages':
    case 'offline':
      return 'inline';
  }
}

async function notAReference(text: string, resolver: ModelResolver): Promise<AppError> {
  const channels = await resolver.registry.list();
  const choices = channels.flatMap((channel) => channel.models.map((model) => toModelChoice(channel, model)));
  const references = choices.map((choice) => choice.id);
  const meant = references.filter((reference) => reference.endsWith(`/${text}`));
  const closest = meant.length === 1 ? meant[0] : findClosestName(text, references);
  return localizedError('UNKNOWN_MODEL', serverTexts(resolver.locale).notAReference(text, closest, choices), {
    data: { model: text },
  });
}

async function unknownChannel(name: string, resolver: ModelResolver): Promise<AppError> {
  const absent = describeAbsentSupplier(name, resolver);
  if (absent !== undefined) return absent;
  const known = (await resolver.registry.list()).map((channel) => channel.name);
  const message = serverTexts(resolver.locale).unknownChannel(name, findClosestName(name, known), known);
  return localizedError('UNKNOWN_CHANNEL', message, { data: { channel: name, known } });
}

/** What a supplier of the catalogue would need to be a channel; `undefined` for any other name. */
function describeAbsentSupplier(name: string, resolver: ModelResolver): AppError | undefined {
  const supplier = findSupplier(name);
  if (supplier === undefined) return undefined;
  const texts = serverTexts(resolver.locale);
  const { environmentKey, isLocal } = supplier;
  if (environmentKey === undefined && !isLocal) return undefined;
  if (supplier.endpoints.every(({ baseUrl }) => baseUrl === undefined)) {
    const message = texts.supplierWithoutAddress(name, supplier.name);
    return localizedError('UNKNOWN_CHANNEL', message, { data: { channel: name } });
  }
  if (findSpokenEndpoint(supplier, resolver.wireApis) === undefined) {
    const spoken = supplier.endpoints.map((endpoint) => endpoint.wireApi);
    const message = texts.supplierNotSpoken(name, spoken, listSpoken(resolver));
    return localizedError('UNKNOWN_WIRE_API', message, { data: { channel: name, wireApi: spoken[0] } });
  }
  if (environmentKey !== undefined) {
    const message = texts.supplierWithoutKey(name, environmentKey);
    return localizedError('UNKNOWN_CHANNEL', message, { data: { channel: name, variable: environmentKey } });
  }
  const message = resolver.registry.isConfigured
    ? texts.serverNotConfigured(name)
    : texts.serverNotFound(name, supplier.name);
  return localizedError('UNKNOWN_CHANNEL', message, { data: { channel: name } });
}

function unknownModel(channel: Channel, model: string, locale: Locale): AppError {
  const known = channel.models.map((one) => one.id);
  const closest = findClosestName(model, known);
  const message = serverTexts(locale).unknownModel({ channel: channel.name, model, closest, known });
  return localizedError('UNKNOWN_MODEL', message, { data: { channel: channel.name, model, known } });
}

function unknownWireApi(channel: Channel, resolver: ModelResolver): AppError {
  const message = serverTexts(resolver.locale).unknownWireApi(channel.name, channel.wireApi, listSpoken(resolver));
  return localizedError('UNKNOWN_WIRE_API', message, { data: { channel: channel.name, wireApi: channel.wireApi } });
}

function listSpoken(resolver: ModelResolver): readonly WireApi[] {
  return [...resolver.wireApis].filter((wireApi) => wireApi !== 'offline');
}
