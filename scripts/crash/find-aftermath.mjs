// Goes on with the home of a killed `driver.mjs`, as its user would: sentences about what does not work, none where all does.
import { setTimeout as wait } from 'node:timers/promises';
import { answerOf } from './answer-of.mjs';
import { findLosses, findRepetitions, readItems } from './find-losses.mjs';
import { openFovea } from './open-fovea.mjs';
import { pictureName } from './prepared-place.mjs';
import { readRows, tagOf } from './read-rows.mjs';

/** Far more than what waits can take. */
const patienceMs = 60_000;
/** Sessions in which a next turn is run. */
const mostSessions = 3;

/**
 * @param {{ home: string }} place
 * @param {readonly Record<string, any>[]} lines of the driver
 */
export async function findAftermath({ home }, lines) {
  const faults = [];
  const fovea = await openFovea({ home, onLog: (line) => faults.push(...(line.includes('BUSY') ? [line] : [])) });
  try {
    faults.push(...(await findStoreFaults(fovea, 'after the kill')));
    await finishUpgrade(fovea, { home, lines });
    faults.push(...findLosses(home, lines));
    faults.push(...(await findForgottenReceipts(fovea, { home, lines })));
    const sessions = readRows(home, 'select id from sessions order by updated_at desc').map(({ id }) => id);
    const silences = await Promise.all(sessions.slice(0, mostSessions).map((id) => findSilence(fovea, id)));
    const uncertainTags = new Set();
    const leftovers = await Promise.all(sessions.map((sessionId) => workOff(fovea, { sessionId, uncertainTags })));
    faults.push(...silences.flat(), ...leftovers.flat());
    faults.push(...findRepetitions(home, uncertainTags), ...findUnfinished(home), ...findLosses(home, lines));
    await fovea.collectGarbage();
    faults.push(...(await findStoreFaults(fovea, 'at the end')));
  } finally {
    await fovea.close();
  }
  const [{ integrity_check: integrity }] = readRows(home, 'pragma integrity_check');
  return integrity === 'ok' ? faults : [...faults, `the database: ${integrity}`];
}

/** An upgrade that was killed has changed nothing, and the next one who writes does it. */
async function finishUpgrade(fovea, { home, lines }) {
  if (readRows(home, "select name from sqlite_master where name = 'queue_items'").length > 0) return;
  if (lines.some(({ kind }) => kind !== 'starting')) throw new Error('an upgrade that was told of is not there');
  await fovea.collectGarbage();
}

async function findStoreFaults(fovea, when) {
  const { faults } = await fovea.checkStore();
  return faults.map(({ kind, place, message }) => `${when}: ${kind} ${place}: ${message}`);
}

/** The same submission again is answered with the same receipt. */
async function findForgottenReceipts(fovea, { home, lines }) {
  const items = readItems(home);
  const faults = [];
  for (const { given, receipt } of lines.filter(({ kind }) => kind === 'receipt').slice(-5)) {
    if (!items.has(receipt.itemId)) continue;
    const again = await fovea.submit(given);
    const isSame = again.ok && again.value.isRepeated && again.value.turnId === receipt.turnId;
    if (!isSame) faults.push(`the receipt of ${receipt.submissionId} is another one: ${JSON.stringify(again)}`);
  }
  return faults;
}

/** Whatever waits, the next thing that somebody says is answered. */
async function findSilence(fovea, sessionId) {
  const tag = `next-${sessionId.slice(-6).toLowerCase().replaceAll('_', '-')}`;
  const given = { sessionId, text: `[${tag}] words=4`, attachments: [pictureName(1)] };
  let words = '';
  let end;
  for await (const event of fovea.runTurn({ ...given, signal: AbortSignal.timeout(patienceMs) })) {
    words = answerOf(words, event);
    end = event;
  }
  const isAnswered = end?.status === 'completed' && words.includes(`[${tag}]`) && words.endsWith('that is all.');
  return isAnswered ? [] : [`the next turn of ${sessionId} was not answered: ${JSON.stringify(end)} ${words}`];
}

/** Lets everything run that waits, also what nobody knows how far it came, and waits for it. */
async function workOff(fovea, { sessionId, uncertainTags }) {
  const until = Date.now() + patienceMs;
  await fovea.resumeQueue(sessionId);
  for (;;) {
    const { items, held } = await fovea.queue(sessionId);
    if (items.every(({ state }) => state === 'blocked')) {
      return items.map(({ text, error }) => `${sessionId} ${text.slice(0, 10)} is blocked: ${JSON.stringify(error)}`);
    }
    if (Date.now() > until)
      return [`${items.length} items of ${sessionId} are still there, the first ${items[0].state}`];
    for (const item of items.filter(({ state }) => state === 'uncertain')) {
      uncertainTags.add(tagOf({ role: 'user', content: item.text }));
      await fovea.requeue(sessionId, item.id);
    }
    if (held !== undefined) await fovea.resumeQueue(sessionId);
    await wait(20);
  }
}

function findUnfinished(home) {
  const items = [...readItems(home).values()].filter(({ state }) => state !== 'done');
  // What an older build left running stays so until somebody says something there.
  const turns = readRows(home, "select id from turns where status = 'running' and epoch > 0");
  return [
    ...items.map(({ id, state }) => `the item ${id} is ${state} when all is done`),
    ...turns.map(({ id }) => `the turn ${id} runs when all is done`),
  ];
}
