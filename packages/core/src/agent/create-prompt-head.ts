import type { Locale } from '../base/locale.ts';
import { KIB } from '../base/units.ts';
import type { PromptHead } from '../content/session.ts';
import type { ToolDefinition } from '../content/tool-definition.ts';
import { type SystemPromptFacts, systemPrompts } from './system-prompts.ts';

/** Bytes of `AGENTS.md` that a model is shown. */
export const INSTRUCTIONS_LIMIT_BYTES = 32 * KIB;

export interface PromptHeadFacts extends SystemPromptFacts {
  /** The session's `modelLocale`. */
  readonly locale: Locale;
  /** In the order in which every request of the session lists them. */
  readonly tools: readonly ToolDefinition[];
  /** The text of the workspace's `AGENTS.md`; cut at {@link INSTRUCTIONS_LIMIT_BYTES}. */
  readonly instructions?: string;
  /** The user's own addition, from the configuration or the session. */
  readonly systemPrompt?: string | null;
}

/**
 * What never changes in a session's requests, made once when the session is created. Pure: every
 * fact is an argument, so that the same facts give the same prefix.
 */
export function createPromptHead(facts: PromptHeadFacts): PromptHead {
  const texts = systemPrompts[facts.locale];
  const blocks = [texts.system(facts)];
  const instructions = cutInstructions(facts.instructions);
  if (instructions.text !== '') blocks.push(texts.instructions(instructions.text, instructions.isCut));
  const addition = facts.systemPrompt?.trim() ?? '';
  if (addition !== '') blocks.push(addition);
  return { systemPrompt: blocks.join('\n\n'), tools: facts.tools };
}

/** The workspace's instructions as far as they are shown; no text where there are none. */
export function cutInstructions(instructions: string | undefined): { readonly text: string; readonly isCut: boolean } {
  return cutToBytes(instructions?.trim() ?? '', INSTRUCTIONS_LIMIT_BYTES);
}

/** The longest beginning of `text` that has at most `limitBytes` in UTF-8 and ends with a whole character. */
function cutToBytes(text: string, limitBytes: number): { readonly text: string; readonly isCut: boolean } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limitBytes) return { text, isCut: false };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes));
  return { text: text.slice(0, read), isCut: true };
}
