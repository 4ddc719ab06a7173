import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { EnvHttpProxyAgent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppError, isAppError } from '../base/app-error.ts';
import { createFixedClock } from '../testing/fixed-clock.ts';
import { type ScriptedHttpServer, startScriptedHttpServer } from '../testing/scripted-http-server.ts';
import { writeJsonBody } from './json-body.ts';
import { type HttpAnswer, type PostRequest, postBody } from './transport.ts';

let server: ScriptedHttpServer;
beforeAll(async () => {
  server = await startScriptedHttpServer();
});
afterAll(() => server.close());

const postTo = (url: string, more: Partial<PostRequest> = {}): Promise<HttpAnswer> =>
  postBody({
    url,
    headers: { 'content-type': 'application/json' },
    body: writeJsonBody({ hello: 'wörld' }),
    readBlob: () => Promise.reject(new Error('no pictures here')),
    signal: new AbortController().signal,
    clock: createFixedClock(),
    idleTimeoutMs: 1000,
    errorContext: { channel: 'lab', secrets: [] },
    ...more,
  });

async function textOf(answer: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function refusalOf(posting: Promise<unknown>): Promise<AppError> {
  const thrown = await posting.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isAppError(thrown)) throw new Error(`expected an AppError, got ${String(thrown)}`);
  return thrown;
}

/** A proxy that knows CONNECT, on loopback. */
async function startProxy() {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, client: Socket) => {
    targets.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    targets,
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(resolve));
    },
  };
}

describe('postBody', () => {
  it('gives status, headers in lower case and the bytes of the answer', async () => {
    server.enqueue({ status: 418, headers: { 'X-Tea': 'green' }, steps: [{ write: 'no ' }, { write: 'coffee' }] });
    const answer = await postTo(`${server.origin}/brew`);
    expect(answer.status).toBe(418);
    expect(answer.headers).toMatchObject({ 'x-tea': 'green' });
    expect(await textOf(answer)).toBe('no coffee');
    expect(server.requests.at(-1)?.body.toString()).toBe('{"hello":"wörld"}');
  });

  it('goes through the proxy of the dispatcher that it is given', async () => {
    const proxy = await startProxy();
    const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxy.url, noProxy: '' });
    try {
      server.enqueue({ steps: [{ write: 'through' }] });
      expect(await textOf(await postTo(`${server.origin}/x`, { dispatcher }))).toBe('through');
      expect(proxy.targets).toEqual([new URL(server.origin).host]);
    } finally {
      await dispatcher.close();
      await proxy.close();
    }
  });

  it('tells a proxy that makes no connection', async () => {
    const proxy = createServer();
    const statuses = ['407 Proxy Authentication Required', '403 Forbidden'];
    proxy.on('connect', (_: IncomingMessage, client: Socket) => {
      client.on('error', () => undefined);
      client.end(`HTTP/1.1 ${statuses.shift()}\r\ncontent-length: 0\r\n\r\n`);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const dispatcher = new EnvHttpProxyAgent({ httpProxy: proxyUrl, noProxy: '' });
    try {
      for (const words of [
        'the proxy asks for a user name and password (HTTP 407)',
        'the proxy refuses it (HTTP 403)',
      ]) {
        const error = await refusalOf(postTo('http://model.example/v1', { dispatcher }));
        expect(error.code).toBe('ENDPOINT_UNREACHABLE');
        expect(error.message).toBe(`lab: no connection to http://model.example: ${words}`);
      }
    } finally {
      await dispatcher.close();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });

  it('tells a header that cannot be sent', async () => {
    for (const name of ['transfer-encoding', 'expect', 'upgrade']) {
      const error = await refusalOf(postTo(`${server.origin}/x`, { headers: { [name]: 'own-value' } }));
      expect(error.code, name).toBe('CONFIG_INVALID');
      expect(error.message).toContain(`lab: a header of the channel cannot be sent: `);
      expect(error.message).toContain(`${name} header`);
      expect(error.message).not.toContain('own-value');
    }
  });

  it('tells in words why there is no answer', async () => {
    server.enqueue({ instead: 'reset' });
    const { message } = await refusalOf(postTo(`${server.origin}/x`));
    expect(message).not.toContain('UND_ERR');
  });

  it('is idle when the endpoint takes no more of the body', async () => {
    // Accepts the connection and never reads.
    const sockets: Socket[] = [];
    const deaf = createTcpServer({ pauseOnConnect: true }, (socket) => {
      socket.on('error', () => undefined);
      sockets.push(socket);
    });
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const clock = createFixedClock();
    const body = writeJsonBody(Array.from({ length: 400 }, () => 'x'.repeat(65_536)));
    const posting = postTo(`http://127.0.0.1:${(deaf.address() as AddressInfo).port}/`, { clock, body });
    const refused = refusalOf(posting);
    // Every chunk that is taken starts the time anew; when no more starts come, it stands.
    for (let starts = -1; starts !== clock.sleepsMs.length || starts < 2; ) {
      starts = clock.sleepsMs.length;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(clock.pendingSleepsMs()).toEqual([1000]);
    await clock.advance(1000);
    expect((await refused).code).toBe('STREAM_IDLE');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => deaf.close(resolve));
  });

  it('does not count the time that its reader takes as silence', async () => {
    const clock = createFixedClock();
    server.enqueue({ steps: [{ write: 'a' }, { stall: true }] });
    const controller = new AbortController();
    const answer = await postTo(`${server.origin}/x`, { clock, signal: controller.signal });
    for await (const chunk of answer.chunks) {
      expect(Buffer.from(chunk).toString()).toBe('a');
      expect(clock.pendingSleepsMs()).toEqual([]);
      await clock.advance(5000);
      break;
    }
    controller.abort();
  });

  it('tells a server that does not speak HTTP', async () => {
    const chatty = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('220 mail.example ESMTP\r\n'));
    });
    await new Promise<void>((resolve) => chatty.listen(0, '127.0.0.1', resolve));
    const error = await refusalOf(postTo(`http://127.0.0.1:${(chatty.address() as AddressInfo).port}/`));
    expect(error.code).toBe('ENDPOINT_NOT_AN_API');
    await new Promise((resolve) => chatty.close(resolve));
  });

  it('tells a host that has no address', async () => {
    const error = await refusalOf(postTo('http://no-such-host.invalid/v1'));
    expect(error.code).toBe('ENDPOINT_UNREACHABLE');
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(error.data['networkCode']);
    expect(error.message).toContain('http://no-such-host.invalid');
  });

  it('takes an answer that is shorter than it promised for cut', async () => {
    server.enqueue({ headers: { 'content-length': '100' }, steps: [{ write: 'short' }, { reset: true }] });
    const answer = await postTo(`${server.origin}/x`);
    expect((await refusalOf(textOf(answer))).code).toBe('STREAM_CUT');
  });

  it('asks for no packed answer', async () => {
    server.enqueue({ steps: [] });
    await textOf(await postTo(`${server.origin}/x`, { headers: { 'accept-encoding': 'br' } }));
    expect(server.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  });
});
