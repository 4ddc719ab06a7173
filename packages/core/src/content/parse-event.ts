import Type, { type TProperties } from 'typebox';
import { Compile } from 'typebox/compile';
import { type ErrorCode, errorCodes } from '../base/error-codes.ts';
import type { Digest } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { FoveaEvent } from './events.ts';
import { FileDiff, ToolAttachment } from './messages.ts';
import { PictureRegion } from './picture-region.ts';

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String();
const Code = Type.Unsafe<ErrorCode>(Type.Enum(Object.keys(errorCodes)));
const DigestText = Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }));

const RefusedItem = Type.Object({
  index: Count,
  name: Text,
  code: Code,
  message: Text,
  actual: Type.Optional(Type.Number()),
  limit: Type.Optional(Type.Number()),
  trueType: Type.Optional(Text),
  truncated: Type.Optional(Type.Boolean()),
});

const ImageChange = Type.Object({
  digest: DigestText,
  name: Text,
  originalWidthPx: Count,
  originalHeightPx: Count,
  mediaType: Text,
  widthPx: Count,
  heightPx: Count,
  region: Type.Optional(PictureRegion),
  sizeBytes: Count,
  estimatedTokens: Type.Number(),
  change: Type.Array(Text),
});

const QueuedItem = Type.Object({ id: Text, state: Text, intent: Text, submissionId: Text, turnId: Text });

/** What each event has besides its type. Lenient: fields may be added, and words of a list too. */
const members: { readonly [Name in FoveaEvent['type']]: TProperties } = {
  'turn-accepted': { sessionId: Text, turnId: Text, submissionId: Text },
  'turn-refused': { items: Type.Array(RefusedItem) },
  'step-start': { step: Count, model: Text },
  request: {
    request: Count,
    turnId: Text,
    step: Count,
    channel: Text,
    model: Text,
    wireApi: Text,
    bodyBytes: Count,
    bodyLimit: Type.Optional(Count),
    imagesTotal: Count,
    imagesChanged: Type.Array(ImageChange),
  },
  'request-end': { request: Count, accepted: Type.Boolean(), code: Type.Optional(Code) },
  'text-delta': { text: Text },
  'thinking-delta': { text: Text },
  'tool-call': {
    toolCallId: Text,
    name: Text,
    arguments: Text,
    activity: Type.Optional(Type.Object({ kind: Text, target: Text })),
  },
  'approval-request': {
    toolCallId: Text,
    name: Text,
    arguments: Text,
    demand: Text,
    target: Text,
    isAfterForeignPicture: Type.Boolean(),
  },
  'approval-result': { toolCallId: Text, decision: Text, by: Text },
  'tool-result': {
    toolCallId: Text,
    isError: Type.Boolean(),
    result: Text,
    preview: Type.Optional(
      Type.Object({
        media_type: Type.Literal('image'),
        mime: Text,
        digest: DigestText,
        width: Count,
        height: Count,
        url: Type.Optional(Text),
      }),
    ),
    attachments: Type.Array(ToolAttachment),
    diff: Type.Optional(FileDiff),
  },
  'image-notice': {
    digest: Type.Optional(DigestText),
    name: Text,
    toolCallId: Type.Optional(Text),
    kind: Text,
    code: Type.Optional(Code),
    message: Text,
    channel: Type.Optional(Text),
    model: Type.Optional(Text),
  },
  'reference-notice': { path: Text, code: Code, message: Text },
  retry: { step: Count, attempt: Count, delayMs: Type.Number({ minimum: 0 }), code: Code },
  usage: {
    step: Count,
    model: Text,
    inputTokens: Count,
    cachedTokens: Count,
    outputTokens: Count,
    cost: Type.Optional(Type.Object({ amount: Type.Number(), currency: Text })),
  },
  'step-snapshot': { step: Count, text: Text, thinking: Text },
  queue: {
    items: Type.Array(QueuedItem),
    held: Type.Optional(Type.Object({ because: Text, count: Count })),
  },
  'step-end': { step: Count },
  'turn-end': { status: Text, error: Type.Optional(Type.Object({ code: Code, message: Text })) },
};

const validator = Compile(
  Type.Unsafe<FoveaEvent>(
    Type.Union(Object.entries(members).map(([type, rest]) => Type.Object({ type: Type.Literal(type), ...rest }))),
  ),
);

/** A stored event as every other part of the program knows it. */
export function parseEvent(value: unknown): Result<FoveaEvent, 'RECORD_INVALID'> {
  return validator.Check(value) ? ok(value) : fail('RECORD_INVALID');
}
