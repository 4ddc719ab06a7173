import type { Locale } from '@fovea/core/base';
import type { UndoneTurn } from '@fovea/server';
import { sanitizeForTerminal } from './sanitize.ts';
import { turnTexts } from './turn-texts.ts';

/** What became of each file, a line each. */
export function undoLines(undone: UndoneTurn | undefined, locale: Locale): readonly string[] {
  const texts = turnTexts(locale);
  if (undone === undefined || undone.files.length === 0) return [texts.nothingToUndo];
  return undone.files.map(({ path, outcome, message = '' }) =>
    sanitizeForTerminal(texts.undone[outcome](path, message)),
  );
}
