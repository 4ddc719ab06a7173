import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import {
  sampleAssistantMessage,
  sampleDigest,
  sampleSession,
  sampleToolMessage,
  sampleTurn,
  sampleUserMessage,
  sampleVariant,
} from '../testing/sample-records.ts';
import { createStoreCases, type StoreCase } from '../testing/store-cases.ts';
import type { DatabaseKind } from './codec.ts';
import { connect } from './database.ts';

const cases = createStoreCases(async (statement, { kysely }) => {
  return (await sql.raw<Record<string, unknown>>(statement).execute(kysely)).rows;
});

beforeAll(() => cases.start());
afterAll(() => cases.stop());

describe.each<DatabaseKind>(['sqlite', 'postgres'])('what a turn adds on %s', (kind) => {
  /** Bytes of all columns of all tables; a number counts as eight, however large it is. */
  async function measure({ target, query }: StoreCase): Promise<number> {
    const connection = await connect(target);
    const tables = await connection.kysely.introspection.getTables();
    await connection.close();
    let bytes = 0;
    for (const { name } of tables) {
      for (const row of await query(`select * from ${name}`)) {
        for (const value of Object.values(row)) bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
      }
    }
    return bytes;
  }

  /** Bytes that the 10th and the 100th of a hundred turns have added. */
  async function growth(opened: StoreCase, pictures: 'one' | 'new'): Promise<readonly number[]> {
    const { store } = opened;
    await store.sessions.create(sampleSession('ses_1'));
    const shown: { readonly originalDigest: Digest; readonly digest: Digest }[] = [];
    const added: number[] = [];
    for (let turn = 1; turn <= 100; turn += 1) {
      const number = String(turn).padStart(3, '0');
      const isMeasured = turn === 10 || turn === 100;
      const before = isMeasured ? await measure(opened) : 0;
      const original: Digest = pictures === 'one' ? sampleDigest('a') : `sha256:${number.padStart(64, 'a')}`;
      const digest: Digest = pictures === 'one' ? sampleDigest('b') : `sha256:${number.padStart(64, 'b')}`;
      if (pictures === 'new' || turn === 1) shown.push({ originalDigest: original, digest });
      const { turnRecords, events } = store;
      await turnRecords.startTurn(sampleTurn(`turn_${number}`, 'ses_1'), sampleUserMessage(`u${number}`));
      await turnRecords.saveVariant('ses_1', sampleVariant(original, digest));
      await turnRecords.savePlan({ sessionId: 'ses_1', endpointId: 'endpoint', images: shown });
      await turnRecords.takeRequestNumber('ses_1');
      await events.append(
        { id: `turn_${number}`, sessionId: 'ses_1' },
        { events: [], snapshot: { seq: turn, step: 1, text: 'I see.', thinking: '' } },
      );
      const messages = [sampleAssistantMessage(`a${number}`), sampleToolMessage(`t${number}`, original)];
      await turnRecords.appendMessages('ses_1', messages);
      await turnRecords.endTurn(`turn_${number}`, { status: 'completed', endedAt: '2026-01-02T00:02:00.000Z' });
      if (isMeasured) added.push((await measure(opened)) - before);
    }
    return added;
  }

  it.each(['one', 'new'] as const)('does not depend on how many came before it (pictures: %s)', (pictures) =>
    cases.withStore(kind, async (opened) => {
      const [tenth, hundredth] = await growth(opened, pictures);
      expect(hundredth).toBe(tenth);
      expect(hundredth).toBeGreaterThan(500);
    }),
  );
});
