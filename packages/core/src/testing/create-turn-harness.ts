import { collectPictures } from '../agent/collect-pictures.ts';
import type { ContentGraph } from '../agent/ports.ts';
import { runTurn } from '../agent/run-turn.ts';
import type { ModelTarget, RunTurnInput, TurnServices } from '../agent/turn-services.ts';
import { defaultLimits } from '../attachments/limits.ts';
import type { IdSource } from '../base/ids.ts';
import type { LogFields, Logger } from '../base/logger.ts';
import { Secret } from '../base/secret.ts';
import { KIB } from '../base/units.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import { limitRowFor } from '../catalog/limits.ts';
import type { ModelPrice } from '../catalog/models.ts';
import type { ImageInputCapability } from '../catalog/wire-api.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { Message } from '../content/messages.ts';
import type { Session } from '../content/session.ts';
import { digestOf } from '../media/digest.ts';
import type { Endpoint, Provider } from '../providers/provider.ts';
import type { Tool } from '../tools/tool.ts';
import { createCountingIds } from './counting-ids.ts';
import { createMemoryBlobs, type MemoryBlobs } from './create-memory-blobs.ts';
import { createMemoryRecords, type MemoryRecords } from './create-memory-records.ts';
import { createFixedClock, type FixedClock } from './fixed-clock.ts';

export interface TurnHarnessOptions {
  readonly provider: Provider;
  /** Where the provider sends; nowhere unless given. */
  readonly baseUrl?: string;
  readonly tools?: readonly Tool[];
  /** The folder that tools may read. */
  readonly workspace?: string;
  readonly imageInput?: ImageInputCapability;
  readonly maxSteps?: number;
  readonly locale?: Session['modelLocale'];
  readonly profile?: Session['profile'];
  readonly price?: ModelPrice;
  /** Of the endpoint; OpenAI's on Chat Completions unless given. */
  readonly limitRow?: LimitRow;
  /** Fields of the endpoint instead of these of a plain one. */
  readonly endpoint?: Partial<Endpoint>;
  /** A harness whose store this one opens again, as another process would. */
  readonly reopened?: Pick<TurnHarness, 'records' | 'blobs' | 'ids' | 'turnCount'>;
}

export interface SubmitOptions {
  readonly images?: RunTurnInput['images'];
  readonly edits?: string;
  readonly imageInput?: ImageInputCapability;
  readonly baseUrl?: string;
  readonly signal?: AbortSignal;
  /** Called with each event before the next one is asked for. */
  readonly onEvent?: (event: FoveaEvent) => void;
  readonly services?: Partial<TurnServices>;
}

/** One session with everything that a turn needs, in memory. */
export interface TurnHarness {
  readonly session: Session;
  readonly blobs: MemoryBlobs;
  readonly records: MemoryRecords;
  readonly ids: IdSource;
  /** Stands still but for the pauses before retries, which `submit` makes pass. */
  readonly clock: FixedClock;
  /** Turns that were started so far. */
  turnCount(): number;
  /** Runs one turn to its end and gives its events. */
  submit(text: string, options?: SubmitOptions): Promise<readonly FoveaEvent[]>;
  /** The turn's events as they come, for a test that leaves early. */
  start(text: string, options?: SubmitOptions): AsyncGenerator<FoveaEvent>;
  /** Stores bytes and gives the reference with which a user attaches them. */
  attach(name: string, bytes: Uint8Array, size: { widthPx: number; heightPx: number }): Promise<ImageRef>;
  transcript(): Promise<readonly Message[]>;
}

/** Makes a {@link TurnHarness}; the model is `lab/seer` on the Chat Completions wire unless the provider says otherwise. */
export function createTurnHarness(options: TurnHarnessOptions): TurnHarness {
  const { provider, tools = [], workspace = '/nowhere', locale = 'en' } = options;
  const { records, blobs, ids } = options.reopened ?? {
    records: createMemoryRecords(),
    blobs: createMemoryBlobs(),
    ids: createCountingIds(),
  };
  const clock = createFixedClock();
  const services: TurnServices = {
    records,
    blobs,
    tools,
    access: { workspace, externalFolders: {}, forbidden: [] },
    contentGraph: createTranscriptGraph(records),
    limits: defaultLimits,
    approvals: records.approvals,
    fileChanges: records.fileChanges,
    commandEnvironment: {},
    secrets: [],
    clock,
    ids,
    random: () => 0.5,
    logger: createCheckedLogger(),
    maxSteps: options.maxSteps ?? 20,
  };
  const session: Session = {
    id: 'ses_1',
    title: 'test',
    workspace,
    externalFolders: {},
    owner: 'local',
    model: 'lab/seer',
    profile: options.profile ?? 'workspace-write',
    modelLocale: locale,
    promptHead: { systemPrompt: 'You look at pictures.', tools: tools.map((tool) => tool.definition(locale)) },
    storageRevision: 3,
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
  };

  function targetOf(submit: SubmitOptions): ModelTarget {
    return {
      channel: 'lab',
      model: 'seer',
      provider,
      imageInput: submit.imageInput ?? options.imageInput ?? 'yes',
      limitRow: options.limitRow ?? limitRowFor('openai', 'openai-chat'),
      tokenFamily: 'unknown',
      ...(options.price && { price: options.price }),
      endpoint: {
        channel: 'lab',
        wireApi: provider.wireApi,
        baseUrl: submit.baseUrl ?? options.baseUrl ?? 'http://127.0.0.1:9/v1',
        apiKey: new Secret('test-key'),
        headers: {},
        imageDetail: 'high',
        idleTimeoutMs: 10_000,
        ...options.endpoint,
      },
    };
  }

  let turnCount = options.reopened?.turnCount() ?? 0;
  const start = (text: string, submit: SubmitOptions = {}): AsyncGenerator<FoveaEvent> => {
    turnCount += 1;
    return runTurn(
      {
        session,
        turnId: `turn_${turnCount}`,
        submissionId: `sub_${turnCount}`,
        text,
        images: submit.images ?? [],
        edits: submit.edits,
        target: targetOf(submit),
        signal: submit.signal ?? new AbortController().signal,
      },
      { ...services, ...submit.services },
    );
  };

  return {
    session,
    blobs,
    records,
    ids,
    clock,
    turnCount: () => turnCount,
    start,
    async submit(text, submit = {}) {
      const events: FoveaEvent[] = [];
      for await (const event of start(text, submit)) {
        events.push(event);
        submit.onEvent?.(event);
        // The pause before a retry begins when the next event is asked for, and then is over.
        if (event.type === 'retry') setImmediate(() => void clock.advance(event.delayMs));
      }
      assertSmall(events);
      return events;
    },
    async attach(name, bytes, size) {
      await blobs.put(digestOf(bytes), bytes);
      return { digest: digestOf(bytes), mediaType: 'image/png', sizeBytes: bytes.length, name, ...size };
    },
    transcript: async () => await records.loadTranscript(session.id),
  };
}

/** A session reaches what its messages hold. */
function createTranscriptGraph(records: MemoryRecords): ContentGraph {
  return {
    async resolveReference(sessionId, hexPrefix) {
      if (!/^[0-9a-f]{12,64}$/.test(hexPrefix)) return { kind: 'none' };
      const pictures = [...collectPictures(await records.loadTranscript(sessionId), '').values()];
      const digests = new Set(pictures.map(({ digest }) => digest));
      const [digest, ...others] = [...digests].filter((one) => one.startsWith(`sha256:${hexPrefix}`));
      if (digest === undefined) return { kind: 'none' };
      return others.length === 0 ? { kind: 'found', digest } : { kind: 'ambiguous', candidates: [digest, ...others] };
    },
  };
}

/** Every test of a turn checks by the way that no log line carries bytes, keys or whole prompts. */
function createCheckedLogger(): Logger {
  const check = (event: string, fields: LogFields = {}): void => {
    for (const value of [event, ...Object.values(fields)]) {
      const isLong = typeof value === 'string' && value.length > 256;
      if (isLong || /data:image|test-key/.test(String(value))) throw new Error(`the log line ${event} carries data`);
    }
  };
  return { debug: check, info: check, warn: check, error: check };
}

/** Every test of a turn checks by the way that no event carries bytes of a picture. */
function assertSmall(events: readonly FoveaEvent[]): void {
  for (const event of events) {
    const json = JSON.stringify(event);
    if (/data:image|[A-Za-z0-9+/]{200,}/.test(json)) throw new Error(`an event carries data: ${json.slice(0, 200)}`);
    if (json.length > 64 * KIB) throw new Error(`an event is too large: ${event.type}`);
  }
}

/** The words that the model said in these events. */
export function answerOf(events: readonly FoveaEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

/** The events' types, with runs of deltas as one. */
export function outlineOf(events: readonly FoveaEvent[]): readonly string[] {
  const types = events.map((event) => event.type);
  return types.filter((type, index) => !type.endsWith('-delta') || types[index - 1] !== type);
}
