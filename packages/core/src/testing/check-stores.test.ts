import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../store/open-store.ts';
import { expectDamage } from './check-stores.ts';
import { sampleSession, sampleToolMessage } from './sample-records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

async function makeStore(damage: 'none' | 'a message names bytes that are not there') {
  const folder = await createTemporaryFolder();
  const home = folder.resolve('users/one/home');
  const store = await openStore({ home });
  await store.sessions.create(sampleSession('ses_1'));
  const digest = `sha256:${'ab'.repeat(32)}` as const;
  if (damage !== 'none') await store.turnRecords.appendMessages('ses_1', [sampleToolMessage('m1', digest)]);
  await store.close();
  return { folder, home };
}

describe('a temporary folder with a store', () => {
  it('is removed when the store is whole', async () => {
    const { folder } = await makeStore('none');
    await folder.remove();
  });

  it('is removed and fails the test when the store is not whole', async () => {
    const { folder, home } = await makeStore('a message names bytes that are not there');
    await expect(folder.remove()).rejects.toThrow(`the store in ${home} is not whole after the test:\nblob-missing`);
    await expect(rm(folder.path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is removed when the test said that it damaged the store', async () => {
    const { folder, home } = await makeStore('a message names bytes that are not there');
    expectDamage(home, 'for this test');
    await folder.remove();
  });
});
