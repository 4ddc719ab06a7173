import { describe, expect, it } from 'vitest';
import type { FileReference } from '../content/file-reference.ts';
import { makeUserMessage } from '../testing/make-transcript.ts';
import { createPromptHead } from './create-prompt-head.ts';
import { findNewInstructions } from './find-new-instructions.ts';

const facts = { workspaceName: 'photos', platform: 'linux', date: '2026-11-30', imageInput: 'yes', tools: [] } as const;

function sessionWith(instructions: string | undefined, modelLocale: 'en' | 'zh-CN' = 'en') {
  const promptHead = createPromptHead({
    ...facts,
    locale: modelLocale,
    ...(instructions !== undefined && { instructions }),
  });
  return { promptHead, modelLocale };
}

function told(text: string): FileReference {
  return { kind: 'instructions', path: 'AGENTS.md', text, isCut: false };
}

describe('findNewInstructions', () => {
  it('finds nothing where the head says the same, in both languages, also where there are none', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      for (const text of [undefined, 'Be brief.\n', '图'.repeat(20_000)]) {
        expect(findNewInstructions(text, { session: sessionWith(text, locale), transcript: [] })).toBeUndefined();
      }
    }
  });

  it('finds changed, new and removed instructions', () => {
    const session = sessionWith('Be brief.');
    expect(findNewInstructions('Be brief', { session, transcript: [] })).toEqual(told('Be brief'));
    expect(findNewInstructions(undefined, { session, transcript: [] })).toEqual(told(''));
    expect(findNewInstructions('New.', { session: sessionWith(undefined), transcript: [] })).toEqual(told('New.'));
  });

  it('compares with what was told last, not with the head', () => {
    const session = sessionWith('one');
    const folder: FileReference = { kind: 'folder', path: 'src', names: [], entryCount: 0 };
    const transcript = [
      { ...makeUserMessage('u1', 'hi'), references: [told('two')] },
      {
        ...makeUserMessage('u2', 'hi'),
        references: [folder],
      },
    ];
    expect(findNewInstructions('two', { session, transcript })).toBeUndefined();
    expect(findNewInstructions('one', { session, transcript })).toEqual(told('one'));
  });

  it('cuts what is too long as the head does, and says so', () => {
    const found = findNewInstructions('x'.repeat(40_000), { session: sessionWith('one'), transcript: [] });
    expect(found).toMatchObject({ kind: 'instructions', isCut: true, text: 'x'.repeat(32 * 1024) });
  });
});
