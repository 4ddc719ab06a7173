import { admitDataUri } from '../attachments/admit-bytes.ts';
import { attachmentReference } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolContext, ToolOutcome } from '../tools/tool.ts';
import { refusedOutcome } from '../tools/tool-outcome.ts';

/**
 * Takes the picture of a foreign executor, which writes its bytes as `data_uri` into its JSON
 * result: verified and stored like any picture, and from then on an attachment of the result,
 * whose fields say what the bytes are. A picture that is refused makes the result that refusal: the
 * executor's words would claim a picture that nobody sees.
 *
 * Results without such a field, failures, and results that have their pictures already are
 * returned as they are. Throws `STORE_UNAVAILABLE`. Source: requirement R013.
 */
export async function admitPayload(outcome: ToolOutcome, toolName: string, context: ToolContext): Promise<ToolOutcome> {
  if (outcome.isError || outcome.attachments.length > 0) return outcome;
  const result = parseResult(outcome.content);
  const dataUri = result?.['data_uri'];
  if (result === undefined || typeof dataUri !== 'string') return outcome;
  const name = typeof result['path'] === 'string' && result['path'] !== '' ? result['path'] : toolName;
  const { blobs, signal, limits, locale } = context;
  const admitted = await admitDataUri(dataUri, {
    name,
    blobs,
    signal,
    limits: {
      maxBytes: limits.readFileImageBytes,
      maxPixels: limits.imagePixels,
      maxFrames: limits.imageFrames,
    },
  });
  if (!admitted.ok) return refusedOutcome(admitted.error, locale);
  const { digest, mediaType, sizeBytes, widthPx, heightPx } = admitted.value.reference;
  const picture = { mime: mediaType, path: name, width: widthPx, height: heightPx, size_bytes: sizeBytes };
  const { data_uri: _, ...words } = result;
  const content = { ...words, media_type: 'image', ...picture, reference: attachmentReference(digest) };
  return { isError: false, content: JSON.stringify(content), attachments: [{ ...picture, digest }] };
}

function parseResult(content: string): Readonly<Record<string, unknown>> | undefined {
  // Most results have none: a large text is not parsed for it.
  if (!content.startsWith('{') || !content.includes('"data_uri"')) return undefined;
  const parsed = parseJson(content);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}
