import { assertNever } from '../base/assert-never.ts';
import type { Locale } from '../base/locale.ts';
import { singleLine } from '../base/single-line.ts';
import type { FileReference } from '../content/file-reference.ts';
import { contextTexts } from './texts.ts';

/**
 * What an `@path` of the user named, as a marked block: a line that says what it is, then the text
 * between fences that are longer than any in it, so that nothing in a file can end its block.
 */
export function renderReference(reference: FileReference, locale: Locale): string {
  const texts = contextTexts[locale];
  switch (reference.kind) {
    case 'text':
      return `${texts.referencedText(reference)}\n${fence(reference.text)}`;
    case 'folder': {
      const { path, entryCount, names } = reference;
      const heading = texts.referencedFolder({ path, entryCount, shownCount: names.length });
      return names.length === 0 ? heading : `${heading}\n${fence(names.map(singleLine).join('\n'))}`;
    }
    case 'instructions':
      return reference.text === ''
        ? texts.instructionsGone
        : `${texts.instructionsChanged(reference)}\n${fence(reference.text)}`;
    default:
      return assertNever(reference);
  }
}

const SHORTEST_FENCE = 3;

function fence(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const marks = '`'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${marks}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}
