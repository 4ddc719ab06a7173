// A Fovea over a home folder whose one model is a `startChatEndpoint`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFovea } from '@fovea/server';

const NOWHERE = 'http://127.0.0.1:9';

/** Makes both folders and writes the configuration. @param {{ home: string, workspace: string, baseUrl: string }} place */
export async function prepareHome({ home, workspace, baseUrl }) {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(workspace, { recursive: true });
  const models = { seer: { imageInput: 'yes' } };
  const lab = { supplier: 'openai', wireApi: 'openai-chat', baseUrl, apiKey: 'env:LAB_KEY', models };
  await writeFile(join(home, 'config.jsonc'), JSON.stringify({ channels: { lab }, model: 'lab/seer' }));
}

/** @param {{ home: string, onLog?: (line: string) => void, queues?: 'all' | 'own' }} place */
export async function openFovea({ home, onLog = () => undefined, queues = 'all' }) {
  const started = await startFovea({
    environment: {
      FOVEA_HOME: home,
      HOME: home,
      LAB_KEY: 'key-of-the-lab-0123456789',
      PATH: '/usr/bin:/bin',
      FOVEA_LOG: 'warn',
    },
    logSink: { write: onLog },
    queues,
    localServers: { ollamaUrl: NOWHERE, lmStudioUrl: NOWHERE, timeoutMs: 300 },
  });
  if (!started.ok) throw started.error;
  return started.value.fovea;
}
