import { describe, expect, it } from 'vitest';
import { formatDataUri } from '../base/data-uri.ts';
import { parseJson } from '../base/parse-json.ts';
import { digestOf } from '../media/digest.ts';
import { createToolContext } from '../testing/create-tool-context.ts';
import { makeTwoColorPng } from '../testing/make-pictures.ts';
import type { ToolOutcome } from '../tools/tool.ts';
import { admitPayload } from './admit-payload.ts';

const png = makeTwoColorPng({ left: 'red', right: 'blue' });
const uri = formatDataUri({ mediaType: 'image/png', bytes: png });

function foreign(fields: Readonly<Record<string, unknown>>): ToolOutcome {
  return {
    isError: false,
    content: JSON.stringify({ content: 'Captured.', total_lines: 0, ...fields }),
    attachments: [],
  };
}

describe('admitPayload', () => {
  it('takes the picture of a foreign executor: stored, named by what its bytes are, the string gone', async () => {
    const context = createToolContext({ workspace: '/nowhere' });
    // An older executor labels by the name and gives no size.
    const label = uri.replace('image/png', 'image/jpg').replace(/=+$/, '');
    const outcome = await admitPayload(
      foreign({ path: 'shot.jpg', mime: 'image/jpg', data_uri: label }),
      'read_file',
      context,
    );
    const digest = digestOf(png);
    const picture = { mime: 'image/png', path: 'shot.jpg', width: 64, height: 32, size_bytes: png.length };
    expect(outcome.isError).toBe(false);
    expect(parseJson(outcome.content)).toEqual({
      ok: true,
      value: {
        ...{ content: 'Captured.', total_lines: 0, media_type: 'image', ...picture },
        reference: `attachment:${digest.slice(7, 19)}`,
      },
    });
    expect(outcome.attachments).toEqual([{ ...picture, digest }]);
    expect(context.blobs.digests()).toEqual([digest]);
  });

  it('calls a picture without a path by its tool', async () => {
    const context = createToolContext({ workspace: '/nowhere' });
    const outcome = await admitPayload(foreign({ data_uri: uri }), 'capture', context);
    expect(outcome.attachments).toMatchObject([{ path: 'capture' }]);
  });

  it.each([
    ['cut', uri.slice(0, -20), /incomplete|damaged/],
    ['no base64', 'data:image/png;base64,iVBO...', /damaged.*base64/],
    [
      'text',
      formatDataUri({ mediaType: 'image/png', bytes: new TextEncoder().encode('<html></html>') }),
      /not a picture but HTML/,
    ],
  ])('makes the result a refusal where the picture is %s, and stores nothing', async (_name, dataUri, words) => {
    const context = createToolContext({ workspace: '/nowhere' });
    const outcome = await admitPayload(foreign({ path: 'a.png', data_uri: dataUri }), 'read_file', context);
    expect(outcome).toMatchObject({ isError: true, attachments: [] });
    expect(outcome.content).toMatch(words);
    expect(parseJson(outcome.content)).toMatchObject({ value: { total_lines: 0 } });
    expect(outcome.content).not.toMatch(/data:|Captured/);
    expect(context.blobs.digests()).toEqual([]);
  });

  it('holds to the limits of read_file', async () => {
    const context = createToolContext({ workspace: '/nowhere', limits: { readFileImageBytes: png.length - 1 } });
    const outcome = await admitPayload(foreign({ path: 'a.png', data_uri: uri }), 'read_file', context);
    expect(outcome.content).toMatch(/too large/);
  });

  it('leaves everything else as it is', async () => {
    const context = createToolContext({ workspace: '/nowhere' });
    const digest = digestOf(png);
    const attachment = { mime: 'image/png', path: 'a.png', digest, width: 64, height: 32, size_bytes: png.length };
    const outcomes: readonly ToolOutcome[] = [
      foreign({}),
      foreign({ data_uri: 7 }),
      { ...foreign({ data_uri: uri }), isError: true },
      { ...foreign({ data_uri: uri }), attachments: [attachment] },
      { isError: false, content: 'a "data_uri" in words', attachments: [] },
      { isError: false, content: '{"data_uri": broken', attachments: [] },
    ];
    for (const outcome of outcomes) expect(await admitPayload(outcome, 'capture', context)).toBe(outcome);
    expect(context.blobs.digests()).toEqual([]);
  });
});
