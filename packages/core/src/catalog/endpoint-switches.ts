import type { LimitRow } from './limit-row.ts';
import { imageDetailFor, regionDetailFor } from './limits.ts';
import type { SupplierEndpoint } from './supplier-row.ts';

/** How an endpoint likes its requests, from its supplier's row and its limit row. */
export interface EndpointSwitches
  extends Omit<SupplierEndpoint, 'wireApi' | 'baseUrl' | 'limitRow'>,
    Pick<LimitRow, 'strictPairs' | 'store' | 'fileScheme'> {
  /** Value of `detail` on each picture, where the limit row lists values; else absent. */
  readonly imageDetail?: string;
  /** Value of `detail` on a region instead, where the row lists `original`; else absent. */
  readonly regionDetail?: string;
}

/** All that the catalogue knows of how to speak to an endpoint; what it does not know is absent. */
export function endpointSwitches(endpoint: SupplierEndpoint | undefined, row: LimitRow): EndpointSwitches {
  const { wireApi: _wireApi, baseUrl: _baseUrl, limitRow: _limitRow, ...switches } = endpoint ?? {};
  const imageDetail = imageDetailFor(row);
  const regionDetail = regionDetailFor(row);
  return {
    ...switches,
    ...(row.strictPairs !== undefined && { strictPairs: row.strictPairs }),
    ...(row.store !== undefined && { store: row.store }),
    ...(row.fileScheme !== undefined && { fileScheme: row.fileScheme }),
    ...(imageDetail !== undefined && { imageDetail }),
    ...(regionDetail !== undefined && { regionDetail }),
  };
}
