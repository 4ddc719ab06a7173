import { describe, expect, it } from 'vitest';
import type { Digest } from '../base/ids.ts';
import type { Message } from '../content/messages.ts';
import type { VariantRecord } from '../content/variant-record.ts';
import {
  deepFreeze,
  fakeDigest,
  makeAssistantMessage,
  makeCall,
  makeImageRef,
  makeToolAttachment,
  makeToolMessage,
  makeUserMessage,
  makeVariantRecord,
} from '../testing/make-transcript.ts';
import { type BuildContextInput, buildContext } from './build-context.ts';

const photo = makeImageRef('photo.png', fakeDigest('a'));
const shot = makeToolAttachment('shots/one.png', fakeDigest('b'));

const transcript: readonly Message[] = deepFreeze([
  makeUserMessage('u1', 'compare it with shots/one.png', { images: [photo] }),
  makeAssistantMessage('a1', [makeCall('c1', 'read_file'), makeCall('c2'), makeCall('c3', 'list_directory')]),
  makeToolMessage('c1', '{"content":"notes","total_lines":1}', { toolName: 'read_file' }),
  makeToolMessage('c2', shot),
  makeToolMessage('c3', 'one.png', { toolName: 'list_directory' }),
  makeAssistantMessage('a2', ['Both are red.']),
  makeUserMessage('u2', 'sure?', { turnId: 'turn_2' }),
  makeAssistantMessage('a3', [makeCall('c4')], { turnId: 'turn_2' }),
  makeToolMessage('c4', shot, { turnId: 'turn_2' }),
]);

const variants: ReadonlyMap<Digest, VariantRecord> = new Map([
  [photo.digest, makeVariantRecord(photo.digest, fakeDigest('c'))],
  [shot.digest, makeVariantRecord(shot.digest, fakeDigest('d'))],
]);

function build(overrides: Partial<BuildContextInput> = {}) {
  return buildContext({
    transcript,
    promptHead: { systemPrompt: 'head', tools: [] },
    variants,
    imageInput: 'yes',
    toolImages: 'after-group',
    endpointId: 'seer',
    answering: { turnId: 'turn_2', model: 'lab/seer' },
    locale: 'en',
    ...overrides,
  });
}

describe('buildContext', () => {
  it('sends a region as the variant of that region, beside the whole picture', () => {
    const region = { x: 1, y: 2, width: 3, height: 4 };
    const part = makeToolMessage('c5', { ...shot, region });
    const both = new Map([
      ...variants,
      [`${shot.digest} 1,2,3,4`, { ...makeVariantRecord(shot.digest, fakeDigest('e')), changes: ['region' as const] }],
    ]);
    const longer = [...transcript, makeAssistantMessage('a4', [makeCall('c5')]), part];
    const { images } = build({ transcript: longer, variants: both });
    expect(images.filter(({ originalDigest }) => originalDigest === shot.digest).map(({ digest }) => digest)).toEqual([
      fakeDigest('d'),
      fakeDigest('d'),
      fakeDigest('e'),
    ]);
    expect(images.at(-1)).toMatchObject({ region, originalWidthPx: 64, originalHeightPx: 48, changes: ['region'] });
  });

  it('gives every role its place', () => {
    const { messages, notices } = build();
    const roles = messages.map((message) => ('origin' in message ? message.origin : message.role));
    expect(roles).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'synthetic',
      'assistant',
      'user',
      'assistant',
      'tool',
      'synthetic',
    ]);
    expect(notices).toEqual([]);
  });

  it('lists the pictures in the order of the request, as the variants that are sent', () => {
    expect(build().images.map(({ digest, originalDigest, name }) => [digest, originalDigest, name])).toEqual([
      [fakeDigest('c'), photo.digest, 'photo.png'],
      [fakeDigest('d'), shot.digest, 'shots/one.png'],
      [fakeDigest('d'), shot.digest, 'shots/one.png'],
    ]);
  });

  it('leaves no picture in a tool message, and its text as it is stored', () => {
    const tools = build().messages.filter((message) => message.role === 'tool');
    expect(tools.map((message) => message.images.length)).toEqual([0, 0, 0, 0]);
    expect(tools.map((message) => message.text)).toEqual(
      transcript.filter((message) => message.role === 'tool').map((message) => message.content),
    );
  });

  it('keeps pictures inside results for an endpoint that takes them there', () => {
    const { messages, images } = build({ toolImages: 'inline' });
    expect(messages.some((message) => 'origin' in message && message.origin === 'synthetic')).toBe(false);
    expect(images).toEqual(build().images);
  });

  it('gives equal results for equal input', () => {
    expect(JSON.stringify(build())).toBe(JSON.stringify(build()));
  });

  it('keeps every earlier message when the transcript grows', () => {
    const whole = build().messages;
    for (const length of [1, 5, 6, 7]) {
      const shorter = build({ transcript: transcript.slice(0, length) }).messages;
      expect(JSON.stringify(whole.slice(0, shorter.length))).toBe(JSON.stringify(shorter));
    }
  });

  it('sends pictures to a model of unknown eyesight', () => {
    expect(build({ imageInput: 'unknown' })).toEqual(build());
  });

  it('needs no variant for a blind model and sends it no picture', () => {
    const blind = build({ imageInput: 'no', variants: new Map() });
    expect(blind.images).toEqual([]);
    expect(JSON.stringify(blind.messages)).not.toContain('sha256:');
    expect(blind.notices.map(({ kind }) => kind)).toEqual(Array(3).fill('replaced-by-notice'));
  });

  it('builds for a blind model what the transcript with words for pictures builds', () => {
    const blind = build({ imageInput: 'no', variants: new Map() });
    const texts = blind.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
    const replacedTools = transcript.map((message): Message => {
      if (message.role !== 'tool') return message;
      return { ...message, content: texts.shift() ?? '', metadata: { attachments: [] } };
    });
    const fromWords = build({ transcript: replacedTools });
    const words = blind.messages[1]?.role === 'user' ? blind.messages[1].parts[0] : undefined;
    const expected = fromWords.messages.map((message) => {
      if (message.role !== 'user') return message;
      return { ...message, parts: message.parts.map((part) => (part.type === 'image' ? words : part)) };
    });
    expect(JSON.stringify(blind.messages)).toBe(JSON.stringify(expected));
  });

  it('says the same words to a blind model, whatever its endpoint would fetch itself', () => {
    const linked = {
      ...makeUserMessage('u1', 'compare'),
      imageInputs: [{ url: 'https://example.org/a.png' }, { file: { channel: 'lab', id: 'file-1' } }],
    };
    const blind = { transcript: [linked], imageInput: 'no' } as const;
    const refusing = build(blind);
    expect(build({ ...blind, links: { channel: 'lab', url: true, fileId: true } })).toEqual(refusing);
    expect(refusing.messages[1]).toMatchObject({
      parts: [
        { type: 'text', text: expect.stringMatching(/^\[Picture not shown: https:\/\/example\.org\/a\.png\./) },
        { type: 'text', text: expect.stringMatching(/^\[Picture not shown: file-1\./) },
        { type: 'text', text: 'compare' },
      ],
    });
    expect(refusing.notices.map(({ kind }) => kind)).toEqual(['link-replaced', 'link-replaced']);
  });

  it('passes links through only where the endpoint takes them, and says where it does not', () => {
    const url = 'https://example.org/a.png';
    const linked = {
      ...makeUserMessage('u1', 'compare'),
      imageInputs: [{ url }, { file: { channel: 'lab', id: 'f' } }],
    };
    const { messages, notices } = build({
      transcript: [linked],
      links: { channel: 'elsewhere', url: true, fileId: true },
    });
    expect(messages[1]).toMatchObject({
      parts: [
        { type: 'image-link', link: { url } },
        {
          type: 'text',
          text: '[Picture not shown: f. It was given by its address, and the current endpoint does not take it so.]',
        },
        { type: 'text', text: 'compare' },
      ],
    });
    expect(notices).toEqual([{ kind: 'link-not-sent', name: 'f' }]);
  });

  it('sends no thinking of another endpoint, and leaves its own where it was', () => {
    const thought = { type: 'thinking', text: 'hm', signature: 's' } as const;
    const answers = ['seer', 'other'].map((endpointId) => {
      return { ...makeAssistantMessage(`a_${endpointId}`, [thought, endpointId]), endpointId };
    });
    const { messages } = build({ transcript: [makeUserMessage('u1', 'hi'), ...answers] });
    expect(messages.slice(2)).toEqual([
      { role: 'assistant', parts: [thought, { type: 'text', text: 'seer' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'other' }] },
    ]);
  });

  it('names a call that another endpoint numbered by the same legal id everywhere', () => {
    const id = 'functions.view_image:0';
    const answer = { ...makeAssistantMessage('a', [makeCall(id)]), endpointId: 'other' };
    const { messages } = build({ transcript: [makeUserMessage('u', 'look'), answer, makeToolMessage(id, shot)] });
    const text = JSON.stringify(messages);
    expect(text).not.toContain(id);
    expect(text.match(/functions_view_image_0_\w+/g)).toHaveLength(3);
    expect(new Set(text.match(/functions_view_image_0_\w+/g)).size).toBe(1);
  });

  it('shows the pixels again after a blind model had its turn', () => {
    const before = build();
    build({ imageInput: 'no', variants: new Map() });
    expect(build()).toEqual(before);
  });

  it('goes on with words when a variant is missing', () => {
    const { images, notices } = build({ variants: new Map([...variants].slice(0, 1)) });
    expect(images).toHaveLength(1);
    expect(notices).toEqual([
      { kind: 'missing', digest: shot.digest, name: 'shots/one.png', toolCallId: 'c2' },
      { kind: 'missing', digest: shot.digest, name: 'shots/one.png', toolCallId: 'c4' },
    ]);
  });
});
