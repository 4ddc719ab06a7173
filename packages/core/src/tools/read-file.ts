import Type from 'typebox';
import type { Locale } from '../base/locale.ts';
import { argumentActivity } from './argument-activity.ts';
import { isAttachmentReference } from './attachment-reference.ts';
import { readFileContent } from './read-file-content.ts';
import { DEFAULT_LINES, excerptText, LONGEST_LINE } from './read-text.ts';
import { toolTexts } from './texts.ts';
import type { Tool, ToolOutcome } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, imageOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'read_file';

const Arguments = defineArguments(
  Type.Object(
    {
      path: Type.String({ minLength: 1 }),
      offset: Type.Optional(Type.Integer({ minimum: 1 })),
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
);

/**
 * `read_file`: text by lines, or one picture. What a file is, its content decides; a name that
 * claims a picture with other content is refused (decision X2). For pictures `offset` and `limit`
 * are ignored.
 */
export function createReadFileTool(): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = toolTexts[locale].readFile;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: argumentActivity('READ', 'path'),
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { path, offset = 1, limit = DEFAULT_LINES } = parsed.value;
      if (isAttachmentReference(path)) return failedOutcome(toolTexts[context.locale].referenceIsNoFile(path));
      const read = await readFileContent(path, context);
      if (!read.ok) return refusedOutcome(read.error, context.locale);
      if (read.value.kind === 'picture') return imageOutcome(read.value.admitted, context.locale);
      return excerptOutcome(read.value.text, { offset, limit }, context.locale);
    },
  };
}

function excerptOutcome(
  text: string,
  range: { readonly offset: number; readonly limit: number },
  locale: Locale,
): ToolOutcome {
  const excerpt = excerptText(text, { ...range, cutMark: toolTexts[locale].lineCut(LONGEST_LINE) });
  const content = JSON.stringify({ content: excerpt.content, total_lines: excerpt.totalLines });
  return { isError: false, content, attachments: [] };
}
