import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoveaEvent } from '@fovea/core/content';
import { expect, it, onTestFinished } from 'vitest';
import { type AnswerScript, startScriptedHttpServer } from '../../../packages/core/src/testing/scripted-http-server.ts';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { listKeyVariables } from './collect-secrets.ts';
import { compose } from './compose.ts';
import { fillConfigDefaults } from './config/config.ts';
import type { ConfigFile } from './config/config-schema.ts';
import { createApprover } from './create-approver.ts';
import { createJsonLinesLogger } from './json-lines-logger.ts';

const LITERAL = 'marked-literal-key-0123456789';
const HEADER = 'marked-header-key-0123456789';

function frames(...deltas: readonly Record<string, unknown>[]): AnswerScript {
  const chunks = deltas.map((delta) => ({ write: `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n` }));
  const reason = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
  const end = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  return { steps: [...chunks, { write: `data: ${end}\n\ndata: [DONE]\n\n` }] };
}

function call(id: string, name: string, toolArguments: unknown): Record<string, unknown> {
  const described = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(toolArguments) } };
  return { tool_calls: [described] };
}

/** The bytes of every file below a folder. */
async function readTree(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // SQLite removes its side files late.
  return Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
}

it('keys reach no tool result, event, log line, error, request body or stored byte, however they come', async () => {
  const server = await startScriptedHttpServer();
  const workspace = await createTemporaryFolder();
  const home = await createTemporaryFolder();
  const config: ConfigFile = {
    channels: {
      lab: {
        supplier: 'openai',
        wireApi: 'openai-chat',
        baseUrl: `${server.origin}/v1`,
        apiKey: LITERAL,
        headers: { 'x-api-key': HEADER },
        models: { seer: { imageInput: 'yes' } },
      },
      named: { supplier: 'custom', baseUrl: `${server.origin}/v1`, apiKey: 'env:MY_OWN_KEY', models: { seer: {} } },
    },
    permissions: { profile: 'full-access' },
    commands: { environment: ['OPENAI_API_KEY', 'MY_OWN_KEY'] },
  };
  const filled = fillConfigDefaults(config, 'en');
  const variables = listKeyVariables(filled);
  expect(variables).toEqual(expect.arrayContaining(['MY_OWN_KEY', 'GEMINI_API_KEY', 'FOVEA_SECRET_KEY']));
  const keys = Object.fromEntries(variables.map((name) => [name, `marked-${name.toLowerCase()}-0123456789`]));
  const marked = [...Object.values(keys), LITERAL, HEADER];
  const [first = '', second = ''] = marked;
  const logs: string[] = [];
  const fovea = compose({
    config: filled,
    home: home.resolve('fovea'),
    environment: { HOME: home.path, PATH: process.env['PATH'], ...keys },
    logger: createJsonLinesLogger({ FOVEA_LOG: 'debug' }, { write: (line) => logs.push(line) }, Date.now),
  });
  onTestFinished(async () => {
    await fovea.close();
    await server.close();
    await workspace.remove();
    await home.remove();
  });
  await workspace.write('keys.txt', `${marked.join('\n')}\n`);
  await workspace.write('AGENTS.md', `The key is ${first}.`);
  const created = await fovea.createSession({ workspace: workspace.path, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  const events: FoveaEvent[] = [];
  const approver = createApprover('yes-all');
  const run = async (text: string, ...answers: readonly AnswerScript[]): Promise<void> => {
    server.enqueue(...answers);
    const input = { sessionId: created.value.id, text, attachments: [], ...(approver && { approver }) };
    for await (const event of fovea.runTurn(input)) events.push(event);
  };

  await run(
    'what do @keys.txt and the tools say?',
    frames(call('c1', 'read_file', { path: 'keys.txt' })),
    frames(call('c2', 'run_command', { command: 'env && cat keys.txt' })),
    frames(call('c3', 'read_file', { path: `nowhere/${second}` })),
    frames({ content: `It is ${first.slice(0, 9)}` }, { content: `${first.slice(9)} and ${LITERAL}.` }),
  );
  await workspace.write('AGENTS.md', `Now the key is ${second}.`);
  await run('and now?', {
    status: 401,
    headers: { 'content-type': 'application/json' },
    steps: [{ write: JSON.stringify({ error: { message: `Incorrect API key provided: ${LITERAL} ${second}` } }) }],
  });
  const history = await fovea.loadTranscript(created.value.id);
  await fovea.close();

  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.result] : []));
  expect(results).toHaveLength(3);
  expect(results[0]?.match(/\[secret\]/g)).toHaveLength(marked.length);
  expect(results[1]).toContain('OPENAI_API_KEY=[secret]');
  expect(results[1]).not.toContain('GEMINI_API_KEY');
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', status: 'failed', error: { code: 'ENDPOINT_UNAUTHORIZED' } });
  expect(JSON.stringify(history)).toContain('[secret]');
  const places = {
    events: [JSON.stringify(events)],
    logs,
    history: [JSON.stringify([history, created.value])],
    bodies: server.requests.map(({ body }) => body.toString('latin1')),
    files: await readTree(home.resolve('fovea')),
  };
  expect(places.logs.length).toBeGreaterThan(0);
  expect(places.files.length).toBeGreaterThan(0);
  expect(server.requests).toHaveLength(5);
  for (const [place, texts] of Object.entries(places)) {
    for (const key of marked)
      expect(
        texts.some((text) => text.includes(key)),
        `${key} in ${place}`,
      ).toBe(false);
  }
});
