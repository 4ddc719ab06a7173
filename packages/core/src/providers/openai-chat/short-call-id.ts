import { createHash } from 'node:crypto';

const SHORT_ID = /^[A-Za-z0-9]{9}$/;

/**
 * The id of a call as endpoints take it that know no others: as it is, where it has nine letters and
 * digits; else nine that are always the same for the same id.
 *
 * Source: the refusal "must be a-z, A-Z, 0-9, with a length of 9", quoted in anomalyco/opencode 1680.
 */
export function shortCallId(id: string): string {
  if (SHORT_ID.test(id)) return id;
  const digest = createHash('sha256').update(id).digest();
  return BigInt(`0x${digest.toString('hex')}`)
    .toString(36)
    .slice(-9);
}
