import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';
import { startFovea } from './start-fovea.ts';

const NOWHERE = 'http://127.0.0.1:9';

async function start(
  config: string | undefined,
  more: { environment?: Record<string, string>; configFile?: string } = {},
) {
  const home = await createTemporaryFolder();
  if (config !== undefined) await home.write('config.jsonc', config);
  const lines: string[] = [];
  const started = await startFovea({
    environment: { FOVEA_HOME: home.path, HOME: home.path, ...more.environment },
    logSink: { write: (line) => lines.push(line) },
    localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
    ...(more.configFile === undefined ? {} : { configFile: home.resolve(more.configFile) }),
  });
  onTestFinished(async () => {
    if (started.ok) await started.value.fovea.close();
    await home.remove();
  });
  return { started, home, lines };
}

const lab = (apiKey: string) =>
  `{ "channels": { "lab": { "supplier": "custom", "baseUrl": "${NOWHERE}/v1", "apiKey": "${apiKey}", "models": { "seer": {} } } } }`;

describe('startFovea', () => {
  it('works in an empty home folder, with the built-in reader', async () => {
    const { started } = await start(undefined);
    if (!started.ok) throw started.error;
    expect(started.value.warnings).toEqual([]);
    expect(await started.value.fovea.chooseModel()).toMatchObject({ ok: true, value: { id: 'offline/reader' } });
    expect((await started.value.fovea.listModels()).map((choice) => choice.id)).toEqual(['offline/reader']);
  });

  it('takes the channels of the file, and passes its warnings on', async () => {
    const { started, home } = await start(lab('sk-0123456789'));
    if (!started.ok) throw started.error;
    expect(await started.value.fovea.chooseModel()).toMatchObject({ ok: true, value: { id: 'lab/seer' } });
    expect(started.value.warnings).toHaveLength(1);
    expect(started.value.warnings[0]).toContain(home.resolve('config.jsonc'));
    expect(JSON.stringify(started.value.warnings)).not.toContain('sk-0123456789');
  });

  it('makes channels of the keys of every wire API, and warns of none', async () => {
    const environment = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' };
    const { started } = await start(undefined, { environment });
    if (!started.ok) throw started.error;
    expect(started.value.warnings).toEqual([]);
    const models = await started.value.fovea.listModels();
    const wires = new Set(models.map(({ channel, wireApi }) => `${channel} ${wireApi}`));
    expect([...wires]).toEqual(['openai openai-chat', 'anthropic anthropic-messages', 'offline offline']);
  });

  it('fails with the lines of a wrong file, and with a named file that is missing', async () => {
    const wrong = await start('{\n  "modle": "x/y"\n}');
    expect(wrong.started).toMatchObject({
      ok: false,
      error: {
        code: 'CONFIG_INVALID',
        message: `${wrong.home.resolve('config.jsonc')}:2:3: modle: unknown key; did you mean "model"?`,
      },
    });
    const missing = await start(undefined, { configFile: 'other.jsonc' });
    expect(missing.started).toMatchObject({ ok: false, error: { code: 'CONFIG_INVALID' } });
  });

  it('lets no tool read the file that was named for it', async () => {
    const home = await createTemporaryFolder();
    onTestFinished(() => home.remove());
    const workspace = await createTemporaryFolder();
    onTestFinished(() => workspace.remove());
    await workspace.write('fovea.jsonc', '{}');
    await workspace.write('notes.txt', 'words');
    const named = await startFovea({
      environment: { FOVEA_HOME: home.resolve('own'), HOME: home.path },
      logSink: { write: () => undefined },
      configFile: workspace.resolve('fovea.jsonc'),
    });
    if (!named.ok) throw named.error;
    onTestFinished(() => named.value.fovea.close());
    const verdicts = await named.value.fovea.inspect(['fovea.jsonc', 'notes.txt'], {
      as: 'read-file',
      workspace: workspace.path,
    });
    expect(verdicts).toMatchObject([{ verdict: 'refused', refusal: { code: 'FORBIDDEN' } }, { verdict: 'text' }]);
  });

  it('logs only where the environment asks for it', async () => {
    const silent = await start(undefined);
    if (!silent.started.ok) throw silent.started.error;
    await silent.started.value.fovea.listSessions(1);
    expect(silent.lines).toEqual([]);
    const loud = await start(undefined, { environment: { FOVEA_LOG: 'debug' } });
    if (!loud.started.ok) throw loud.started.error;
    await loud.started.value.fovea.listSessions(1);
    expect(loud.lines.join('')).toContain('"event":"store-open"');
  });
});
