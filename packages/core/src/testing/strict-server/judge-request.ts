import { isRecord, parseJson } from '../../base/parse-json.ts';
import type { LimitRow } from '../../catalog/limit-row.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { type CheckInput, runChecks } from './check.ts';
import { type CheckFailure, toFailure } from './check-failure.ts';
import { checkHttp } from './http-checks.ts';
import type { HttpRequest } from './http-request.ts';
import { findPersonality } from './personalities.ts';
import type { Personality } from './personality.ts';
import type { PictureSlot, RequestPicture } from './request-picture.ts';
import type { WireRoot } from './wire-root.ts';
import { wireRoots } from './wire-roots.ts';

/** What the checks found in a request. */
export interface Judgement {
  readonly personality: Personality | undefined;
  readonly root: WireRoot | undefined;
  readonly failure: CheckFailure | undefined;
  /** Absent when the body is no JSON object, or was not read. */
  readonly input: CheckInput | undefined;
}

export interface JudgeOptions {
  readonly keys: readonly string[] | undefined;
  readonly limits: Partial<LimitRow>;
  readonly memory: AnswerMemory;
  readonly inspectPictures: (slots: readonly PictureSlot[]) => Promise<readonly RequestPicture[]>;
}

/** Runs every check, those of HTTP first, and stops at the first that fails. */
export async function judgeRequest(request: HttpRequest, options: JudgeOptions): Promise<Judgement> {
  const personality = adjustLimits(findPersonality(request.personality), options.limits);
  const root = wireRoots.find(({ path }) => path === request.subPath);
  const httpFailure = checkHttp({ request, personality, root, keys: options.keys });
  const known = { personality, root };
  if (httpFailure !== undefined || personality === undefined || root === undefined) {
    return { ...known, failure: httpFailure, input: undefined };
  }
  const rawText = decodeUtf8(request.body);
  const parsed = parseJson(rawText ?? '');
  if (rawText === undefined || !parsed.ok || !isRecord(parsed.value)) {
    const message = 'We could not parse the JSON body of your request.';
    return { ...known, failure: toFailure('json', { message }), input: undefined };
  }
  const messages = root.readMessages(parsed.value);
  const pictures = await options.inspectPictures(root.readPictureSlots(messages));
  const { headers } = request;
  const { memory } = options;
  const input: CheckInput = { body: parsed.value, rawText, personality, messages, pictures, headers, memory };
  const failure = runChecks(root.checks, input);
  return { ...known, failure: failure && (personality.reword?.(failure) ?? failure), input };
}

/** A personality with a test's own limits. */
export function adjustLimits(personality: Personality | undefined, limits: Partial<LimitRow>): Personality | undefined {
  return personality === undefined ? undefined : { ...personality, limits: { ...personality.limits, ...limits } };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
