import { isRecord } from '../../../base/parse-json.ts';
import type { CheckInput } from '../check.ts';
import type { CheckRefusal } from '../check-failure.ts';
import type { WireMessage } from '../wire-message.ts';
import { allBlocksOf, blocksOf, innerBlocksOf, type PlacedBlock, readList, readString } from './read-messages-body.ts';

/** Pictures stand in user turns alone, and inside of tool results where the endpoint takes them. */
export function checkA3({ body, messages, personality }: CheckInput): CheckRefusal | undefined {
  const inSystem = readList(body['system']).findIndex((block) => !isRecord(block) || block['type'] !== 'text');
  if (inSystem !== -1) return { message: `system.${inSystem}.type: Input should be 'text'` };
  const blocks = allBlocksOf(messages).filter(({ type }) => type === 'image');
  const misplaced = blocks.find(({ role }) => role !== 'user');
  if (misplaced !== undefined) return { message: `${misplaced.at}.type: Input should be 'text'` };
  if (personality.messages?.toolResultImages !== false) return undefined;
  const inResult = blocks.find(({ result }) => result !== undefined);
  return inResult === undefined
    ? undefined
    : { message: `${inResult.at}: Images are supported in user messages only, not in \`tool_result\` blocks` };
}

/** All results of the calls of an assistant turn are in the next turn, which is the user's. */
export function checkA4({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const next = messages[message.index + 1];
    const answered = next?.role === 'user' ? resultIdsOf(blocksOf(next)) : [];
    const missing = message.toolCalls.filter(({ id }) => !answered.includes(id)).map(({ id }) => id);
    if (missing.length > 0) return refusePairs(message, missing);
  }
  return undefined;
}

/** Every result answers a call of the turn before it, once. */
export function checkA5({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const open = new Set(messages[message.index - 1]?.toolCalls.map(({ id }) => id));
    for (const block of blocksOf(message)) {
      const id = readString(block.value['tool_use_id']) ?? '';
      if (block.type !== 'tool_result' || open.delete(id)) continue;
      return {
        message:
          `${block.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      };
    }
  }
  return undefined;
}

/** The results are the head of their turn. */
export function checkA6({ messages }: CheckInput): CheckRefusal | undefined {
  for (const message of messages) {
    const blocks = blocksOf(message);
    const headEnd = blocks.findIndex(({ type }) => type !== 'tool_result');
    const late = headEnd === -1 ? [] : resultIdsOf(blocks.slice(headEnd));
    const calling = messages[message.index - 1];
    if (late.length > 0 && calling !== undefined) return refusePairs(calling, late);
  }
  return undefined;
}

function resultIdsOf(blocks: readonly PlacedBlock[]): readonly string[] {
  return blocks.flatMap(({ type, value }) => (type === 'tool_result' ? [readString(value['tool_use_id']) ?? ''] : []));
}

function refusePairs(message: WireMessage, ids: readonly string[]): CheckRefusal {
  return {
    message:
      `messages.${message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  };
}

/** What failed holds words alone. */
export function checkA7({ messages }: CheckInput): CheckRefusal | undefined {
  const wrong = messages
    .flatMap(blocksOf)
    .find((block) => block.value['is_error'] === true && innerBlocksOf(block).some(({ type }) => type !== 'text'));
  return wrong === undefined
    ? undefined
    : { message: `${wrong.at}.tool_result: all content must be type "text" if "is_error" is true` };
}

const MAX_CACHE_MARKS = 4;

/** At most four cache marks, and none where they are not known. */
export function checkA17({ body, messages, personality }: CheckInput): CheckRefusal | undefined {
  const holders: readonly unknown[] = [
    body,
    ...readList(body['tools']),
    ...readList(body['system']),
    ...allBlocksOf(messages).map(({ value }) => value),
  ];
  const count = holders.filter((holder) => isRecord(holder) && isRecord(holder['cache_control'])).length;
  if (count > 0 && personality.messages?.cacheControl === false) {
    return { message: 'cache_control: Extra inputs are not permitted' };
  }
  return count > MAX_CACHE_MARKS
    ? { message: `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${count}.` }
    : undefined;
}

/** No text without words, no turn without content. */
export function checkA18({ body, messages }: CheckInput): CheckRefusal | undefined {
  const systemTexts = readList(body['system']).filter(isRecord);
  const isSystemEmpty = systemTexts.some(({ text }) => isBlank(text));
  const isBlockEmpty = allBlocksOf(messages).some(({ type, value }) => type === 'text' && isBlank(value['text']));
  if (isSystemEmpty || isBlockEmpty) return { message: 'messages: text content blocks must be non-empty' };
  const empty = messages.find(
    ({ value: { content } }) => content === '' || (Array.isArray(content) && content.length === 0),
  );
  return empty === undefined
    ? undefined
    : { message: `messages.${empty.index}: all messages must have non-empty content` };
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}
