// What a killed `driver.mjs` was promised and the home does not keep: sentences, none where all is well.
import { readMessages, readRows, tagOf, wordsOf } from './read-rows.mjs';

const WHOLE_ANSWER = /^To (\[[a-z0-9-]+\] ?)+: (word \d+ )*that is all\.$/;

/**
 * Looks at rows alone, before anything has been written since the kill.
 * @param {string} home
 * @param {readonly Record<string, any>[]} lines of the driver
 */
export function findLosses(home, lines) {
  const stored = { messages: readMessages(home), items: readItems(home), turns: readTurns(home) };
  const gone = new Set(lines.filter(({ kind }) => kind === 'deleting').map(({ sessionId }) => sessionId));
  for (const { kind, sessionId } of lines) if (kind === 'kept') gone.delete(sessionId);
  const removing = new Set(lines.filter(({ kind }) => kind === 'removing').map(({ itemId }) => itemId));
  const losses = findHalfMessages(stored.messages);
  for (const line of lines) {
    const sessionId = line.sessionId ?? line.given?.sessionId;
    if (gone.has(sessionId) || removing.has(line.receipt?.itemId)) continue;
    losses.push(...findLoss(line, stored));
  }
  for (const { kind, sessionId } of lines) {
    const isThere = stored.messages.some((message) => message.sessionId === sessionId);
    if (kind === 'deleted' && isThere) losses.push(`the deleted session ${sessionId} has messages`);
  }
  for (const { kind, itemId } of lines) {
    if (kind !== 'removed') continue;
    // Its row stays, so that the same submission is not accepted again.
    const item = stored.items.get(itemId);
    const isThere = item !== undefined && (item.state !== 'done' || stored.turns.has(item.turn_id));
    if (isThere) losses.push(`the removed item ${itemId} is there`);
  }
  return losses;
}

function findLoss(line, { messages, items, turns }) {
  switch (line.kind) {
    case 'receipt':
      return findLostSubmission(line, { messages, items });
    case 'tool-result': {
      const { toolCallId, result, sessionId, turnId } = line;
      const isStored = messages.some(
        (message) =>
          message.toolCallId === toolCallId &&
          message.turnId === turnId &&
          message.sessionId === sessionId &&
          message.content === result,
      );
      return isStored ? [] : [`the result of ${toolCallId} in ${turnId} is lost or another one`];
    }
    case 'step-end': {
      const steps = messages.filter(({ role, turnId, sessionId }) => {
        return role === 'assistant' && turnId === line.turnId && sessionId === line.sessionId;
      });
      return steps.length >= line.step ? [] : [`step ${line.step} of ${line.turnId} is lost`];
    }
    case 'turn-end':
      return findLostTurn(line, { messages, turns });
    case 'fork': {
      const there = new Set(messages.filter(({ sessionId }) => sessionId === line.sessionId).map(({ id }) => id));
      const lost = line.messageIds.filter((id) => !there.has(id));
      return lost.length === 0 ? [] : [`the fork ${line.sessionId} lost ${lost.length} messages`];
    }
    default:
      return [];
  }
}

function findLostTurn({ turnId, sessionId, status, words }, { messages, turns }) {
  // An item that was taken back, or could not begin, is told of as well and was never a turn.
  const turn = turns.get(turnId);
  if (turn === undefined) return status === 'completed' ? [`the turn ${turnId} is lost`] : [];
  if (turn.status !== status) return [`the turn ${turnId} was told as ${status} and is ${turn.status}`];
  if (status !== 'completed') return [];
  const isStored = messages.some((message) => {
    return (
      message.role === 'assistant' &&
      message.turnId === turnId &&
      message.sessionId === sessionId &&
      wordsOf(message) === words
    );
  });
  return isStored ? [] : [`the answer of ${turnId} is lost or another one: ${words}`];
}

function findLostSubmission({ tag, given, receipt }, { messages, items }) {
  const item = items.get(receipt.itemId);
  if (item === undefined) return [`nothing is known of the submission ${tag}`];
  if (item.body !== null) {
    const { text, imageInputs } = JSON.parse(item.body);
    const isWhole = text === given.text && imageInputs.length === given.attachments.length;
    return isWhole ? [] : [`the item of ${tag} is not what was submitted`];
  }
  const message = messages.find((one) => one.sessionId === given.sessionId && tagOf(one) === tag);
  if (message === undefined) return [`the item of ${tag} is ${item.state}, and there is no message`];
  const isWhole = message.content === given.text && message.imageInputs.length === given.attachments.length;
  return isWhole ? [] : [`the message of ${tag} is not what was submitted`];
}

/** An answer that counts as completed is whole; what is a part says so, and is the beginning of one. */
function findHalfMessages(messages) {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || message.parts.some(({ type }) => type === 'tool-call')) return [];
    const words = wordsOf(message);
    if (message.status !== 'completed' || words.startsWith('An old answer')) return [];
    return WHOLE_ANSWER.test(words) ? [] : [`half an answer is stored as a whole one: ${JSON.stringify(words)}`];
  });
}

/** A submission was put into the conversation once, unless nobody knew how far it came and it was let run again. */
export function findRepetitions(home, uncertainTags) {
  const counts = new Map();
  for (const message of readMessages(home)) {
    const tag = tagOf(message);
    const place = `${message.sessionId} ${tag}`;
    if (tag !== undefined && !uncertainTags.has(tag)) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([place, count]) => `${place} was said ${count} times`);
}

export function readItems(home) {
  const rows = readRows(home, 'select id, session_id, state, body, turn_id from queue_items');
  return new Map(rows.map((row) => [row.id, row]));
}

function readTurns(home) {
  return new Map(readRows(home, 'select id, status from turns').map((row) => [row.id, row]));
}
