import { formatDataUri } from '../base/data-uri.ts';
import type { Digest } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/parse-json.ts';
import type { ToolOutcome } from './tool.ts';

/**
 * The result as a caller outside of the agent gets it (the library, an older executor, a contract
 * suite): of a picture it has `data_uri` beside the fields of the stored result, of anything else
 * it is the stored result. Where only a region is shown, `data_uri` is the original and `region`
 * names the part. The agent never builds this string: it takes the bytes from the store.
 *
 * Throws what `readBlob` throws: `BLOB_MISSING`, `BLOB_DAMAGED`, `STORE_UNAVAILABLE`.
 * Source: first origin document, section 5.1; requirement R013.
 */
export async function toRawResult(
  outcome: ToolOutcome,
  readBlob: (digest: Digest) => Promise<Uint8Array>,
): Promise<string> {
  const [picture] = outcome.attachments;
  const parsed = parseJson(outcome.content);
  if (picture === undefined || !parsed.ok || !isRecord(parsed.value)) return outcome.content;
  const dataUri = formatDataUri({ mediaType: picture.mime, bytes: await readBlob(picture.digest) });
  // Behind the fields of the contract, before those that later versions added.
  const fields = Object.entries(parsed.value).flatMap(([key, value]) => {
    return key === 'size_bytes' ? [[key, value] as const, ['data_uri', dataUri] as const] : [[key, value] as const];
  });
  return JSON.stringify(Object.fromEntries(fields));
}
