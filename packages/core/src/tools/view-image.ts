import Type from 'typebox';
import { admitImage } from '../attachments/admit-image.ts';
import { isRecord } from '../base/parse-json.ts';
import { toolTexts } from './texts.ts';
import type { Tool } from './tool.ts';
import { defineArguments } from './tool-arguments.ts';
import { failedOutcome, imageOutcome, refusedOutcome } from './tool-outcome.ts';

const name = 'view_image';

const Arguments = defineArguments(
  Type.Object({ path: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
);

/** `view_image`: one picture of the workspace. Anything else, SVG too, is refused with its true kind. */
export function createViewImageTool(): Tool {
  return {
    name,
    effect: 'read',
    definition: (locale) => {
      const words = toolTexts[locale].viewImage;
      return { name, description: words.description, parameters: Arguments.describe(words) };
    },
    activity: (toolArguments) =>
      isRecord(toolArguments) && typeof toolArguments['path'] === 'string'
        ? { kind: 'READ', target: toolArguments['path'] }
        : undefined,
    run: async (toolArguments, context) => {
      const parsed = Arguments.parse(toolArguments, name, context.locale);
      if (!parsed.ok) return failedOutcome(parsed.error);
      const { access, blobs, signal, limits, locale } = context;
      const admitted = await admitImage({
        path: parsed.value.path,
        access,
        blobs,
        signal,
        limits: { maxBytes: limits.viewImageBytes, maxPixels: limits.imagePixels, maxFrames: limits.imageFrames },
      });
      return admitted.ok ? imageOutcome(admitted.value, locale) : refusedOutcome(admitted.error, locale);
    },
  };
}
