import type { Digest } from '../base/ids.ts';
import type { AssistantMessage, ToolMessage, UserMessage } from '../content/messages.ts';
import type { Session } from '../content/session.ts';
import type { TurnRecord } from '../content/turn-record.ts';
import type { VariantRecord } from '../content/variant-record.ts';

/** A digest that no bytes have: `character` 64 times. */
export function sampleDigest(character: string): Digest {
  return `sha256:${character.repeat(64)}`;
}

export function sampleSession(id: string, changes: Partial<Session> = {}): Session {
  return {
    id,
    title: 'A dialog',
    workspace: '/home/user/project',
    externalFolders: { photos: '/home/user/photos' },
    owner: 'local',
    model: 'offline/reader',
    profile: 'workspace-write',
    modelLocale: 'en',
    promptHead: {
      systemPrompt: 'You see.',
      tools: [
        {
          name: 'view_image',
          description: 'Shows a picture.',
          parameters: { type: 'object', required: ['path'], properties: { path: { type: 'string' }, a: {} } },
        },
      ],
    },
    storageRevision: 3,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

export function sampleTurn(id: string, sessionId: string, changes: Partial<TurnRecord> = {}): TurnRecord {
  return {
    id,
    sessionId,
    submissionId: `sub_of_${id}`,
    status: 'running',
    startedAt: '2026-01-02T00:00:00.000Z',
    ...changes,
  };
}

export function sampleUserMessage(id: string, changes: Partial<UserMessage> = {}): UserMessage {
  return {
    id,
    turnId: 'turn_1',
    createdAt: '2026-01-02T00:00:00.000Z',
    role: 'user',
    content: 'What does it say?',
    imageInputs: [],
    ...changes,
  };
}

export function sampleAssistantMessage(id: string, changes: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    id,
    turnId: 'turn_1',
    createdAt: '2026-01-02T00:00:01.000Z',
    role: 'assistant',
    parts: [
      { type: 'thinking', text: 'Look first.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'I will look.' },
      { type: 'tool-call', toolCallId: 'call_1', name: 'view_image', arguments: '{ "path" : "shot.png" }' },
    ],
    model: 'offline/reader',
    status: 'completed',
    usage: { inputTokens: 10, cachedTokens: 0, outputTokens: 5 },
    ...changes,
  };
}

export function sampleToolMessage(id: string, digest: Digest, changes: Partial<ToolMessage> = {}): ToolMessage {
  return {
    id,
    turnId: 'turn_1',
    createdAt: '2026-01-02T00:00:02.000Z',
    role: 'tool',
    toolCallId: 'call_1',
    toolName: 'view_image',
    content: 'shot.png, PNG, 10x20',
    isError: false,
    metadata: {
      attachments: [{ mime: 'image/png', path: 'shot.png', digest, width: 10, height: 20, size_bytes: 123 }],
    },
    ...changes,
  };
}

export function sampleVariant(originalDigest: Digest, digest: Digest): VariantRecord {
  return {
    originalDigest,
    variantKey: 'v1/default',
    digest,
    mediaType: 'image/png',
    sizeBytes: 99,
    widthPx: 5,
    heightPx: 10,
    changes: ['resized', 'metadata'],
  };
}
