import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import type { LimitRow } from '../catalog/limit-row.ts';
import { limitRowFor } from '../catalog/limits.ts';
import type { ToolImagePlacement, WireApi } from '../catalog/wire-api.ts';
import type { ImageRef } from '../content/attachment-ref.ts';
import type { FoveaEvent } from '../content/events.ts';
import type { QueueItem } from '../content/queue-item.ts';
import type { ModelRequest } from '../content/request.ts';
import type { ProviderEvent } from '../providers/provider.ts';
import { answerOf, createTurnHarness, type TurnHarness } from '../testing/create-turn-harness.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import { makeCall } from '../testing/make-transcript.ts';
import { createScriptedProvider, type ScriptedCall } from '../testing/scripted-provider.ts';
import type { Tool } from '../tools/tool.ts';

const size = { widthPx: 64, heightPx: 32 };

function says(text: string): readonly ProviderEvent[] {
  return [
    { type: 'text-delta', text },
    { type: 'finish', reason: 'stop' },
  ];
}

const looksTwice: readonly ProviderEvent[] = [
  { type: 'tool-call', call: makeCall('c1', 'look', '{}') },
  { type: 'tool-call', call: makeCall('c2', 'look', '{}') },
  { type: 'finish', reason: 'tool-calls' },
];

function steerItem(name: string, changes: Partial<QueueItem> = {}): QueueItem {
  return {
    ...{ id: `item_${name}`, sessionId: 'ses_1', position: 1, state: 'queued', turnId: `turn_of_${name}` },
    ...{ submissionId: `sub_${name}`, intent: 'steer', text: name, imageInputs: [], references: [] },
    ...{ model: 'lab/seer', consent: 'none', createdAt: '2026-01-02T03:04:05.000Z' },
    ...changes,
  };
}

function attached(picture: ImageRef): Partial<QueueItem> {
  return { imageInputs: [{ attachment: picture }] };
}

/** A session whose tool gives a picture, and during whose run the user sends `items`. */
async function harnessWith(
  script: readonly ScriptedCall[],
  { wireApi, toolImages }: { readonly wireApi: WireApi; readonly toolImages: ToolImagePlacement } = {
    wireApi: 'openai-chat',
    toolImages: 'after-group',
  },
) {
  const items: QueueItem[] = [];
  const provider = createScriptedProvider(script, { wireApi });
  const look: Tool = {
    name: 'look',
    effect: 'read',
    definition: () => ({ name: 'look', description: 'Looks.', parameters: { type: 'object' } }),
    async run() {
      for (const item of items.splice(0)) harness.records.steer(item);
      const { digest, mediaType: mime, sizeBytes: size_bytes } = seen;
      const attachment = { mime, path: 'seen.png', digest, width: 64, height: 32, size_bytes };
      return { isError: false, content: 'seen', attachments: [attachment] };
    },
  };
  const limitRow: LimitRow = { ...limitRowFor('openai', 'openai-chat'), toolImages };
  const harness = createTurnHarness({ provider, tools: [look], limitRow });
  const seen = await harness.attach('seen.png', makeTwoColorPng({ left: 'red', right: 'green' }), size);
  return { provider, items, ...harness };
}

function attachBlue({ attach }: Pick<TurnHarness, 'attach'>): Promise<ImageRef> {
  return attach('blue.png', makeTwoColorPng({ left: 'blue', right: 'blue' }), size);
}

/** Who speaks in a request, with the pictures and the text of each user. */
function outlineOfRequest(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).map((message) => {
    if (message.role === 'tool') return `tool ${message.images.map(({ name }) => name).join()}`.trim();
    if (message.role !== 'user') return message.role;
    const parts = message.parts.map((part) =>
      'text' in part ? part.text : `<${'name' in part ? part.name : part.type}>`,
    );
    return `user ${parts.join(' ').replaceAll(/Picture of tool call (\w+)[^<]*/g, '$1: ')}`.trim();
  });
}

function endOf(events: readonly FoveaEvent[]) {
  return events.at(-1);
}

describe('runTurn, steered while it runs', () => {
  const relocated = 'user Attached media from tool result: c1: <seen.png> c2: <seen.png>';
  const wires = [
    { wireApi: 'openai-chat', toolImages: 'after-group', tools: ['tool', 'tool', relocated] },
    { wireApi: 'openai-responses', toolImages: 'toplevel-user', tools: ['tool', 'tool', relocated] },
    { wireApi: 'anthropic-messages', toolImages: 'inline', tools: ['tool seen.png', 'tool seen.png'] },
  ] as const;
  for (const { wireApi, toolImages, tools } of wires) {
    it(`puts what was sent behind the results of the tools and their pictures: ${toolImages}`, async () => {
      const { submit, provider, items, transcript, attach, records } = await harnessWith(
        [looksTwice, says('Blue it is.'), says('Still blue.')],
        { wireApi, toolImages },
      );
      items.push(steerItem('use blue', attached(await attachBlue({ attach }))), steerItem('and be quick'));
      const events = await submit('look');
      expect(answerOf(events)).toBe('Blue it is.');
      const conversation = [
        ...['system', 'user look', 'assistant', ...tools],
        ...['user <blue.png> use blue', 'user and be quick'],
      ];
      expect(outlineOfRequest(provider.requests[1])).toEqual(conversation);
      expect((await transcript()).slice(4, 6)).toMatchObject([
        { role: 'user', turnId: 'turn_1', content: 'use blue', imageInputs: [{ attachment: { name: 'blue.png' } }] },
        { role: 'user', turnId: 'turn_1', content: 'and be quick', imageInputs: [] },
      ]);
      expect(records.turns()).toHaveLength(1);
      await submit('sure?');
      expect(outlineOfRequest(provider.requests[2])).toEqual([...conversation, 'assistant', 'user sure?']);
    });
  }

  it('keeps what the message referred to', async () => {
    const { submit, items, transcript } = await harnessWith([looksTwice, says('ok')]);
    const references = [{ kind: 'text', path: 'a.txt', text: 'words', sizeBytes: 5, isCut: false }] as const;
    items.push(steerItem('see @a.txt', { references }));
    await submit('look');
    expect((await transcript())[4]).toMatchObject({ content: 'see @a.txt', references });
  });

  it('fails the turn when a picture of the message is gone, and the next turn works', async () => {
    const { submit, items, attach, blobs } = await harnessWith([looksTwice, says('ok')]);
    const blue = await attachBlue({ attach });
    items.push(steerItem('use blue', attached(blue)));
    blobs.remove(blue.digest);
    expect(endOf(await submit('look'))).toMatchObject({ status: 'failed', error: { code: 'BLOB_MISSING' } });
    expect(endOf(await submit('go on'))).toMatchObject({ status: 'completed' });
  });

  it('takes what waits at its second step, not at its first', async () => {
    const { submit, records, provider } = await harnessWith([looksTwice, says('ok')]);
    records.steer(steerItem('before it began'));
    await submit('look');
    expect(provider.requests.map((request) => JSON.stringify(request).includes('before it began'))).toEqual([
      false,
      true,
    ]);
  });

  it('leaves what waits alone after a stop', async () => {
    const stop = new AbortController();
    const { submit, items, records, transcript } = await harnessWith([looksTwice, says('never')]);
    items.push(steerItem('too late'));
    const events = await submit('look', {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'step-end') stop.abort();
      },
    });
    expect(endOf(events)).toMatchObject({ status: 'stopped' });
    expect((await transcript()).filter(({ role }) => role === 'user')).toHaveLength(1);
    const waiting = await records.joinSteering({ id: 'turn_1', sessionId: 'ses_1' }, (item) => ({
      ...{
        id: item.id,
        turnId: 'turn_1',
        createdAt: item.createdAt,
        role: 'user',
        content: item.text,
        imageInputs: [],
      },
    }));
    expect(waiting).toHaveLength(1);
  });

  it('ends the turn, and asks the model nothing, when the message cannot be stored', async () => {
    const { submit, records, provider } = await harnessWith([looksTwice, says('never')]);
    records.joinSteering = () => Promise.reject(new AppError('STORE_UNAVAILABLE', 'disk full'));
    expect(endOf(await submit('look'))).toMatchObject({ status: 'failed', error: { code: 'STORE_UNAVAILABLE' } });
    expect(provider.requests).toHaveLength(1);
  });
});
