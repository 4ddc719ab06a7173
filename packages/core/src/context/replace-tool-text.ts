import { isRecord, parseJson } from '../base/parse-json.ts';

/**
 * The text of a tool message whose pictures are not shown: the sentences that stand for them.
 *
 * A stored result that says nothing but "this picture was read" (its JSON has `media_type: "image"`)
 * is replaced, because the claim would be false; any other text of the tool is kept before them.
 */
export function replaceToolText(text: string, sentences: readonly string[]): string {
  const words = sentences.join('\n');
  return isImageResult(text) ? words : `${text}\n${words}`;
}

function isImageResult(text: string): boolean {
  if (!text.startsWith('{')) return false;
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) && parsed.value['media_type'] === 'image';
}
