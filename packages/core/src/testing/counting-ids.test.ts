import { describe, expect, it } from 'vitest';
import { createCountingIds } from './counting-ids.ts';

describe('createCountingIds', () => {
  it('counts for each prefix', () => {
    const ids = createCountingIds();
    expect([ids.next('msg'), ids.next('msg'), ids.next('ses')]).toEqual(['msg_000001', 'msg_000002', 'ses_000001']);
  });
});
