import { type AdmissionLimits, defaultLimits } from '@fovea/core/attachments';
import type { ToolLimits } from '@fovea/core/tools';
import type { Config } from './config/config.ts';
import type { InspectOptions } from './fovea.ts';

/** The limits of decision X1 with what the configuration sets. */
export function mergeLimits(limits: Config['limits']): AdmissionLimits {
  const keys = Object.keys(defaultLimits);
  const own = Object.fromEntries(Object.entries(limits).filter(([key]) => keys.includes(key)));
  return { ...defaultLimits, ...own };
}

export function toToolLimits(limits: AdmissionLimits): ToolLimits {
  const { readFileImageBytes, viewImageBytes, imagePixels, imageFrames, attachmentBytes, attachmentPixels } = limits;
  return { readFileImageBytes, viewImageBytes, imagePixels, imageFrames, attachmentBytes, attachmentPixels };
}

/** What each way in allows of one picture. */
export function imageLimitsFor(
  entry: InspectOptions['as'],
  limits: AdmissionLimits,
): { readonly maxBytes: number; readonly maxPixels: number; readonly maxFrames: number } {
  const { imagePixels, imageFrames } = limits;
  switch (entry) {
    case 'view-image':
      return { maxBytes: limits.viewImageBytes, maxPixels: imagePixels, maxFrames: imageFrames };
    case 'read-file':
      return { maxBytes: limits.readFileImageBytes, maxPixels: imagePixels, maxFrames: imageFrames };
    case 'attachment':
      return { maxBytes: limits.attachmentBytes, maxPixels: limits.attachmentPixels, maxFrames: imageFrames };
  }
}
