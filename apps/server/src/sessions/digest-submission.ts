import { createHash } from 'node:crypto';
import type { Digest } from '@fovea/core/base';
import type { TurnAttachment, TurnInput } from '../fovea.ts';

/**
 * Names what was submitted, as it was submitted: the same under one submission id is the same
 * submission, also when a file that it names has changed or is gone.
 */
export function digestSubmission(input: TurnInput): Digest {
  const { text, referencesIn = text, attachments, model = null, intent = 'follow-up', edits = null } = input;
  const given = [text, referencesIn, attachments.map(toTuple), model, intent, edits];
  return `sha256:${createHash('sha256').update(JSON.stringify(given)).digest('hex')}`;
}

/** Members in one order, however the caller wrote them. */
function toTuple(attachment: TurnAttachment): readonly string[] {
  if (typeof attachment === 'string') return ['path', attachment];
  return 'url' in attachment ? ['url', attachment.url] : ['file', attachment.file.channel, attachment.file.id];
}
