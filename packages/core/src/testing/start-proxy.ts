import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';

export interface TestProxy {
  readonly url: string;
  /** Where it was asked to connect to, as `host:port`, in order. */
  readonly targets: readonly string[];
  close(): Promise<void>;
}

/** A proxy on loopback that knows CONNECT and for which every name is this machine. */
export async function startProxy(): Promise<TestProxy> {
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, client, head) => {
    targets.push(request.url ?? '');
    const target = connect(Number((request.url ?? '').split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  const port = await listen(proxy);
  return {
    url: `http://127.0.0.1:${port}`,
    targets,
    async close() {
      proxy.closeAllConnections();
      await stop(proxy);
    },
  };
}

const tlsFixture = (name: string) => fileURLToPath(new URL(`../../../../fixtures/tls/${name}`, import.meta.url));

/** The file of the certificate that {@link startTlsFront} shows. */
export const testCertificateFile: string = tlsFixture('certificate.pem');

/** TLS before a server on this machine: what arrives at its port goes on in the clear. */
export async function startTlsFront(toPort: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const keys = { cert: readFileSync(testCertificateFile), key: readFileSync(tlsFixture('key.pem')) };
  const open = new Set<{ destroy(): void }>();
  const front = createTlsServer(keys, (client) => {
    const target = connect(toPort, '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => {
        client.destroy();
        target.destroy();
      });
    }
    client.pipe(target).pipe(client);
  });
  // A client that does not trust the certificate hangs up.
  front.on('tlsClientError', () => undefined);
  const port = await listen(front);
  return {
    port,
    close() {
      for (const socket of open) socket.destroy();
      return stop(front);
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address object; a string is for pipes.
  return (server.address() as AddressInfo).port;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
