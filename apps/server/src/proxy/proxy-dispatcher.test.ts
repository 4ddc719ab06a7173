import type { WireApi } from '@fovea/core/catalog';
import type { FoveaEvent } from '@fovea/core/content';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeTwoColorPng } from '../../../../packages/core/src/testing/make-pictures.ts';
import { startProxy } from '../../../../packages/core/src/testing/start-proxy.ts';
import { expectClean } from '../../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { startStrictServer } from '../../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from '../compose.ts';
import { fillConfigDefaults } from '../config/config.ts';

const NOWHERE = 'http://127.0.0.1:9';

type Wire = Exclude<WireApi, 'offline'>;

async function openWorld(wireApi: Wire, environment: Record<string, string>) {
  const server = await startStrictServer({
    personality: wireApi === 'anthropic-messages' ? 'anthropic-now' : 'openai',
  });
  const home = await createTemporaryFolder();
  const workspace = await createTemporaryFolder();
  await workspace.write('a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  const { port } = new URL(server.url);
  // A name that only the proxy knows.
  const origin = `http://eyes.test:${port}`;
  const baseUrl = wireApi === 'anthropic-messages' ? `${origin}/anthropic-now` : `${origin}/openai/v1`;
  const fovea = compose({
    config: fillConfigDefaults(
      {
        channels: {
          lab: { supplier: 'custom', wireApi, baseUrl, apiKey: 'k', models: { seer: { imageInput: 'yes' } } },
        },
      },
      'en',
    ),
    home: home.resolve('fovea'),
    environment: { HOME: home.path, ...environment },
    localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
  });
  onTestFinished(async () => {
    await fovea.close();
    await server.close();
    await home.remove();
    await workspace.remove();
  });
  const session = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!session.ok) throw session.error;
  const sessionId = session.value.id;
  const ask = async (): Promise<readonly FoveaEvent[]> => {
    const events: FoveaEvent[] = [];
    const turn = { sessionId, text: 'What is it?', attachments: ['a.png'] };
    for await (const event of fovea.runTurn(turn)) events.push(event);
    return events;
  };
  return { server, port, ask };
}

describe('a request with a picture', () => {
  it.each<Wire>(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'leaves through the proxy over %s',
    async (wireApi) => {
      const proxy = await startProxy();
      onTestFinished(() => proxy.close());
      const { server, port, ask } = await openWorld(wireApi, { HTTP_PROXY: proxy.url });
      const events = await ask();
      expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'completed' });
      const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
      expect(text).toContain('left red, right green');
      expect(proxy.targets).toEqual([`eyes.test:${port}`]);
      expectClean(server);
    },
  );

  it.each<Wire>(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'goes past the proxy over %s where NO_PROXY names its host',
    async (wireApi) => {
      const proxy = await startProxy();
      onTestFinished(() => proxy.close());
      const { server, ask } = await openWorld(wireApi, { HTTP_PROXY: proxy.url, NO_PROXY: 'eyes.test' });
      // Nobody but the proxy knows the name.
      expect((await ask()).at(-1)).toMatchObject({
        type: 'turn-end',
        status: 'failed',
        error: { code: 'ENDPOINT_UNREACHABLE' },
      });
      expect(proxy.targets).toEqual([]);
      expect(server.requests).toEqual([]);
    },
  );
});
