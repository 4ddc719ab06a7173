import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LimitRow } from '../../catalog/limit-row.ts';
import { createAnswerMemory } from './answer-memory.ts';
import { disguiseFailure } from './disguise-failure.ts';
import { type HttpRequest, hideKeys, readHttpRequest } from './http-request.ts';
import { createPictureInspector, recordPicture } from './inspect-pictures.ts';
import { adjustLimits, type Judgement, judgeRequest } from './judge-request.ts';
import { findLeaks, type Leak } from './leak-check.ts';
import { findPersonality, type PersonalityId } from './personalities.ts';
import { createScriptPlayer } from './play-script.ts';
import { createPrefixCheck, type PrefixBreak } from './prefix-check.ts';
import type { Reply } from './reply.ts';
import type { Script } from './script.ts';
import { sendFailure, sendReply } from './send-reply.ts';
import type { StrictRequest } from './strict-request.ts';
import { wireRoots } from './wire-roots.ts';

export interface StrictServerOptions {
  /** Whose base path `baseUrl` names; all personalities are there at once. `openai` unless given. */
  readonly personality?: PersonalityId;
  /** What the model says; `replyByDefault` unless given. */
  readonly script?: Script;
  /** Keys that are taken; any unless given. */
  readonly keys?: readonly string[];
  /** Instead of these fields of every personality's limits. */
  readonly limits?: Partial<LimitRow>;
  /** A free one unless given. */
  readonly port?: number;
}

/** A running server and what it saw. */
export interface StrictServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** What a channel is configured with: `http://127.0.0.1:<port>/openai/v1`. */
  readonly baseUrl: string;
  baseUrlOf(personality: PersonalityId): string;
  /** Every request, in the order in which their bodies were complete. */
  readonly requests: readonly StrictRequest[];
  readonly leaks: readonly Leak[];
  readonly prefixBreaks: readonly PrefixBreak[];
  /** What the script did not foresee, and faults of the script itself. */
  readonly problems: readonly string[];
  /** Steps of the script that are still to come. */
  stepsLeft(): number;
  /** Resolves when there have been so many requests, with the last of them. */
  waitForRequests(count: number): Promise<StrictRequest>;
  /** Ends every connection, also those that stall. */
  close(): Promise<void>;
}

type MutableRequest = { -readonly [Key in keyof StrictRequest]: StrictRequest[Key] };

/**
 * Starts a server on loopback that plays an endpoint strictly: it checks every request as the
 * endpoint of its base path would and more, answers the first failure, records all, and else
 * answers by the script. See the README beside this file.
 */
export async function startStrictServer(options: StrictServerOptions = {}): Promise<StrictServer> {
  const requests: MutableRequest[] = [];
  const leaks: Leak[] = [];
  const prefixBreaks: PrefixBreak[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  const limits = options.limits ?? {};
  const player = createScriptPlayer(options.script);
  const inspectPictures = createPictureInspector();
  const checkPrefix = createPrefixCheck();
  const memory = createAnswerMemory();
  let callCount = 0;
  let isClosing = false;
  let judging: Promise<unknown> = Promise.resolve();

  /** Requests are judged one after the other, so that their order is that of the script. */
  async function judgeInTurn(
    received: HttpRequest,
  ): Promise<{ judgement: Judgement; request: MutableRequest; reply: Reply | undefined }> {
    const turn = judging.then(async () => {
      const judgement = await judgeRequest(received, { keys: options.keys, limits, memory, inspectPictures });
      const request = toRecord(received, judgement, requests.length);
      requests.push(request);
      recordLeaks(request, judgement);
      for (const wake of waiting) wake();
      if (judgement.failure !== undefined) {
        request.isFailureExpected = player.takesFailure(request);
        return { judgement, request, reply: undefined };
      }
      const reply = await player.next(request, requests.slice(0, request.index));
      request.reply = reply.kind;
      recordPrefix(request, judgement, reply);
      return { judgement, request, reply };
    });
    judging = turn.catch(() => undefined);
    return turn;
  }

  function recordLeaks(request: StrictRequest, { root }: Judgement): void {
    const isPictureSlot = root?.isPictureSlot ?? (() => false);
    leaks.push(...findLeaks({ request: request.index, headers: request.headers, body: request.body, isPictureSlot }));
  }

  /** Only what the endpoint took is in its cache: a refused request is rebuilt, not continued. */
  function recordPrefix(request: StrictRequest, { root, input }: Judgement, reply: Reply): void {
    if (root === undefined || input === undefined || reply.kind === 'error') return;
    const found = checkPrefix({
      request: request.index,
      cache: `${request.personality} ${String(input.body['model'])}`,
      rawText: input.rawText,
      historyKey: root.historyKey,
      ...(root.sliceHistory === undefined ? {} : { elements: root.sliceHistory(input.rawText) }),
      messages: request.messages,
    });
    if (found !== undefined) prefixBreaks.push(found);
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await readHttpRequest(
      incoming,
      (id) => adjustLimits(findPersonality(id), limits)?.limits.body ?? Infinity,
    );
    const { judgement, request, reply } = await judgeInTurn(received);
    const { personality, failure } = judgement;
    const [firstRoot] = wireRoots;
    const root = judgement.root ?? firstRoot;
    if (root === undefined) throw new Error('no wire');
    response.once('close', () => {
      request.isClientGone = !response.writableFinished && !isClosing && !isReset(reply);
    });
    for (const name of ['x-request-id', 'request-id']) response.setHeader(name, `req_strict_${request.index}`);
    const isStreamed = root.isStreamed(request.body ?? {});
    const said = failure === undefined ? reply : disguiseFailure(failure, personality, isStreamed);
    if (said === undefined) {
      if (failure !== undefined) sendFailure(failure, { response, root, personality });
    } else {
      const nextCallId = () => {
        callCount += 1;
        return `call_${callCount}`;
      };
      await sendReply(said, { response, request, root, personality, memory, nextCallId });
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A client that goes away while it sends is no fault.
      if (!incoming.complete) return;
      faults.push(`the server failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // A listening TCP server has an address object; a string is for pipes.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const baseUrlOf = (personality: PersonalityId) => `${url}/${personality}/v1`;

  return {
    url,
    baseUrl: baseUrlOf(options.personality ?? 'openai'),
    baseUrlOf,
    requests,
    leaks,
    prefixBreaks,
    get problems() {
      return [...player.problems, ...faults];
    },
    stepsLeft: () => player.stepsLeft(),
    waitForRequests(count) {
      return new Promise((resolve) => {
        const look = () => {
          const request = requests[count - 1];
          if (request === undefined) return;
          waiting.delete(look);
          resolve(request);
        };
        waiting.add(look);
        look();
      });
    },
    close() {
      isClosing = true;
      return new Promise((resolve, reject) => {
        // A test that took the endpoint down itself closes it again at its end.
        if (!server.listening) return resolve();
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      });
    },
  };
}

function isReset(reply: Reply | undefined): boolean {
  return reply !== undefined && 'faults' in reply && reply.faults?.some(({ kind }) => kind === 'reset') === true;
}

function toRecord(received: HttpRequest, { input, failure }: Judgement, index: number): MutableRequest {
  return {
    index,
    method: received.method,
    path: received.path,
    personality: received.personality,
    headers: hideKeys(received.headers),
    bodyBytes: received.bodyBytes,
    body: input?.body,
    messages: input?.messages ?? [],
    pictures: (input?.pictures ?? []).map(recordPicture),
    failure,
    isFailureExpected: false,
    reply: undefined,
    isClientGone: false,
  };
}
