import Type from 'typebox';
import { argumentActivity } from './argument-activity.ts';
import { editTexts } from './edit-texts.ts';
import { findNearMiss, findOccurrences, lineAt, type TextPlace } from './find-text.ts';
import { type OpenTarget, openTarget } from './replace-file.ts';
import { findBadCharacter, parseTextFile, type TextFile, withLineEnd } from './text-file.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';
import { changeFile, MOST_WRITTEN_BYTES } from './write-file.ts';
import { isGranted, judgeWrite, resolveWriteTarget, type WriteTarget } from './write-target.ts';
import { writeFaultOutcome, writeTexts } from './write-texts.ts';

const name = 'edit_file';

/** Places that an error lists. */
const MOST_LISTED = 5;

const Arguments = defineArguments(
  Type.Object(
    {
      path: Type.String({ minLength: 1 }),
      old_text: Type.String({ minLength: 1 }),
      new_text: Type.String(),
      replace_all: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
);

/**
 * `edit_file`: one text of a file for another. The old text has to occur exactly once, unless all
 * its places are meant: which of several was meant is not guessed. Everything else of the file
 * stays, byte for byte.
 */
export function createEditFileTool(): Tool {
  return {
    name,
    effect: 'write',
    definition: (locale) => {
      const words = editTexts[locale].editFile;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('EDIT', 'path'),
    demand: async (toolArguments, { access }) => {
      const parsed = Arguments.parse(toolArguments, name, 'en');
      return parsed.ok ? judgeWrite(parsed.value.path, access) : { kind: 'read' };
    },
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, old_text: oldText, new_text: newText, replace_all: isAll = false } = parsed.value;
      const bad = findBadCharacter(newText);
      if (bad !== undefined) return failedOutcome(writeTexts[context.locale].badCharacter(bad.kind, bad.position));
      const target = await resolveWriteTarget(path, context.access);
      if (!target.ok) return writeFaultOutcome(target.error, path, context.locale);
      if (!isGranted(target.value, context.granted)) {
        return writeFaultOutcome({ kind: 'not-granted' }, path, context.locale);
      }
      const opened = await openTarget(target.value, { maxBytes: MOST_WRITTEN_BYTES });
      if (!opened.ok) return writeFaultOutcome(opened.error, path, context.locale);
      try {
        return await editOpened({ opened: opened.value, target: target.value }, { oldText, newText, isAll }, context);
      } finally {
        await opened.value.close();
      }
    },
  };
}

interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly isAll: boolean;
}

async function editOpened(
  { opened, target }: { readonly opened: OpenTarget; readonly target: WriteTarget },
  edit: Edit,
  context: ToolContext,
): Promise<ToolOutcome> {
  const texts = editTexts[context.locale];
  const { path } = target;
  if (opened.before === undefined) return failedOutcome(texts.noFile(path));
  const parsed = await parseTextFile(opened.before, path);
  if (!parsed.ok) return refusedOutcome(parsed.error, context.locale);
  const file = parsed.value;
  const occurrences = findOccurrences(file.text, edit.oldText);
  const { count, isUnique } = occurrences;
  if (count === 0) return failedOutcome(texts.notFound(path, findNearMiss(file.text, edit.oldText)));
  if (!edit.isAll && !isUnique) {
    const lines: number[] = [];
    for (const { start } of occurrences.places()) if (lines.push(lineAt(file.text, start)) === MOST_LISTED) break;
    return failedOutcome(texts.severalPlaces(path, Math.max(count, 2), lines));
  }
  const growth = count * (edit.newText.length - edit.oldText.length);
  if (file.text.length + growth > MOST_WRITTEN_BYTES) {
    return failedOutcome(writeTexts[context.locale].contentTooLarge(file.text.length + growth, MOST_WRITTEN_BYTES));
  }
  const text = replacePlaces(file, occurrences.places(), edit.newText);
  return changeFile({ opened, target, file, text, replacements: count }, context);
}

/** Pieces that are joined at once: millions of them would take many times the text. */
const MOST_PIECES = 10_000;

function replacePlaces(file: TextFile, places: Iterable<TextPlace>, newText: string): string {
  const joined: string[] = [];
  let pieces: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    pieces.push(file.text.slice(from, start), withLineEnd(newText, lineEndFor(file, file.text.slice(start, end))));
    from = end;
    if (pieces.length < MOST_PIECES) continue;
    joined.push(pieces.join(''));
    pieces = [];
  }
  return [...joined, ...pieces, file.text.slice(from)].join('');
}

/** Where a file has both line ends, those of the text that is replaced. */
function lineEndFor(file: TextFile, replaced: string): TextFile['lineEnd'] {
  if (file.lineEnd !== 'mixed') return file.lineEnd;
  if (replaced.includes('\r\n')) return 'CRLF';
  return replaced.includes('\n') ? 'LF' : 'mixed';
}
