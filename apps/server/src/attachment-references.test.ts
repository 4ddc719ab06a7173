import type { FoveaEvent, Session } from '@fovea/core/content';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { expectClean } from '../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { startStrictServer } from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { Fovea } from './fovea.ts';

const picture = makeTwoColorPng({ left: 'red', right: 'green' });

async function openWorld() {
  const server = await startStrictServer();
  const home = await createTemporaryFolder();
  const workspace = await createTemporaryFolder();
  await workspace.write('shots/a b.png', picture);
  const fovea = compose({
    config: fillConfigDefaults(
      {
        channels: {
          lab: {
            ...{ supplier: 'openai', wireApi: 'openai-chat', baseUrl: server.baseUrl, apiKey: 'test' },
            models: { seer: { imageInput: 'yes' } },
          },
        },
        model: 'lab/seer',
      },
      'en',
    ),
    home: home.resolve('fovea'),
    environment: { HOME: home.path },
  });
  onTestFinished(async () => {
    await fovea.close();
    await server.close();
    await home.remove();
    await workspace.remove();
  });
  const begin = async (): Promise<Session> => {
    const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
    if (!created.ok) throw created.error;
    return created.value;
  };
  return { server, workspace, fovea, begin };
}

async function run(fovea: Fovea, session: Session, text: string, attachments: readonly string[] = []) {
  const events: FoveaEvent[] = [];
  for await (const event of fovea.runTurn({ sessionId: session.id, text, attachments })) events.push(event);
  return events;
}

const textIn = (events: readonly FoveaEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const resultIn = (events: readonly FoveaEvent[]) => events.find((event) => event.type === 'tool-result');

describe('references to stored pictures', () => {
  it('show an attachment of the session again, after its file is gone', async () => {
    const { server, fovea, workspace, begin } = await openWorld();
    const session = await begin();
    const first = await run(fovea, session, 'Look.', ['shots/a b.png']);
    const digest = first.flatMap((event) => (event.type === 'request' ? event.imagesChanged : []))[0]?.digest;
    await workspace.write('shots/a b.png', 'no picture any more');
    const reference = `attachment:${digest?.slice(7, 19)}`;
    const region = { x: 0, y: 0, width: 32, height: 32 };
    const again = await run(fovea, session, `CALL view_image ${JSON.stringify({ path: reference, region })}`);
    expect(resultIn(again)).toMatchObject({
      isError: false,
      attachments: [{ digest, path: 'shots/a b.png', width: 64, height: 32, region }],
    });
    expect(textIn(again)).toContain('left red, right red');
    expectClean(server);
  });

  it('of another session are not found, though the bytes are in the same store', async () => {
    const { server, fovea, begin } = await openWorld();
    const owner = await begin();
    const other = await begin();
    const first = await run(fovea, owner, 'Look.', ['shots/a b.png']);
    const digest = first.flatMap((event) => (event.type === 'request' ? event.imagesChanged : []))[0]?.digest ?? '';
    for (const reference of [`attachment:${digest.slice(7, 19)}`, `attachment:${digest.slice(7)}`]) {
      const events = await run(fovea, other, `CALL view_image ${JSON.stringify({ path: reference })}`);
      expect(resultIn(events)).toMatchObject({
        isError: true,
        result: `{"content":"Error: not found: ${reference}","total_lines":0}`,
        attachments: [],
      });
      expect(textIn(events)).toBe('I see no image.');
    }
    expectClean(server);
  });
});
