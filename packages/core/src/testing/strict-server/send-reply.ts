import type { ServerResponse } from 'node:http';
import { assertNever } from '../../base/assert-never.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { CheckFailure } from './check-failure.ts';
import { describePixels } from './describe-pixels.ts';
import type { Personality } from './personality.ts';
import type { AnswerReply, Reply } from './reply.ts';
import type { StrictRequest } from './strict-request.ts';
import type { Answer, WireRoot } from './wire-root.ts';
import { writeFrames } from './write-frames.ts';

export interface ReplyContext {
  readonly response: ServerResponse;
  readonly request: StrictRequest;
  readonly root: WireRoot;
  readonly personality: Personality | undefined;
  readonly memory: AnswerMemory;
  /** Gives the id of the next tool call that the script gave none. */
  readonly nextCallId: () => string;
}

/** Does what the script says with a request. */
export async function sendReply(reply: Reply, context: ReplyContext): Promise<void> {
  const { response } = context;
  switch (reply.kind) {
    case 'text':
    case 'tool-calls':
    case 'oracle':
      return sendAnswer(reply, context);
    case 'error':
      return sendBody(response, { status: reply.status, body: reply.body, headers: reply.headers });
    case 'html':
      return sendBody(response, { status: reply.status, body: page('Welcome') });
    case 'hang':
    case 'fails-check':
      return;
    default:
      return assertNever(reply);
  }
}

/** The answer of a check that failed. */
export function sendFailure(
  failure: CheckFailure,
  { response, root, personality }: { response: ServerResponse; root: WireRoot; personality: Personality | undefined },
): void {
  const isPage = failure.check === 'body-limit' && personality?.oversizeBody === 'html';
  const body = isPage
    ? page('413 Request Entity Too Large')
    : (personality?.errorBody?.(failure) ?? root.errorBody(failure, String(response.getHeader('request-id') ?? '')));
  sendBody(response, { status: failure.status, body });
}

async function sendAnswer(reply: AnswerReply, replyContext: ReplyContext): Promise<void> {
  const { response, request, root, memory, nextCallId } = replyContext;
  const body = request.body ?? {};
  const faults = reply.faults ?? [];
  const seen = replyContext.personality?.ignoresPictures === true ? [] : request.pictures;
  const text = reply.kind === 'oracle' ? describePixels(seen) : reply.text;
  const calls = reply.kind === 'tool-calls' ? reply.calls : [];
  const answer: Answer = {
    text,
    reasoning: reply.reasoning,
    opaque: reply.opaque,
    calls: calls.map((call) => ({
      id: call.id ?? nextCallId(),
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    })),
    finishReason: reply.finishReason,
    failure: reply.failure,
    inputTransformations: reply.inputTransformations,
    usage: reply.usage ?? {
      inputTokens: countTokens(request),
      cachedTokens: 0,
      outputTokens: Math.ceil((text.length + JSON.stringify(calls).length) / 4),
    },
  };
  const context = { body, number: request.index, faults, memory };
  if (root.isStreamed(body)) {
    return writeFrames(response, root.buildFrames(answer, context), { faults, errorFrame: root.errorFrame });
  }
  sendBody(response, { status: 200, body: root.buildJson(answer, context) });
}

/** A plausible figure that is the same for the same request. */
function countTokens({ messages, pictures }: StrictRequest): number {
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
  return Math.ceil(characters / 4) + 85 * pictures.length;
}

function sendBody(
  response: ServerResponse,
  answer: { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> },
): void {
  const isText = typeof answer.body === 'string';
  const contentType = isText && answer.body.startsWith('<') ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(answer.status, { 'content-type': contentType, ...answer.headers });
  response.end(isText ? answer.body : JSON.stringify(answer.body));
}

function page(title: string): string {
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}
