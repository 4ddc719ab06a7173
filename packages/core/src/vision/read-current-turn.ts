import { isRecord, parseJson } from '../base/parse-json.ts';
import { pictureKey } from '../content/picture-region.ts';
import type { ModelRequest, RequestImage, RequestMessage } from '../content/request.ts';

/** A call that this turn already made, and its answer if there is one. */
export interface AnsweredCall {
  readonly toolName: string;
  /** The argument `path`, if the call had one. */
  readonly path: string | undefined;
  readonly result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** What the offline reader needs of a request: the latest question and all that came after it. */
export interface CurrentTurn {
  readonly text: string;
  /** Each original, and each region of one, once a name, in the order in which they appear. */
  readonly pictures: readonly RequestImage[];
  readonly calls: readonly AnsweredCall[];
  /** Ids of every tool call in the request, earlier turns included. */
  readonly knownCallIds: ReadonlySet<string>;
}

/** The turn that began with the latest message a user wrote. */
export function readCurrentTurn(request: ModelRequest): CurrentTurn {
  const start = request.messages.findLastIndex((message) => message.role === 'user' && message.origin === 'user');
  const messages = start < 0 ? [] : request.messages.slice(start);
  const pictures = new Map<string, RequestImage>();
  for (const image of messages.flatMap(imagesOf)) {
    const { originalDigest: digest, region, name } = image;
    pictures.set(`${pictureKey({ digest, ...(region && { region }) })} ${name}`, image);
  }
  return {
    text: messages.slice(0, 1).map(wordsOf).join('\n'),
    pictures: [...pictures.values()],
    calls: collectCalls(messages),
    knownCallIds: new Set(request.messages.flatMap((message) => callsOf(message).map((call) => call.toolCallId))),
  };
}

function imagesOf(message: RequestMessage): readonly RequestImage[] {
  if (message.role === 'user') return message.parts.filter((part) => part.type === 'image');
  return message.role === 'tool' ? message.images : [];
}

function wordsOf(message: RequestMessage): string {
  if (message.role !== 'user') return '';
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function callsOf(message: RequestMessage) {
  return message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : [];
}

function collectCalls(messages: readonly RequestMessage[]): readonly AnsweredCall[] {
  return messages.flatMap(callsOf).map((call) => {
    const answer = messages.find((message) => message.role === 'tool' && message.toolCallId === call.toolCallId);
    return {
      toolName: call.name,
      path: pathArgument(call.arguments),
      result: answer?.role === 'tool' ? { isError: answer.isError, text: resultWords(answer.text) } : undefined,
    };
  });
}

function pathArgument(json: string): string | undefined {
  const parsed = parseJson(json);
  const path = parsed.ok && isRecord(parsed.value) ? parsed.value['path'] : undefined;
  return typeof path === 'string' ? path : undefined;
}

/** The words of a tool result: its field `content` where it is JSON, else the text itself. */
function resultWords(text: string): string {
  const parsed = parseJson(text);
  const content = parsed.ok && isRecord(parsed.value) ? parsed.value['content'] : undefined;
  return typeof content === 'string' ? content : text;
}
