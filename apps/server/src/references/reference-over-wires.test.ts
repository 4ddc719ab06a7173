import type { FoveaEvent } from '@fovea/core/content';
import { expect, it, onTestFinished } from 'vitest';
import { createFixedClock } from '../../../../packages/core/src/testing/fixed-clock.ts';
import { makeTwoColorPng } from '../../../../packages/core/src/testing/make-pictures.ts';
import { expectClean } from '../../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { oracle, replyToolCalls } from '../../../../packages/core/src/testing/strict-server/reply.ts';
import { startStrictServer } from '../../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder } from '../../../../packages/core/src/testing/temporary-folder.ts';
import { compose } from '../compose.ts';
import { fillConfigDefaults } from '../config/config.ts';

const wires = [
  { wireApi: 'openai-chat', personality: 'openai', supplier: 'openai' },
  { wireApi: 'openai-responses', personality: 'openai', supplier: 'openai' },
  { wireApi: 'anthropic-messages', personality: 'anthropic-now', supplier: 'anthropic' },
] as const;

it.each(wires)(
  'a picture that @path names is seen over $wireApi, beside those of tools, later and after a restart',
  async ({ wireApi, personality, supplier }) => {
    const server = await startStrictServer({
      personality,
      script: [
        oracle(),
        replyToolCalls([
          { name: 'read_file', arguments: { path: 'missing.png' } },
          { name: 'view_image', arguments: { path: 'other.png' } },
        ]),
        oracle(),
        oracle(),
      ],
    });
    const workspace = await createTemporaryFolder();
    const home = await createTemporaryFolder();
    onTestFinished(async () => {
      await server.close();
      for (const folder of [workspace, home]) await folder.remove();
    });
    await workspace.write('my shots/a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
    await workspace.write('other.png', makeTwoColorPng({ left: 'blue', right: 'yellow' }));
    const baseUrl = wireApi === 'anthropic-messages' ? `${server.url}/${personality}` : server.baseUrl;
    const models = { seer: { imageInput: 'yes' } } as const;
    const open = () => {
      const opened = compose({
        config: fillConfigDefaults(
          { channels: { lab: { supplier, wireApi, baseUrl, apiKey: 'a-literal-key', models } } },
          'en',
        ),
        home: home.resolve('fovea'),
        environment: { HOME: home.path },
        clock: createFixedClock(),
      });
      onTestFinished(() => opened.close());
      return opened;
    };
    const fovea = open();
    const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
    if (!created.ok) throw created.error;
    const ask = async (text: string, by = fovea): Promise<string> => {
      const turn = { sessionId: created.value.id, text, attachments: [] };
      const events: FoveaEvent[] = [];
      for await (const event of by.runTurn(turn)) events.push(event);
      return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    };

    const first = /: left red, right green$/;
    const both = /: left red, right green\n.*: left blue, right yellow$/;
    expect(await ask('What is @"my shots/a.png"?')).toMatch(first);
    expect(await ask('And the others?')).toMatch(both);
    await fovea.close();
    expect(await ask('Still there?', open())).toMatch(both);
    expectClean(server);
  },
);
