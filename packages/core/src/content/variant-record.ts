import type { Digest } from '../base/ids.ts';
import type { VariantChange } from '../base/variant-change.ts';

/**
 * The stored facts of one wire variant. `variantKey` names everything besides the original's bytes
 * that the variant depends on (policy version and limit row), so that the same key always means
 * the same bytes.
 */
export interface VariantRecord {
  readonly originalDigest: Digest;
  readonly variantKey: string;
  readonly digest: Digest;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly changes: readonly VariantChange[];
}
