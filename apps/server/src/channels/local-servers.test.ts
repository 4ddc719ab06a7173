import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findLocalServers } from './local-servers.ts';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nothing listens. */
async function closedAddress(): Promise<string> {
  const url = await listen(() => {});
  await new Promise((resolve) => open.pop()?.close(resolve));
  return url;
}

const answerJson =
  (answers: Record<string, unknown>): RequestListener =>
  (request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  };

describe('findLocalServers', () => {
  it('lists the models of both servers, with the eyes that Ollama states', async () => {
    const ollamaUrl = await listen(
      answerJson({
        '/api/tags': {
          models: [
            { name: 'llava:7b', capabilities: ['completion', 'vision'], size: 4_000 },
            { name: 'qwen:4b', capabilities: ['completion', 'tools'] },
            { name: 'old:1b' },
            { name: 'nomic-embed', capabilities: ['embedding'] },
          ],
        },
      }),
    );
    const lmStudioUrl = await listen(
      answerJson({ '/v1/models': { object: 'list', data: [{ id: 'google/gemma-3', object: 'model' }] } }),
    );
    expect(await findLocalServers({ ollamaUrl, lmStudioUrl, timeoutMs: 5_000 })).toEqual([
      {
        supplierId: 'ollama',
        baseUrl: `${ollamaUrl}/v1`,
        models: [
          { id: 'llava:7b', imageInput: 'yes' },
          { id: 'qwen:4b', imageInput: 'no' },
          { id: 'old:1b', imageInput: 'unknown' },
        ],
      },
      {
        supplierId: 'lmstudio',
        baseUrl: `${lmStudioUrl}/v1`,
        models: [{ id: 'google/gemma-3', imageInput: 'unknown' }],
      },
    ]);
  });

  it('finds nothing where nothing listens', async () => {
    const nothing = await closedAddress();
    expect(await findLocalServers({ ollamaUrl: nothing, lmStudioUrl: nothing, timeoutMs: 5_000 })).toEqual([]);
  });

  it.each<[string, RequestListener]>([
    ['a web page', (_, response) => response.end('<html>hello</html>')],
    ['JSON of another kind', answerJson({ '/api/tags': { models: 'none' }, '/v1/models': { data: [{ name: 'x' }] } })],
    ['an error', (_, response) => response.writeHead(500).end('{"models":[{"name":"x"}]}')],
    ['an empty list', answerJson({ '/api/tags': { models: [] }, '/v1/models': { object: 'list', data: [] } })],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['silence', () => {}],
    [
      'a list that never ends',
      (_, response) => {
        response.write('{"models":[');
      },
    ],
    [
      'a flood',
      (_, response) => {
        const pour = () => {
          while (!response.destroyed && response.write('x'.repeat(1 << 20))) {}
          if (!response.destroyed) response.once('drain', pour);
        };
        pour();
      },
    ],
  ])('takes %s for no server', async (_, listener) => {
    const url = await listen(listener);
    expect(await findLocalServers({ ollamaUrl: url, lmStudioUrl: url, timeoutMs: 300 })).toEqual([]);
  });

  it('keeps one server when the other is silent', async () => {
    const ollamaUrl = await listen(() => {});
    const lmStudioUrl = await listen(answerJson({ '/v1/models': { object: 'list', data: [{ id: 'm' }] } }));
    const found = await findLocalServers({ ollamaUrl, lmStudioUrl, timeoutMs: 300 });
    expect(found.map((server) => server.supplierId)).toEqual(['lmstudio']);
  });
});
