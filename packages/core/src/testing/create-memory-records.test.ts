import { describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import type { ToolMessage, UserMessage } from '../content/messages.ts';
import type { QueueItem } from '../content/queue-item.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import { createMemoryRecords } from './create-memory-records.ts';

const original: Digest = `sha256:${'a'.repeat(64)}`;
const variantDigest: Digest = `sha256:${'b'.repeat(64)}`;
const createdAt = '2026-01-02T03:04:05.000Z';

const turn: TurnRecord = {
  id: 'turn_1',
  sessionId: 'ses_1',
  submissionId: 'sub_1',
  status: 'running',
  startedAt: createdAt,
};

function userMessage(id: string): UserMessage {
  return {
    id,
    turnId: 'turn_1',
    createdAt,
    role: 'user',
    content: 'What is this?',
    imageInputs: [{ attachment: { digest: original, mediaType: 'image/png', sizeBytes: 3, name: 'a.png' } }],
  };
}

function toolMessage(id: string): ToolMessage {
  return {
    id,
    turnId: 'turn_1',
    createdAt,
    role: 'tool',
    toolCallId: 'call_1',
    toolName: 'view_image',
    content: '{}',
    isError: false,
    metadata: { attachments: [] },
  };
}

function variant(digest: Digest): VariantRecord {
  return {
    originalDigest: original,
    variantKey: '1/unknown',
    digest,
    mediaType: 'image/png',
    sizeBytes: 2,
    widthPx: 1,
    heightPx: 1,
    changes: ['metadata'],
  };
}

const queueItem: QueueItem = {
  id: 'item_1',
  sessionId: 'ses_1',
  position: 1,
  state: 'queued',
  turnId: 'turn_2',
  createdAt,
  submissionId: 'sub_2',
  intent: 'steer',
  text: 'Look again.',
  imageInputs: [],
  references: [],
  model: 'offline/reader',
  consent: 'none',
};

describe('createMemoryRecords', () => {
  it('gives the messages of one session in the order in which they were added', async () => {
    const records = createMemoryRecords();
    await records.startTurn(turn, userMessage('msg_1'));
    await records.appendMessages('ses_1', [toolMessage('msg_2'), toolMessage('msg_3')]);
    await records.appendMessages('ses_2', [toolMessage('msg_4')]);
    expect((await records.loadTranscript('ses_1')).map((message) => message.id)).toEqual(['msg_1', 'msg_2', 'msg_3']);
    expect(await records.loadTranscript('ses_3')).toEqual([]);
  });

  it('keeps what it stored when the reader changes its copy', async () => {
    const records = createMemoryRecords();
    const message = userMessage('msg_1');
    await records.startTurn(turn, message);
    message.content = 'changed';
    const [read] = await records.loadTranscript('ses_1');
    if (read?.role === 'user') read.content = 'changed too';
    expect(await records.loadTranscript('ses_1')).toEqual([userMessage('msg_1')]);
  });

  it('refuses an invalid message and a second message with the same id, and stores none of the group', async () => {
    const records = createMemoryRecords();
    await records.startTurn(turn, userMessage('msg_1'));
    const invalid = { ...toolMessage('msg_3'), metadata: {} } as unknown as ToolMessage;
    for (const group of [
      [toolMessage('msg_2'), invalid],
      [toolMessage('msg_2'), toolMessage('msg_1')],
      [toolMessage('msg_2'), toolMessage('msg_2')],
    ]) {
      await expect(records.appendMessages('ses_1', group)).rejects.toMatchObject({ code: 'RECORD_INVALID' });
    }
    expect(await records.loadTranscript('ses_1')).toHaveLength(1);
  });

  it('ends a turn once started, and refuses to end an unknown one', async () => {
    const records = createMemoryRecords();
    await records.startTurn(turn, userMessage('msg_1'));
    await records.endTurn('turn_1', { status: 'completed', endedAt: createdAt });
    expect(records.turns()).toEqual([{ ...turn, status: 'completed', endedAt: createdAt }]);
    await expect(records.endTurn('turn_2', { status: 'failed', endedAt: createdAt })).rejects.toMatchObject({
      code: 'RECORD_INVALID',
    });
  });

  it('refuses a second running turn of a session, and takes one after the first has ended', async () => {
    const records = createMemoryRecords();
    await records.startTurn(turn, userMessage('msg_1'));
    const second = { ...turn, id: 'turn_2' };
    await expect(records.startTurn(second, userMessage('msg_2'))).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      data: { sessionId: 'ses_1', turnId: 'turn_1' },
    });
    await records.startTurn({ ...turn, id: 'turn_3', sessionId: 'ses_2' }, userMessage('msg_3'));
    await records.endTurn('turn_1', { status: 'stopped', endedAt: createdAt });
    await records.startTurn(second, userMessage('msg_2'));
    expect(records.turns().map(({ id }) => id)).toEqual(['turn_1', 'turn_3', 'turn_2']);
    expect(await records.loadTranscript('ses_1')).toHaveLength(2);
  });

  it('goes on from the message before an edited one, and refuses to edit what is no message of the user', async () => {
    const records = createMemoryRecords();
    await records.appendMessages('ses_1', [userMessage('msg_1'), userMessage('msg_2'), toolMessage('msg_3')]);
    for (const edits of ['msg_3', 'msg_9']) {
      const start = records.startTurn(turn, userMessage('msg_4'), { edits });
      await expect(start).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await records.startTurn(turn, userMessage('msg_4'), { edits: 'msg_2' });
    expect((await records.loadTranscript('ses_1')).map(({ id }) => id)).toEqual(['msg_1', 'msg_4']);
  });

  it('joins what was to steer a session, once and no other', async () => {
    const records = createMemoryRecords();
    for (const [id, sessionId] of [
      ['item_1', 'ses_1'],
      ['item_2', 'ses_2'],
    ] as const) {
      records.steer({ ...queueItem, id, sessionId });
    }
    const join = async (sessionId: string) =>
      (await records.joinSteering({ id: 'turn_1', sessionId }, ({ id }) => userMessage(`msg_${id}`))).map(
        ({ id }) => id,
      );
    expect(await join('ses_1')).toEqual(['msg_item_1']);
    expect(await join('ses_1')).toEqual([]);
    expect(await join('ses_2')).toEqual(['msg_item_2']);
    expect(await records.loadTranscript('ses_2')).toHaveLength(1);
  });

  it('lets the first writer of a variant win and gives every session an edge to it', async () => {
    const records = createMemoryRecords();
    await records.saveVariant('ses_1', variant(variantDigest));
    await records.saveVariant('ses_2', variant(original));
    expect(await records.findVariant(original, '1/unknown')).toEqual(variant(variantDigest));
    expect(await records.findVariant(original, '2/unknown')).toBeUndefined();
    expect(records.reachableDigests('ses_2')).toEqual([variantDigest]);
  });

  it('gives the pictures of messages an edge', async () => {
    const records = createMemoryRecords();
    await records.startTurn(turn, userMessage('msg_1'));
    expect(records.reachableDigests('ses_1')).toEqual([original]);
  });

  it('counts requests for each session from one', async () => {
    const records = createMemoryRecords();
    const numbers = [
      await records.takeRequestNumber('ses_1'),
      await records.takeRequestNumber('ses_1'),
      await records.takeRequestNumber('ses_2'),
    ];
    expect(numbers).toEqual([1, 2, 1]);
  });

  it('keeps the latest plan of a session for each endpoint', async () => {
    const records = createMemoryRecords();
    await records.savePlan({ sessionId: 'ses_1', endpointId: 'one', images: [] });
    await records.savePlan({
      sessionId: 'ses_1',
      endpointId: 'one',
      images: [{ originalDigest: original, digest: variantDigest }],
    });
    expect((await records.loadPlan('ses_1', 'one'))?.images).toHaveLength(1);
    expect(await records.loadPlan('ses_1', 'two')).toBeUndefined();
  });
});
