import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FoveaEvent } from '../content/events.ts';
import { createOpenAiChatProvider } from '../providers/openai-chat/provider.ts';
import {
  answerOf,
  createTurnHarness,
  type TurnHarness,
  type TurnHarnessOptions,
} from '../testing/create-turn-harness.ts';
import { makeMarkedPng } from '../testing/make-pictures.ts';
import { expectClean } from '../testing/strict-server/expect-clean.ts';
import { type StrictServer, startStrictServer } from '../testing/strict-server/start-strict-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { createViewImageTool } from '../tools/view-image.ts';

/** A 4K screen in which a mark of 40 x 20 pixels is what matters. */
const screen = makeMarkedPng(
  { background: 'grey', size: { widthPx: 3840, heightPx: 2160 } },
  { left: 'red', right: 'green', x: 3001, y: 1501, widthPx: 40, heightPx: 20 },
);
const region = { x: 3001, y: 1501, width: 40, height: 20 };

let server: StrictServer;
let folder: TemporaryFolder;
let options: TurnHarnessOptions;
let harness: TurnHarness;

beforeEach(async () => {
  server = await startStrictServer();
  folder = await createTemporaryFolder();
  await folder.write('screen.png', screen);
  options = {
    provider: createOpenAiChatProvider(),
    baseUrl: server.baseUrl,
    workspace: folder.path,
    tools: [createViewImageTool()],
  };
  harness = createTurnHarness(options);
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

function view(toolArguments: unknown): string {
  return `CALL view_image ${JSON.stringify(toolArguments)}`;
}

function changesIn(events: readonly FoveaEvent[]) {
  return events.flatMap((event) => (event.type === 'request' ? event.imagesChanged : []));
}

describe('a region of a 4K picture over Chat Completions', () => {
  it('shows the model at full resolution what it cannot make out in the whole', async () => {
    const whole = await harness.submit(view({ path: 'screen.png' }));
    expect(answerOf(whole)).toContain(
      "image 1 (1568x882, after 'Picture of tool call call_1 (view_image): screen.png. Original 3840×2160, sent as 1568×882 (factor 0.4083).'): left grey, right grey",
    );
    const part = await harness.submit(view({ path: 'screen.png', region }));
    expect(answerOf(part)).toContain(
      'Region 40×20 at (3001, 1501) of the original 3840×2160, sent as 40×20 (not scaled).',
    );
    expect(answerOf(part)).toContain('left red, right green');
    expect(changesIn(part)).toMatchObject([
      {
        name: 'screen.png',
        ...{ originalWidthPx: 3840, originalHeightPx: 2160, widthPx: 40, heightPx: 20 },
        region,
        change: expect.arrayContaining(['region']),
      },
    ]);
    expectClean(server);
  });

  it('is sent as the same bytes in every later turn and after a restart, beside the whole', async () => {
    await harness.submit(`${view({ path: 'screen.png', region })}\n${view({ path: 'screen.png' })}`);
    const first = server.requests.at(-1)?.pictures.map(({ digest }) => digest);
    expect(new Set(first).size).toBe(2);
    await harness.submit('Second turn.');
    const reopened = createTurnHarness({ ...options, reopened: harness });
    const third = await reopened.submit('Third turn.');
    expect(answerOf(third)).toMatch(/\(40x20, after.*left red, right green\n.*\(1568x882/);
    expect(changesIn(third)).toEqual([]);
    for (const { pictures } of server.requests.slice(1)) expect(pictures.map(({ digest }) => digest)).toEqual(first);
    expectClean(server);
  });

  it('is reached by the reference of an attachment, of which no second copy is stored', async () => {
    const size = { widthPx: 3840, heightPx: 2160 };
    const image = await harness.attach('from the user.png', screen, size);
    const seen = await harness.submit('What is this?', { images: [image] });
    expect(answerOf(seen)).toContain('left grey, right grey');
    const reference = `attachment:${image.digest.slice(7, 19)}`;
    // The model is told the reference where it is told the scale.
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
      `[Picture 1 (from the user.png): Original 3840×2160, sent as 1568×882 (factor 0.4083). Reference: ${reference}]`,
    );
    const before = harness.blobs.digests();
    const events = await harness.submit(view({ path: reference, region }));
    expect(answerOf(events)).toContain('from the user.png. Region 40×20 at (3001, 1501)');
    expect(answerOf(events)).toContain('left red, right green');
    const added = harness.blobs.digests().filter((digest) => !before.includes(digest));
    expect(added).toEqual([server.requests.at(-1)?.pictures.at(-1)?.digest]);
    expectClean(server);
  });

  it('is refused for a reference that the conversation does not hold', async () => {
    const events = await harness.submit(view({ path: 'attachment:0123456789ab', region }));
    const result = events.find((event) => event.type === 'tool-result');
    expect(result).toMatchObject({
      isError: true,
      result: expect.stringContaining('not found: attachment:0123456789ab'),
    });
    expectClean(server);
  });
});
