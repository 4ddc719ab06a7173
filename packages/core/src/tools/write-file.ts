import Type from 'typebox';
import { MIB } from '../base/units.ts';
import { claimsImage } from '../media/formats.ts';
import { argumentActivity } from './argument-activity.ts';
import { countLines, makeFileDiff } from './file-diff.ts';
import { type OpenTarget, openTarget } from './replace-file.ts';
import { encodeText, findBadCharacter, parseTextFile, type TextFile, withLineEnd } from './text-file.ts';
import type { Tool, ToolContext, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, refusedOutcome } from './tool-outcome.ts';
import { isGranted, judgeWrite, resolveWriteTarget, type WriteTarget } from './write-target.ts';
import { writeFaultOutcome, writeTexts } from './write-texts.ts';

const name = 'write_file';

/** As much as `read_file` reads again. */
export const MOST_WRITTEN_BYTES = 10 * MIB;

const Arguments = defineArguments(
  Type.Object({ path: Type.String({ minLength: 1 }), content: Type.String() }, { additionalProperties: false }),
);

/**
 * `write_file`: a whole text file, new or in the place of another text. Line ends, byte order mark,
 * mode and owner of the other stay. What is no text is not written over: there is no text that
 * could take its place.
 */
export function createWriteFileTool(): Tool {
  return {
    name,
    effect: 'write',
    definition: (locale) => {
      const words = writeTexts[locale].writeFile;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('WRITE', 'path'),
    demand: async (toolArguments, { access }) => {
      const parsed = Arguments.parse(toolArguments, name, 'en');
      return parsed.ok ? judgeWrite(parsed.value.path, access) : { kind: 'read' };
    },
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, content } = parsed.value;
      const problem = findContentProblem(path, content, context);
      if (problem !== undefined) return failedOutcome(problem);
      const target = await resolveWriteTarget(path, context.access);
      if (!target.ok) return writeFaultOutcome(target.error, path, context.locale);
      if (!isGranted(target.value, context.granted)) {
        return writeFaultOutcome({ kind: 'not-granted' }, path, context.locale);
      }
      const opened = await openTarget(target.value, { maxBytes: MOST_WRITTEN_BYTES });
      if (!opened.ok) return writeFaultOutcome(opened.error, path, context.locale);
      try {
        return await writeOpened(opened.value, { target: target.value, content }, context);
      } finally {
        await opened.value.close();
      }
    },
  };
}

function findContentProblem(path: string, content: string, { locale }: ToolContext): string | undefined {
  const texts = writeTexts[locale];
  if (/[\\/]$/.test(path)) return texts.notAFileName(path);
  if (claimsImage(path)) return texts.pictureName(path);
  const bad = findBadCharacter(content);
  if (bad !== undefined) return texts.badCharacter(bad.kind, bad.position);
  const sizeBytes = Buffer.byteLength(content);
  return sizeBytes > MOST_WRITTEN_BYTES ? texts.contentTooLarge(sizeBytes, MOST_WRITTEN_BYTES) : undefined;
}

async function writeOpened(
  opened: OpenTarget,
  { target, content }: { readonly target: WriteTarget; readonly content: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { before } = opened;
  const existing = before === undefined ? undefined : await parseTextFile(before, target.path);
  if (existing?.ok === false) return refusedOutcome(existing.error, context.locale);
  const file = existing?.value;
  // A mark that the content brings is its own, and no second one.
  const own = file?.hasMark === true ? content.replace(/^\ufeff/, '') : content;
  const text = withLineEnd(own, file?.lineEnd);
  return changeFile({ opened, target, file, text }, context);
}

/** One change of a text file, ready to be made. */
export interface PlannedChange {
  readonly opened: OpenTarget;
  readonly target: WriteTarget;
  /** Absent: there is no file yet. */
  readonly file: TextFile | undefined;
  /** The whole new text, with its line ends. */
  readonly text: string;
  /** Places that were changed, where that is what a tool counts. */
  readonly replacements?: number;
}

/** Notes the change in the journal, makes it, and tells of it. Nothing is noted where nothing would change. */
export async function changeFile(change: PlannedChange, context: ToolContext): Promise<ToolOutcome> {
  const { opened, target, file, text, replacements } = change;
  const { before } = opened;
  const { locale, signal, journal } = context;
  const texts = writeTexts[locale];
  const after = encodeText(text, file?.hasMark === true);
  const { path: given, displayPath: path, realPath } = target;
  if (before !== undefined && Buffer.compare(before, after) === 0) {
    return { isError: false, content: JSON.stringify({ content: texts.unchanged(path), path }), attachments: [] };
  }
  if (after.length > MOST_WRITTEN_BYTES) {
    return failedOutcome(texts.contentTooLarge(after.length, MOST_WRITTEN_BYTES));
  }
  const diff = await makeFileDiff({ path, after: text, ...(file && { before: file.text }) });
  signal.throwIfAborted();
  // Before the change: what is not noted cannot be taken back.
  await journal?.record({ path: realPath, displayPath: path, after, ...(before && { before }) });
  signal.throwIfAborted();
  const written = await opened.replace(after);
  if (!written.ok) return writeFaultOutcome(written.error, given, locale);
  const isKept = file?.lineEnd === 'CRLF' || file?.lineEnd === 'LF';
  const content = {
    content: texts.written({
      path,
      isNew: file === undefined,
      lines: countLines(text),
      sizeBytes: after.length,
      addedLines: diff.addedLines,
      removedLines: diff.removedLines,
      ...(replacements !== undefined && { replacements }),
    }),
    path,
    ...(isKept && file.lineEnd === 'CRLF' && { note: texts.lineEndKept }),
  };
  return { isError: false, content: JSON.stringify(content), attachments: [], diff };
}
