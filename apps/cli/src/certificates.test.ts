import { afterEach, describe, expect, it } from 'vitest';
import { makeTwoColorPng } from '../../../packages/core/src/testing/make-pictures.ts';
import { type CommandRun, runCommand } from '../../../packages/core/src/testing/run-command.ts';
import { startProxy, startTlsFront, testCertificateFile } from '../../../packages/core/src/testing/start-proxy.ts';
import { expectClean } from '../../../packages/core/src/testing/strict-server/expect-clean.ts';
import { startStrictServer } from '../../../packages/core/src/testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder } from '../../../packages/core/src/testing/temporary-folder.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** An endpoint that speaks TLS with a certificate of its own, behind a proxy that alone knows its name. */
async function openWorld() {
  const server = await startStrictServer();
  closers.push(() => server.close());
  const front = await startTlsFront(Number(new URL(server.url).port));
  closers.push(() => front.close());
  const proxy = await startProxy();
  closers.push(() => proxy.close());
  const folder = await createTemporaryFolder();
  closers.push(() => folder.remove());
  await folder.write('a.png', makeTwoColorPng({ left: 'red', right: 'green' }));
  const baseUrl = `https://eyes.test:${front.port}/openai/v1`;
  const lab = {
    supplier: 'custom',
    wireApi: 'openai-chat',
    baseUrl,
    apiKey: 'k',
    models: { seer: { imageInput: 'yes' } },
  };
  await folder.write('home/config.jsonc', JSON.stringify({ model: 'lab/seer', channels: { lab } }));
  const run = (environment: Readonly<Record<string, string>>): Promise<CommandRun> =>
    runCommand(['run', '--attach', 'a.png', 'What is it?'], {
      environment: { FOVEA_HOME: folder.resolve('home'), HTTPS_PROXY: proxy.url, ...environment },
      currentFolder: folder.path,
    });
  return { server, front, proxy, run };
}

describe('an endpoint with a certificate of its own, behind a proxy', () => {
  it('is trusted where NODE_EXTRA_CA_CERTS names the certificate', async () => {
    const { server, front, proxy, run } = await openWorld();
    const { exitCode, output, diagnostics } = await run({ NODE_EXTRA_CA_CERTS: testCertificateFile });
    expect([exitCode, diagnostics]).toEqual([0, expect.any(String)]);
    expect(output).toContain('left red, right green');
    expect(proxy.targets).toEqual([`eyes.test:${front.port}`]);
    expectClean(server);
  });

  it('is not trusted without, and what is wrong is said', async () => {
    const { server, run } = await openWorld();
    const { exitCode, diagnostics } = await run({});
    expect(exitCode).not.toBe(0);
    expect(diagnostics).toMatch(/self-signed certificate|DEPTH_ZERO_SELF_SIGNED_CERT/i);
    expect(server.requests).toEqual([]);
  });
});
