import { describe, expect, it } from 'vitest';
import { createPromptHead, type PromptHeadFacts } from './create-prompt-head.ts';

const facts: PromptHeadFacts = {
  workspaceName: 'photos',
  platform: 'linux',
  date: '2026-11-30',
  imageInput: 'yes',
  locale: 'en',
  tools: [{ name: 'view_image', description: 'Looks.', parameters: { type: 'object' } }],
};

describe('createPromptHead', () => {
  it('states the facts of the session in both languages, and the tools in their order', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      const { systemPrompt, tools } = createPromptHead({ ...facts, locale });
      expect(systemPrompt).toContain('photos');
      expect(systemPrompt).toContain('linux');
      expect(systemPrompt).toContain('2026-11-30');
      expect(systemPrompt).toContain('attachment:');
      expect(systemPrompt).toContain('Attached media from tool result:');
      expect(tools).toBe(facts.tools);
    }
  });

  it('says how files are changed, that commands may be asked, and where references stand', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      const { systemPrompt } = createPromptHead({ ...facts, locale });
      for (const name of ['edit_file', 'write_file', 'run_command', 'fovea undo', '@'])
        expect(systemPrompt).toContain(name);
    }
  });

  it('says what is known of the eyes of the model', () => {
    const heads = (['yes', 'no', 'unknown'] as const).map(
      (imageInput) => createPromptHead({ ...facts, imageInput }).systemPrompt,
    );
    expect(new Set(heads).size).toBe(3);
    expect(heads[1]).toContain('takes no pictures');
  });

  it('gives the same head for the same facts', () => {
    expect(createPromptHead({ ...facts })).toEqual(createPromptHead({ ...facts }));
  });

  it('stays far below 1,500 tokens in both languages', () => {
    // An English token has over three characters of such prose, a Chinese character at most 1.4 tokens (measured: 0.65).
    expect(createPromptHead(facts).systemPrompt.length).toBeLessThan(1500 * 3);
    expect(createPromptHead({ ...facts, locale: 'zh-CN' }).systemPrompt.length).toBeLessThan(1500 / 1.4);
  });

  it('adds the instructions of the workspace and then the text of the user', () => {
    const { systemPrompt } = createPromptHead({
      ...facts,
      instructions: 'Use metric units.\n',
      systemPrompt: 'Be brief.',
    });
    expect(systemPrompt).toContain('<workspace-instructions>\nUse metric units.\n</workspace-instructions>');
    expect(systemPrompt.endsWith('\n\nBe brief.')).toBe(true);
  });

  it('adds nothing for empty instructions', () => {
    const plain = createPromptHead(facts);
    expect(createPromptHead({ ...facts, instructions: ' \n', systemPrompt: null })).toEqual(plain);
  });

  it('cuts long instructions at a whole character and says so', () => {
    const { systemPrompt } = createPromptHead({ ...facts, instructions: `x${'图'.repeat(20_000)}` });
    const shown = /<workspace-instructions>\n(.*)\n<\/workspace-instructions>/.exec(systemPrompt)?.[1] ?? '';
    expect(Buffer.byteLength(shown)).toBeGreaterThan(32 * 1024 - 4);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(32 * 1024);
    expect(shown).toMatch(/^x图+$/);
    expect(systemPrompt).toContain('only its first 32 KiB are shown');
  });
});
