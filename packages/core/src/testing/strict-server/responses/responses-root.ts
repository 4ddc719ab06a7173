import { sliceArray, sliceObject } from '../slice-json.ts';
import type { WireRoot } from '../wire-root.ts';
import { readResponsesItems, readResponsesPictureSlots } from './read-responses-body.ts';
import { buildResponsesFrames, buildResponsesJson, responsesErrorFrame } from './responses-answer.ts';
import { responsesChecks } from './responses-checks.ts';

/** OpenAI Responses, as in wire-facts section 2. */
export const responsesRoot: WireRoot = {
  path: '/responses',
  historyKey: 'input',
  checks: responsesChecks,
  readMessages: readResponsesItems,
  readPictureSlots: readResponsesPictureSlots,
  // What a thought holds unread is base64 too.
  isPictureSlot: ([list, item, ...rest]) =>
    list === 'input' &&
    typeof item === 'number' &&
    (/^(content|output) \d+ image_url$/.test(rest.join(' ')) || rest.join(' ') === 'encrypted_content'),
  isSpokenBy: ({ responses }) => responses !== undefined,
  sliceHistory(rawText) {
    const members = sliceObject(rawText);
    return [members.get('instructions') ?? '', ...sliceArray(members.get('input') ?? '[]')];
  },
  errorBody: ({ message, type, param, code }) => ({ error: { message, type, param, code } }),
  errorFrame: responsesErrorFrame,
  isStreamed: (body) => body['stream'] === true,
  buildFrames: buildResponsesFrames,
  buildJson: buildResponsesJson,
};
