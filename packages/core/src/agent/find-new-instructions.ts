import type { FileReference } from '../content/file-reference.ts';
import type { Transcript } from '../content/messages.ts';
import type { Session } from '../content/session.ts';
import { cutInstructions } from './create-prompt-head.ts';
import { systemPrompts } from './system-prompts.ts';

/**
 * The workspace's instructions as a user's message has to tell them: where they are no longer what
 * the prompt head, or the last message that told them, said; `undefined` where nothing changed. The
 * head itself is never rewritten, so that the prefix of the session's requests stays as it is.
 *
 * @param current the text of `AGENTS.md` now; `undefined` when there is none.
 */
export function findNewInstructions(
  current: string | undefined,
  {
    session,
    transcript,
  }: { readonly session: Pick<Session, 'promptHead' | 'modelLocale'>; readonly transcript: Transcript },
): FileReference | undefined {
  const instructions = cutInstructions(current);
  const told = transcript
    .flatMap((message) => (message.role === 'user' ? (message.references ?? []) : []))
    .findLast((reference) => reference.kind === 'instructions');
  const isSame = told === undefined ? isInHead(instructions, session) : told.text === instructions.text;
  return isSame ? undefined : { kind: 'instructions', path: 'AGENTS.md', ...instructions };
}

function isInHead(
  { text, isCut }: { readonly text: string; readonly isCut: boolean },
  { promptHead, modelLocale }: Pick<Session, 'promptHead' | 'modelLocale'>,
): boolean {
  const texts = systemPrompts[modelLocale];
  if (text !== '') return promptHead.systemPrompt.includes(texts.instructions(text, isCut));
  // Nothing now: was there anything? Its first line stands in no other part of a head.
  const [heading = ''] = texts.instructions('', false).split('\n');
  return !promptHead.systemPrompt.includes(heading);
}
