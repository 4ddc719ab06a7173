import { type SupplierEndpoint, type SupplierRow, suppliers, type WireApi } from '@fovea/core/catalog';
import { type Environment, readVariable } from '../config/environment.ts';
import type { UnusableKey } from '../texts.ts';
import type { Channel } from './channel.ts';
import { listCatalogModels, toModel } from './file-channels.ts';
import type { FoundServer } from './local-servers.ts';

/**
 * Channels for the keys that stand in the well-known variables, as far as this build speaks one of
 * the supplier's wire APIs. They are named after their suppliers.
 */
export function listKeyChannels(environment: Environment, wireApis: ReadonlySet<WireApi>): readonly Channel[] {
  return suppliers.flatMap((supplier): Channel[] => {
    const variable = findSetVariable(supplier, environment);
    const endpoint = findSpokenEndpoint(supplier, wireApis);
    if (variable === undefined || endpoint?.baseUrl === undefined) return [];
    return [
      {
        name: supplier.id,
        origin: 'environment',
        supplierId: supplier.id,
        wireApi: endpoint.wireApi,
        baseUrl: endpoint.baseUrl,
        key: { kind: 'variable', name: variable },
        headers: {},
        models: listCatalogModels(supplier.id),
        takesOtherModels: true,
        limits: {},
        toolImages: undefined,
      },
    ];
  });
}

/** Keys in well-known variables that make no channel, because this build speaks none of the supplier's wire APIs. */
export function listUnusableKeys(environment: Environment, wireApis: ReadonlySet<WireApi>): readonly UnusableKey[] {
  return suppliers.flatMap((supplier): UnusableKey[] => {
    const variable = findSetVariable(supplier, environment);
    // Where each customer has an address of their own, a key alone was never enough.
    const addressed = supplier.endpoints.filter((endpoint) => endpoint.baseUrl !== undefined);
    const isSpoken = addressed.some((endpoint) => wireApis.has(endpoint.wireApi));
    if (variable === undefined || addressed.length === 0 || isSpoken) return [];
    return [{ variable, wireApis: addressed.map((endpoint) => endpoint.wireApi) }];
  });
}

function findSetVariable({ environmentKey }: SupplierRow, environment: Environment): string | undefined {
  const isSet = environmentKey !== undefined && readVariable(environment, environmentKey) !== undefined;
  return isSet ? environmentKey : undefined;
}

/** The supplier's first endpoint that this build can speak to without being told an address. */
export function findSpokenEndpoint(
  supplier: SupplierRow,
  wireApis: ReadonlySet<WireApi>,
): SupplierEndpoint | undefined {
  return supplier.endpoints.find((one) => wireApis.has(one.wireApi) && one.baseUrl !== undefined);
}

/** The channel of a server that was found on this machine. */
export function toLocalChannel(server: FoundServer): Channel {
  return {
    name: server.supplierId,
    origin: 'environment',
    supplierId: server.supplierId,
    wireApi: 'openai-chat',
    baseUrl: server.baseUrl,
    key: { kind: 'none' },
    headers: {},
    models: server.models.map(({ id, imageInput }) => toModel(server.supplierId, id, { imageInput })),
    takesOtherModels: false,
    limits: {},
    toolImages: undefined,
  };
}

/** The reader that needs no model; it is there in every case. */
export const offlineChannel: Channel = {
  name: 'offline',
  origin: 'built-in',
  supplierId: 'offline',
  wireApi: 'offline',
  baseUrl: '',
  key: { kind: 'none' },
  headers: {},
  models: listCatalogModels('offline'),
  takesOtherModels: false,
  limits: {},
  toolImages: undefined,
};
