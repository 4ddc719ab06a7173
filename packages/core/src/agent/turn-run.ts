import { AppError } from '../base/app-error.ts';
import { isoTime } from '../base/clock.ts';
import type { Digest } from '../base/ids.ts';
import type { AssistantMessage, Message, UserMessage } from '../content/messages.ts';
import type { Submission } from '../content/queue-item.ts';
import type { RequestPlan } from '../content/request-plan.ts';
import type { Usage } from '../content/usage.ts';
import type { BuiltContext } from '../context/build-context.ts';
import { endpointIdentity } from '../providers/endpoint-identity.ts';
import type { PreparedStep, VariantLoss } from './prepare-step.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';
import type { RunTurnInput, TurnServices } from './turn-services.ts';
import type { TurnHappening } from './turn-state.ts';

/** What a turn has learned so far. Changed only by the commands of `perform-command.ts`. */
export interface TurnRun {
  readonly input: RunTurnInput;
  readonly services: TurnServices;
  readonly mask: SecretMask;
  /** Loaded with the first step; then what this turn stores is added. */
  transcript: Message[] | undefined;
  /** What this session's latest request to the endpoint sent. */
  plan: RequestPlan | undefined;
  /** Whether this session has asked this endpoint before: then the fate of old pictures is known. */
  isKnownEndpoint: boolean;
  /** Variants whose stored bytes could not be read. */
  readonly losses: Map<Digest, VariantLoss>;
  /** Ids of answers whose thoughts the endpoint refused in this turn. */
  readonly refusedThoughtIds: Set<string>;
  /** Notices that were given already: each is told once a turn. */
  readonly toldNotices: Set<string>;
  /** The request that is to be sent. */
  request: { readonly prepared: PreparedStep; readonly built: BuiltContext } | undefined;
  /** The stored answer whose calls are to run. */
  answer: AssistantMessage | undefined;
  /** Whether a request of this turn showed a picture that the user did not attach. */
  hasForeignPicture: boolean;
  /** Whether it is noted that the turn may have changed something. */
  hasNotedEffects: boolean;
  /** Of the running step, until it is told. */
  usage: Usage | undefined;
}

export function createTurnRun(input: RunTurnInput, services: TurnServices): TurnRun {
  return {
    input,
    services,
    mask: createSecretMask(services.secrets),
    transcript: undefined,
    plan: undefined,
    isKnownEndpoint: false,
    losses: new Map(),
    refusedThoughtIds: new Set(),
    toldNotices: new Set(),
    request: undefined,
    answer: undefined,
    hasForeignPicture: false,
    hasNotedEffects: false,
    usage: undefined,
  };
}

/** What the user sent: the text exactly as typed, the pictures beside it. */
export function createUserMessage(
  turnId: string,
  {
    text,
    imageInputs,
    references = [],
  }: Pick<Submission, 'text' | 'imageInputs'> & Partial<Pick<Submission, 'references'>>,
  { ids, clock }: Pick<TurnServices, 'ids' | 'clock'>,
): UserMessage {
  return {
    id: ids.next('msg'),
    turnId,
    createdAt: isoTime(clock),
    role: 'user',
    content: text,
    imageInputs: [...imageInputs],
    ...(references.length > 0 && { references: [...references] }),
  };
}

/** Stores a message at the end of the session, and then of the turn's own view of it. */
export async function append(run: TurnRun, message: Message): Promise<void> {
  await run.services.records.appendMessages(run.input.session.id, [message]);
  run.transcript?.push(message);
}

export function requestOf(run: TurnRun): NonNullable<TurnRun['request']> {
  if (run.request === undefined) throw new AppError('INTERNAL', 'no request is prepared');
  return run.request;
}

export function endpointIdOf({ input }: TurnRun): string {
  const { endpoint, model } = input.target;
  return endpointIdentity({ wireApi: endpoint.wireApi, baseUrl: endpoint.baseUrl, model });
}

/** The failure as it is stored and told, in one sentence or two; without the lease nothing more is stored. */
export function failed(run: TurnRun, { code, message }: AppError, note?: string): TurnHappening {
  const words = note === undefined ? message : `${message.replace(/[.\s]+$/, '')}. ${note}`;
  return { type: code === 'LEASE_LOST' ? 'lost' : 'failed', error: { code, message: run.mask.text(words) } };
}
