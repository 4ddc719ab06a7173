import { describe, expect, it } from 'vitest';
import { AppError } from '../base/app-error.ts';
import { silentLogger } from '../base/logger.ts';
import { createMemoryBlobs } from '../testing/create-memory-blobs.ts';
import { createMemoryRecords, type MemoryRecords } from '../testing/create-memory-records.ts';
import { makeCall } from '../testing/make-transcript.ts';
import type { Tool, ToolContext, ToolEffect, ToolOutcome } from '../tools/tool.ts';
import type { ApprovalPolicy } from './approve-call.ts';
import { type ExecutedCall, executeTools, planCalls } from './execute-tools.ts';
import { createSecretMask } from './secret-mask.ts';

const noteEffects = async (): Promise<void> => {};

const limits = {
  readFileImageBytes: 1,
  viewImageBytes: 1,
  imagePixels: 1,
  imageFrames: 1,
  attachmentBytes: 1,
  attachmentPixels: 1,
};

function makeTool(name: string, run: Tool['run'], effect: ToolEffect = 'read'): Tool {
  return { name, effect, definition: () => ({ name, description: name, parameters: {} }), run };
}

function said(content: string): ToolOutcome {
  return { isError: false, content, attachments: [] };
}

function contextWith(signal: AbortSignal): ToolContext {
  const access = { workspace: '/', externalFolders: {}, forbidden: [] };
  return { access, blobs: createMemoryBlobs(), limits, locale: 'en', signal };
}

function policyOf(records: MemoryRecords): ApprovalPolicy {
  return {
    sessionId: 'ses_1',
    profile: 'full-access',
    approvals: records.approvals,
    isAfterForeignPicture: false,
    mask: createSecretMask([]),
  };
}

async function execute(
  calls: Parameters<typeof planCalls>[0],
  tools: readonly Tool[],
  options: { readonly controller?: AbortController; readonly onResult?: (executed: ExecutedCall) => void } = {},
): Promise<readonly (readonly [string, boolean, string])[]> {
  const context = contextWith((options.controller ?? new AbortController()).signal);
  const results: (readonly [string, boolean, string])[] = [];
  for await (const event of executeTools(planCalls(calls, { tools, locale: 'en' }), {
    context,
    policy: policyOf(createMemoryRecords()),
    logger: silentLogger,
    noteEffects,
  })) {
    if (event.type !== 'executed') continue;
    options.onResult?.(event);
    results.push([event.call.toolCallId, event.outcome.isError, event.outcome.content]);
  }
  return results;
}

/** A promise and the function that settles it. */
function makeGate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('executeTools', () => {
  it('parses arguments once and takes an empty text as an empty object', async () => {
    const seen: unknown[] = [];
    const echo = makeTool('echo', async (toolArguments) => {
      seen.push(toolArguments);
      return said('ok');
    });
    await execute(
      [makeCall('c1', 'echo', '{"path":"a.png"}'), makeCall('c2', 'echo', ''), makeCall('c3', 'echo', ' \n')],
      [echo],
    );
    expect(seen).toEqual([{ path: 'a.png' }, {}, {}]);
  });

  it('answers invalid arguments, arguments that are no object, and unknown tools without running anything', async () => {
    let runs = 0;
    const echo = makeTool('echo', async () => {
      runs += 1;
      return said('ok');
    });
    const results = await execute(
      [makeCall('c1', 'echo', '{"path":'), makeCall('c2', 'echo', '[1]'), makeCall('c3', 'see', '{}')],
      [echo, makeTool('view_image', async () => said('no'))],
    );
    expect(results).toEqual([
      ['c1', true, expect.stringContaining('the arguments of echo are not valid JSON')],
      ['c2', true, expect.stringContaining('the arguments of echo are not a JSON object')],
      ['c3', true, 'Error: there is no tool "see". The tools are: echo, view_image.'],
    ]);
    expect(runs).toBe(0);
  });

  it('runs reading calls at once and gives their results in call order', async () => {
    const gate = makeGate();
    const ended: string[] = [];
    const slow = makeTool('slow', async () => {
      await gate.opened;
      ended.push('slow');
      return said('slow');
    });
    const quick = makeTool('quick', async () => {
      ended.push('quick');
      gate.open();
      return said('quick');
    });
    const results = await execute([makeCall('c1', 'slow', ''), makeCall('c2', 'quick', '')], [slow, quick]);
    expect(ended).toEqual(['quick', 'slow']);
    expect(results.map(([id]) => id)).toEqual(['c1', 'c2']);
  });

  it('runs a group with another effect one call after the other', async () => {
    const log: string[] = [];
    const step = (name: string, effect: ToolEffect): Tool =>
      makeTool(
        name,
        async () => {
          log.push(`${name} begins`);
          await Promise.resolve();
          log.push(`${name} ends`);
          return said(name);
        },
        effect,
      );
    await execute(
      [makeCall('c1', 'look', ''), makeCall('c2', 'change', '')],
      [step('look', 'read'), step('change', 'write')],
    );
    expect(log).toEqual(['look begins', 'look ends', 'change begins', 'change ends']);
  });

  it('turns what a tool throws into its result and lets the others finish', async () => {
    const broken = makeTool('broken', () => {
      throw new AppError('STORE_UNAVAILABLE', 'the disk is full');
    });
    const results = await execute(
      [makeCall('c1', 'broken', ''), makeCall('c2', 'fine', '')],
      [broken, makeTool('fine', async () => said('fine'))],
    );
    expect(results).toEqual([
      ['c1', true, 'Error: broken failed: the disk is full'],
      ['c2', false, 'fine'],
    ]);
  });

  it('never lets image data through, and keeps the attachments', async () => {
    const attachment = {
      mime: 'image/png',
      path: 'a.png',
      digest: `sha256:${'a'.repeat(64)}` as const,
      width: 1,
      height: 1,
      size_bytes: 1,
    };
    const foreign = makeTool('foreign', async () => ({
      isError: false,
      content: '{"content":"Image read: a.png","data_uri":"data:image/png;base64,iVBORw0KGgo="}',
      attachments: [attachment],
    }));
    const planned = planCalls([makeCall('c1', 'foreign', '')], { tools: [foreign], locale: 'en' });
    const context = contextWith(new AbortController().signal);
    const policy = policyOf(createMemoryRecords());
    for await (const event of executeTools(planned, { context, policy, logger: silentLogger, noteEffects })) {
      expect(event.type === 'executed' ? event.outcome : event).toEqual({
        isError: false,
        content: '{"content":"Image read: a.png"}',
        attachments: [attachment],
      });
    }
    expect.assertions(1);
  });

  it('keeps the results that were there before a stop and answers the other calls as cancelled', async () => {
    const controller = new AbortController();
    const never = makeTool('never', () => new Promise(() => {}));
    const results = await execute(
      [makeCall('c1', 'fine', ''), makeCall('c2', 'never', ''), makeCall('c3', 'never', '')],
      [makeTool('fine', async () => said('fine')), never],
      { controller, onResult: () => controller.abort() },
    );
    expect(results).toEqual([
      ['c1', false, 'fine'],
      ['c2', true, expect.stringMatching(/^Cancelled: /)],
      ['c3', true, expect.stringMatching(/^Cancelled: /)],
    ]);
  });

  it('starts nothing after a stop', async () => {
    const controller = new AbortController();
    const runs: string[] = [];
    const change = makeTool(
      'change',
      async (toolArguments) => {
        runs.push(JSON.stringify(toolArguments));
        controller.abort();
        return said('changed');
      },
      'write',
    );
    const results = await execute(
      [makeCall('c1', 'change', '{"n":1}'), makeCall('c2', 'change', '{"n":2}')],
      [change],
      { controller },
    );
    expect(runs).toEqual(['{"n":1}']);
    expect(results.map(([id, isError]) => [id, isError])).toEqual([
      ['c1', false],
      ['c2', true],
    ]);
  });

  it('does not wait for a tool during whose first moments the stop came', async () => {
    const controller = new AbortController();
    const stubborn = makeTool('stubborn', () => {
      controller.abort();
      return new Promise(() => {});
    });
    expect(await execute([makeCall('c1', 'stubborn', '')], [stubborn], { controller })).toEqual([
      ['c1', true, expect.stringMatching(/^Cancelled: /)],
    ]);
  });

  it('takes a tool that throws because of the stop as cancelled', async () => {
    const controller = new AbortController();
    const obedient = makeTool('obedient', async (_, { signal }) => {
      controller.abort(new Error('stop'));
      signal.throwIfAborted();
      return said('not reached');
    });
    expect(await execute([makeCall('c1', 'obedient', '')], [obedient], { controller })).toEqual([
      ['c1', true, expect.stringMatching(/^Cancelled: /)],
    ]);
  });
});

describe('executeTools, with many calls at once', () => {
  it('gives every call a signal of its own, so that no number of listeners is too many', async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
    process.on('warning', warn);
    try {
      const controller = new AbortController();
      const stops: string[] = [];
      const listening = makeTool('listening', (_, { signal }) => {
        return new Promise(() => signal.addEventListener('abort', () => stops.push('stop'), { once: true }));
      });
      const planned = Array.from({ length: 40 }, (_, index) => makeCall(`c${index}`, 'listening', ''));
      const executing = execute(
        [makeCall('c', 'fine', ''), ...planned],
        [makeTool('fine', async () => said('ok')), listening],
        {
          controller,
          onResult: () => controller.abort(),
        },
      );
      expect((await executing).filter(([, isError]) => isError)).toHaveLength(40);
      expect(stops).toHaveLength(40);
      await new Promise((resolve) => setImmediate(resolve));
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', warn);
    }
  });
});
