import { Secret } from '@fovea/core/base';
import { findModel, findSupplier, findSupplierEndpoint, type ModelPrice, models } from '@fovea/core/catalog';
import type { ChannelConfig, ModelConfig } from '../config/config-schema.ts';
import type { Channel, ChannelModel, KeySource } from './channel.ts';

/** The channels that the configuration names. */
export function listFileChannels(configs: Readonly<Record<string, ChannelConfig>>): readonly Channel[] {
  return Object.entries(configs).map(([name, config]) => toChannel(name, config));
}

function toChannel(name: string, config: ChannelConfig): Channel {
  const endpoint = findSupplierEndpoint(config.supplier, config.wireApi);
  return {
    name,
    origin: 'config',
    supplierId: config.supplier,
    wireApi: config.wireApi ?? endpoint?.wireApi ?? 'openai-chat',
    baseUrl: config.baseUrl ?? endpoint?.baseUrl ?? '',
    key: findKeySource(config),
    headers: config.headers ?? {},
    models:
      config.models === undefined
        ? listCatalogModels(config.supplier)
        : Object.entries(config.models).map(([id, model]) => toModel(config.supplier, id, model)),
    takesOtherModels: config.models === undefined,
    limits: config.limits ?? {},
    toolImages: config.toolImages ?? undefined,
  };
}

/** The models that the catalogue knows of a supplier. */
export function listCatalogModels(supplierId: string): readonly ChannelModel[] {
  return models.filter((model) => model.supplier === supplierId).map(({ id }) => toModel(supplierId, id, {}));
}

/** What is known of one model; the user's word comes first. */
export function toModel(supplierId: string, id: string, config: ModelConfig): ChannelModel {
  const row = findModel(supplierId, id);
  const contextTokens = config.contextTokens ?? row?.contextTokens;
  const { maxOutputTokens, temperature, reasoningEffort, extraBody } = config;
  const price = mergePrice(config.price, row?.price);
  return {
    id,
    imageInput: config.imageInput ?? row?.imageInput ?? 'unknown',
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(price === undefined ? {} : { price }),
    settings: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(extraBody === undefined ? {} : { extraBody }),
    },
  };
}

/** The user's figures, else the catalogue's of the same currency; without both of input and output none is known. */
function mergePrice(own: ModelConfig['price'], known: ModelPrice | undefined): ModelPrice | undefined {
  if (own === undefined) return known;
  const currency = own.currency ?? known?.currency ?? 'USD';
  const base = known?.currency === currency ? known : undefined;
  const input = own.input ?? base?.input;
  const output = own.output ?? base?.output;
  if (input === undefined || output === undefined) return undefined;
  // Where nothing is said of cached input, it is no cheaper.
  return {
    input,
    output,
    cached: own.cached ?? (own.input === undefined ? base?.cached : undefined) ?? input,
    currency,
  };
}

function findKeySource(config: ChannelConfig): KeySource {
  if (config.apiKey?.startsWith('env:') === true) return { kind: 'variable', name: config.apiKey.slice('env:'.length) };
  if (config.apiKey !== undefined) return { kind: 'literal', key: new Secret(config.apiKey.trim()) };
  const suggestion = findSupplier(config.supplier)?.environmentKey;
  // An own address in place of the supplier's may well need no key, and an own header may carry it.
  const isElsewhere = config.baseUrl !== undefined && findSupplierEndpoint(config.supplier)?.baseUrl !== undefined;
  const isOwnServer = isElsewhere || Object.keys(config.headers ?? {}).length > 0;
  return suggestion === undefined || isOwnServer ? { kind: 'none' } : { kind: 'missing', suggestion };
}
