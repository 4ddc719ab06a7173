import type { Confidence } from '../catalog/limit-row.ts';

/** The classes of `docs/rules/providers-classify-error.md`. */
export type PictureErrorKind = 'blind-endpoint' | 'bad-picture' | 'too-much' | 'wrong-place' | 'unrelated';

/** A figure that the words of an error state: the first group of `words`, or a fixed value. */
export type StatedLimit = 'maxImages' | 'maxSidePx' | 'maxBytes' | 'maxPatches';

/** How one kind of refusal is recognised. Every condition that is given must hold. */
export interface PictureErrorPattern {
  readonly kind: PictureErrorKind;
  /** Where it was seen, for readers. */
  readonly supplier: string;
  readonly status?: number;
  /** Of the machine code, or the type where there is no code. */
  readonly code?: RegExp;
  readonly param?: RegExp;
  /** Of the endpoint's own words. Its first group is the figure that `limit` names. */
  readonly words?: RegExp;
  readonly limit?: StatedLimit;
  /** The bytes are good, but what the endpoint held of them is gone. */
  readonly isExpired?: true;
  /** About calls and their answers: it holds of requests without pictures, too. */
  readonly isAboutPairs?: true;
  readonly confidence: Confidence;
}

const FORMATS = `(?:type|format|url|uri|mime|file|detail|size|input format)`;
/** What may not follow `does not support image`: then it is one kind of picture, or another use of pictures. */
const NARROWER = String.raw`(?!s?[/ ](?:jpe?g|png|gif|webp|heic|heif|avif|svg|bmp|tiff?|${FORMATS}s?\b))(?!s? (?:generation|editing|edits?|outputs?|larger|bigger|over|above|of |with |in (?:tool|system|assistant)|as tool))`;

/**
 * The words by which endpoints say that a picture is at fault, most particular first; the first row
 * that matches decides. Never a model's name, a timeout or a bare 5xx.
 *
 * Source: wire-facts section 12, which names the reports that each row was seen in.
 */
export const pictureErrorPatterns: readonly PictureErrorPattern[] = [
  // Guards: these mention pictures or formats and mean something else.
  {
    kind: 'unrelated',
    supplier: 'any: the context is too long',
    words: /context[ _-]?(?:length|window|size)|prompt is too long|too many (?:input )?tokens|maximum context/i,
    confidence: 'M',
  },
  { kind: 'unrelated', supplier: 'any', code: /context_length_exceeded|model_not_found/, confidence: 'H' },

  // Wrong place: a role or an order that the endpoint does not take.
  {
    kind: 'wrong-place',
    supplier: 'Anthropic',
    words: /all content must be type "?text"? if "?is_error"? is true/i,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Anthropic',
    words: /`?tool_use`? ids were found without `?tool_result`? blocks/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Anthropic',
    words: /unexpected `?tool_use_id`? found in `?tool_result`? blocks/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'OpenAI Chat',
    words: /image urls are only allowed for messages with role/i,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'DeepSeek, copies that people run themselves',
    words: /images are supported in user messages only/i,
    confidence: 'M',
  },
  { kind: 'wrong-place', supplier: 'one such copy', words: /^\s*invalid json request\.?\s*$/i, confidence: 'L' },
  {
    kind: 'wrong-place',
    supplier: 'Chat',
    words: /must be followed by tool messages responding to each 'tool_call_id'/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Chat',
    words: /must be a response to a prece+d?ing message with 'tool_calls'|must be a response to a preceeding message/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Responses',
    words: /no tool output found for (?:function|tool) call/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Responses',
    words: /no tool call found for function call output/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    // Reports: avante-corp/avante.nvim 2695, zed-industries/zed 37021.
    supplier: 'Mistral',
    words: /unexpected role '?\w+'? after role '?tool'?/i,
    isAboutPairs: true,
    confidence: 'H',
  },
  {
    kind: 'wrong-place',
    supplier: 'Google, OpenAI-compatible',
    words: /requests ending with a model turn are not supported/i,
    isAboutPairs: true,
    confidence: 'M',
  },

  // Too much in sum.
  {
    kind: 'too-much',
    supplier: 'an OpenAI route at peak times',
    words: /exceeds the maximum usage size allowed during peak load/i,
    confidence: 'M',
  },
  {
    kind: 'too-much',
    supplier: 'Anthropic',
    words: /max allowed size for many-image requests: (\d+) pixels/i,
    limit: 'maxSidePx',
    confidence: 'H',
  },
  { kind: 'blind-endpoint', supplier: 'vLLM', words: /at most 0 images?(?:\(s\))?(?: |$)/i, confidence: 'M' },
  {
    kind: 'too-much',
    supplier: 'vLLM',
    words: /at most (\d+) images?(?:\(s\))? may be provided in one (?:prompt|request)/i,
    limit: 'maxImages',
    confidence: 'M',
  },
  {
    kind: 'too-much',
    supplier: 'any',
    words: /too many images\b(?:.{0,80}?(?:limit of|at most|maximum(?: of)?|max) (\d+))?/i,
    limit: 'maxImages',
    confidence: 'L',
  },
  { kind: 'too-much', supplier: 'Anthropic', code: /^request_too_large$/, confidence: 'H' },

  // One picture is bad: by machine code.
  {
    kind: 'bad-picture',
    supplier: 'Anthropic',
    code: /^image_dimensions_too_large$/,
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'Anthropic Files, OpenAI Files',
    code: /^(?:file_expired|image_file_not_found)$/,
    isExpired: true,
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'OpenAI Responses',
    code: /^(?:invalid_image(?:_format|_url|_mode)?|invalid_base64_image|image_too_(?:large|small)|image_parse_error|image_content_policy_violation|image_file_too_large|unsupported_image_media_type|empty_image_file|failed_to_download_image)$/,
    confidence: 'H',
  },
  { kind: 'bad-picture', supplier: 'OpenAI Chat', code: /^sanitizer_server_error$/, confidence: 'H' },
  { kind: 'bad-picture', supplier: 'Ark', code: /^InvalidParameter.*Image/, confidence: 'M' },
  {
    kind: 'bad-picture',
    supplier: 'Ark',
    code: /^InvalidParameter/,
    param: /^image_url/,
    confidence: 'M',
  },

  // One picture is bad: by words.
  {
    kind: 'bad-picture',
    supplier: 'OpenAI Chat',
    words: /you uploaded an unsupported image|invalid mime type\. only image types are supported/i,
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'OpenAI Responses, Azure',
    words:
      /expected a base64-encoded data url with an image mime type|invalid base64-encoded value|empty base64-encoded bytes|unsupported mime type/i,
    confidence: 'H',
  },
  { kind: 'bad-picture', supplier: 'Azure', words: /invalid image url: '/i, confidence: 'M' },
  {
    kind: 'bad-picture',
    supplier: 'an OpenAI route',
    words: /requires \d+ patches after processing, exceeding the limit of (\d+)/i,
    limit: 'maxPatches',
    confidence: 'M',
  },
  {
    kind: 'bad-picture',
    supplier: 'Anthropic',
    words: /image dimensions exceed max allowed size: (\d+) pixels/i,
    limit: 'maxSidePx',
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'Anthropic',
    words: /image exceeds [\d.]+ ?MB maximum(?:: \d+ bytes > (\d+) bytes)?/i,
    limit: 'maxBytes',
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'Anthropic',
    words: /does not match the provided media type|specified using the image\/\w+ media type, but the image appears/i,
    confidence: 'H',
  },
  {
    kind: 'bad-picture',
    supplier: 'Anthropic',
    words: /media_type: input should be 'image\/jpeg'/i,
    confidence: 'H',
  },
  { kind: 'bad-picture', supplier: 'Anthropic', words: /image\.source\.base64: invalid base64/i, confidence: 'L' },
  { kind: 'bad-picture', supplier: 'Anthropic, Bedrock', words: /could not process image/i, confidence: 'H' },
  {
    kind: 'bad-picture',
    supplier: 'DashScope',
    words: /image length and width do not meet the model restrictions/i,
    confidence: 'M',
  },
  {
    kind: 'bad-picture',
    supplier: 'Ollama',
    words: /invalid image input|image urls are not currently supported|only base64 images are supported/i,
    confidence: 'H',
  },
  { kind: 'bad-picture', supplier: 'Gemini', words: /unable to process input image/i, confidence: 'M' },

  // The endpoint or its model takes no pictures.
  {
    kind: 'blind-endpoint',
    supplier: 'OpenAI',
    words: /image_url is only supported by certain models|^\s*invalid content type\.?\s*$/i,
    confidence: 'H',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'DeepSeek, gateways to text models',
    words: /unknown variant ['"`]?(?:image_url|input_image|image)['"`]?, expected (?:one of )?['"`]?(?:input_)?text/i,
    confidence: 'H',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'DeepSeek, gateways to text models',
    // Tools and formats of answers are parsed by the same parser.
    words:
      /^(?!.*\b(?:tools|tool_choice|response_format|stop)\b).*(?:did not match any variant of untagged enum|invalid type: sequence, expected a string)/is,
    confidence: 'H',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'OpenRouter',
    words: /no endpoints found that support image input/i,
    confidence: 'H',
  },
  { kind: 'blind-endpoint', supplier: 'llama.cpp', words: /image input is not supported/i, confidence: 'M' },
  { kind: 'blind-endpoint', supplier: 'vLLM', words: /is not a multimodal model/i, confidence: 'M' },
  {
    kind: 'blind-endpoint',
    supplier: 'Zhipu',
    words: /messages\.content\.type.*取值范围\s*\[\s*'text'\s*\]/is,
    confidence: 'M',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'Ollama, LM Studio, any',
    words: new RegExp(`do(?:es)? not support (?:the )?(?:image|vision|multi-?modal)${NARROWER}`, 'i'),
    confidence: 'M',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'any',
    words: /input_image\b.{0,60}\bnot (?:supported|allowed)|\bnot (?:support|allow)\b.{0,30}\binput_image\b/is,
    confidence: 'M',
  },
  {
    kind: 'blind-endpoint',
    supplier: 'any',
    // Not inside a name, which stands in quotes or behind hyphens and slashes.
    words: /(?<![\w/'"`.:-])text-only(?![\w/'"`:-])|allowed values: \['text'\]/i,
    confidence: 'L',
  },

  // Last: the size of the body is all that such an answer tells.
  { kind: 'too-much', supplier: 'Anthropic, and proxies before any endpoint', status: 413, confidence: 'H' },
];

/** Seen both of models without eyes and of pictures that a seeing model cannot read. */
export const corruptedMediaWords = /multimodal data is corrupted/i;
