import type { SupplierEndpoint, SupplierRow } from './supplier-row.ts';
import type { WireApi } from './wire-api.ts';

/** What is known of one endpoint; nothing need be. */
export type EndpointFacts = Partial<Omit<SupplierEndpoint, 'wireApi'>>;

/** What a row must state is its id, its name and one wire; the rest has defaults. */
export interface SupplierFacts extends Partial<Omit<SupplierRow, 'id' | 'name' | 'endpoints'>> {
  readonly id: string;
  readonly name: string;
  /** The wires that it speaks. The one that is written first is meant when a channel names none. */
  readonly chat?: EndpointFacts;
  readonly responses?: EndpointFacts;
  readonly messages?: EndpointFacts;
  readonly offline?: EndpointFacts;
}

const WIRE_APIS: ReadonlyMap<string, WireApi> = new Map([
  ['chat', 'openai-chat'],
  ['responses', 'openai-responses'],
  ['messages', 'anthropic-messages'],
  ['offline', 'offline'],
]);

const REMOTE_IDLE_TIMEOUT_MS = 120_000;
/** A local server may load a model of many gigabytes before the first byte. */
const LOCAL_IDLE_TIMEOUT_MS = 600_000;

/**
 * A whole {@link SupplierRow} of the facts that are known. Defaults are those that work at most
 * endpoints: the limit row `unknown`; on Messages the key in both headers, because third parties
 * document the classic one and newer clients send the other (wire-facts rule 47).
 */
export function defineSupplier(facts: SupplierFacts): SupplierRow {
  const { chat, responses, messages, offline, ...stated } = facts;
  const isLocal = stated.isLocal ?? false;
  return {
    isLocal,
    tokenFamily: 'unknown',
    idleTimeoutMs: isLocal ? LOCAL_IDLE_TIMEOUT_MS : REMOTE_IDLE_TIMEOUT_MS,
    source: 'nothing is known of it but its address',
    confidence: 'L',
    ...stated,
    endpoints: listEndpoints(facts, { chat, responses, messages, offline }),
  };
}

/** In the order in which the wires are written. */
function listEndpoints(
  facts: SupplierFacts,
  byWire: Readonly<Record<string, EndpointFacts | undefined>>,
): readonly SupplierEndpoint[] {
  return Object.keys(facts).flatMap((key) => {
    const wireApi = WIRE_APIS.get(key);
    const endpoint = byWire[key];
    if (wireApi === undefined || endpoint === undefined) return [];
    const keyHeader = wireApi === 'anthropic-messages' ? ({ keyHeader: 'both' } as const) : {};
    return [{ wireApi, limitRow: 'unknown', ...keyHeader, ...endpoint }];
  });
}
