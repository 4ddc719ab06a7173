import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One thing that the server does while it answers. */
export type AnswerStep =
  | { readonly write: string | Uint8Array }
  /** Goes on when the promise is settled. */
  | { readonly wait: Promise<unknown> }
  /** Nothing more, with the connection open. */
  | { readonly stall: true }
  /** The connection is destroyed. */
  | { readonly reset: true };

/** One answer, played for one request. It ends after its last step unless that is `stall` or `reset`. */
export interface AnswerScript {
  /** 200 */
  readonly status?: number;
  /** `content-type: text/event-stream` */
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the headers: the connection is destroyed, or nothing comes. */
  readonly instead?: 'reset' | 'stall';
  /** Answers without having read the request's body. */
  readonly isEarly?: boolean;
  readonly steps?: readonly AnswerStep[];
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Resolves when the client has closed the connection. */
  readonly closed: Promise<void>;
}

export interface ScriptedHttpServer {
  readonly origin: string;
  /** Whole requests, in the order of their ends; one that broke off is not among them. */
  readonly requests: readonly RecordedRequest[];
  /** Connections that were opened so far. */
  readonly connections: number;
  /** What the next requests get, in order. A request without a script gets 500. */
  enqueue(...scripts: readonly AnswerScript[]): void;
  close(): Promise<void>;
}

/** A server on loopback that answers exactly as it is told, faults of the connection included. */
export async function startScriptedHttpServer(): Promise<ScriptedHttpServer> {
  const requests: RecordedRequest[] = [];
  const scripts: AnswerScript[] = [];
  const closings = new WeakMap<Socket, Promise<void>>();
  let connections = 0;
  const server = createServer((request, response) => {
    const script = scripts.shift() ?? { status: 500, steps: [{ write: 'no script' }] };
    const closed = closings.get(request.socket) ?? Promise.resolve();
    void answer({ request, response, script, requests, closed });
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    closings.set(socket, new Promise<void>((resolve) => socket.once('close', () => resolve())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    enqueue: (...more) => {
      scripts.push(...more);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly script: AnswerScript;
  readonly requests: RecordedRequest[];
  readonly closed: Promise<void>;
}

async function answer({ request, response, script, requests, closed }: Exchange): Promise<void> {
  response.on('error', () => undefined);
  const body = script.isEarly ? Buffer.alloc(0) : await readBody(request);
  if (body === undefined) return;
  requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body, closed });
  if (script.instead === 'stall') return;
  if (script.instead === 'reset') {
    request.socket.destroy();
    return;
  }
  response.writeHead(script.status ?? 200, { 'content-type': 'text/event-stream', ...script.headers });
  response.flushHeaders();
  if (await playSteps(response, script.steps ?? [])) response.end();
}

/** Whether the answer is to be ended. */
async function playSteps(response: ServerResponse, steps: readonly AnswerStep[]): Promise<boolean> {
  for (const step of steps) {
    if ('stall' in step) return false;
    if ('reset' in step) {
      response.socket?.resetAndDestroy();
      return false;
    }
    if ('wait' in step) await step.wait.catch(() => undefined);
    else await writeApart(response, step.write);
  }
  return true;
}

/** Each write is sent on its own, so that the client sees the split as far as TCP lets it. */
async function writeApart(response: ServerResponse, data: string | Uint8Array): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => response.write(data, () => resolve()));
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** `undefined` when the client went away in the middle. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}
