import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FoveaEvent } from '@fovea/core/content';
import { describe, expect, it } from 'vitest';
import { addFileHints, findNearFile } from './suggest-file-name.ts';
import { cliTexts } from './texts.ts';

function createFolder(): string {
  const workspace = mkdtempSync(join(tmpdir(), 'fovea-near-'));
  mkdirSync(join(workspace, 'shots'));
  writeFileSync(join(workspace, 'shot.png'), '');
  writeFileSync(join(workspace, 'shots', 'Dialog.PNG'), '');
  return workspace;
}

describe('findNearFile', () => {
  it('finds a name with a slip of the pen in the folder that was named', async () => {
    const workspace = createFolder();
    expect(await findNearFile('shto.png', workspace)).toBe('shot.png');
    expect(await findNearFile('./shots/dialog.png', workspace)).toBe('./shots/Dialog.PNG');
    expect(await findNearFile(join(workspace, 'shto.png'), '/')).toBe(join(workspace, 'shot.png'));
    expect(await findNearFile('picture.png', workspace)).toBeUndefined();
    expect(await findNearFile('sh.png', workspace)).toBeUndefined();
    expect(await findNearFile('nowhere/shot.png', workspace)).toBeUndefined();
  });
});

describe('addFileHints', () => {
  it('asks after a refusal of a missing attachment only', async () => {
    async function* events(): AsyncIterable<FoveaEvent> {
      yield {
        type: 'turn-refused',
        items: [
          { index: 0, name: 'shto.png', code: 'NOT_FOUND', message: 'Error: not found: shto.png' },
          { index: 1, name: 'shto.png', code: 'EMPTY', message: 'Error: empty' },
        ],
      };
    }
    const seen: FoveaEvent[] = [];
    for await (const event of addFileHints(events(), { workspace: createFolder(), texts: cliTexts('en') }))
      seen.push(event);
    expect(seen).toMatchObject([
      { items: [{ message: 'Error: not found: shto.png. Did you mean shot.png?' }, { message: 'Error: empty' }] },
    ]);
  });
});
