// Two processes on one home: what must not happen, in sentences; none where all is well.
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answerOf } from './answer-of.mjs';
import { startChatEndpoint } from './chat-endpoint.mjs';
import { startChild } from './child-lines.mjs';
import { openFovea } from './open-fovea.mjs';
import { preparePlace } from './prepared-place.mjs';
import { isUnlocked, readMessages, readRows, tagOf, wordsOf } from './read-rows.mjs';

const turnDriver = fileURLToPath(new URL('turn-driver.mjs', import.meta.url));
const ownerDriver = fileURLToPath(new URL('owner-driver.mjs', import.meta.url));

/**
 * Interleaved turns of two processes over some sessions.
 * @param {{ turns: number, sessions?: number }} options
 * @returns {Promise<readonly string[]>}
 */
export async function runInterleavedTurns({ turns, sessions = 10 }) {
  const endpoint = await startChatEndpoint({ pauseMs: 0 });
  const place = await preparePlace({ baseUrl: endpoint.baseUrl, isOld: false });
  const fovea = await openFovea(place);
  try {
    const ids = [];
    for (let count = 0; count < sessions; count++) ids.push(await beginSession(fovea, place));
    const half = turns / 2;
    const children = ['a', 'b'].map((name, index) => {
      return startChild(turnDriver, [place.home, name, String(index * half), String(half), ...ids]);
    });
    await Promise.all(children.map(({ ended }) => ended));
    const lines = children.flatMap((child) => child.lines);
    const told = children.map((child) => child.diagnostics()).concat(lines.map((line) => JSON.stringify(line)));
    const { faults } = await fovea.checkStore();
    return [
      ...told.filter((words) => /SQLITE_BUSY|database is locked/i.test(words)),
      ...children.flatMap((child) =>
        child.lines.at(-1)?.kind === 'closed' ? [] : [`a process ended: ${child.diagnostics()}`],
      ),
      ...findUnanswered(lines, turns),
      ...findMixedMessages(place.home, turns),
      ...faults.map(({ kind, place: row, message }) => `${kind} ${row}: ${message}`),
      ...endpoint.problems,
    ];
  } finally {
    await fovea.close();
    await endpoint.close();
    await place.remove();
  }
}

async function beginSession(fovea, { workspace }) {
  const created = await fovea.createSession({ workspace, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  return created.value.id;
}

/** Whoever ran the turn, its sender was told the whole answer. */
function findUnanswered(lines, turns) {
  const ends = lines.filter(({ kind }) => kind === 'turn');
  const wrong = ends.filter(({ tag, words, end }) => {
    return end?.status !== 'completed' || words !== `To [${tag}]: word 0 word 1 that is all.`;
  });
  const missing = ends.length === turns ? [] : [`${ends.length} of ${turns} turns were told to their end`];
  return [...missing, ...wrong.map(({ tag, words, end }) => `${tag} was told ${JSON.stringify(end)} ${words}`)];
}

/** In every session the messages of a turn stand together: one question, its steps, one answer. */
function findMixedMessages(home, turns) {
  const faults = [];
  const seen = new Set();
  let current;
  for (const message of readMessages(home)) {
    const tag = tagOf(message);
    if (tag !== undefined) {
      const isMixed = current?.sessionId === message.sessionId;
      if (isMixed) faults.push(`${tag} was put into the turn of ${current.tag}`);
      else if (current !== undefined) faults.push(`${current.tag} has no answer`);
      if (seen.has(tag)) faults.push(`${tag} was asked twice`);
      seen.add(tag);
      current = { tag, turnId: message.turnId, sessionId: message.sessionId };
      continue;
    }
    if (message.turnId !== current?.turnId || message.sessionId !== current?.sessionId) {
      faults.push(`a message of ${message.turnId} stands in the turn of ${current?.tag}`);
    }
    if (message.role === 'assistant' && wordsOf(message) !== '') current = undefined;
  }
  return seen.size === turns ? faults : [...faults, `${seen.size} of ${turns} questions are stored`];
}

/**
 * Another process takes the session of an owner that was killed, or stands still.
 * @param {{ signal: 'SIGKILL' | 'SIGSTOP', leaseMs: number }} options `leaseMs`: how long a lease lasts
 * @returns {Promise<{ faults: readonly string[], tookMs: number }>}
 */
export async function runTakeOver({ signal, leaseMs }) {
  const endpoint = await startChatEndpoint({ pauseMs: 5 });
  const place = await preparePlace({ baseUrl: endpoint.baseUrl, isOld: false });
  const fovea = await openFovea(place);
  let owner;
  try {
    const sessionId = await beginSession(fovea, place);
    owner = startChild(ownerDriver, [place.home, sessionId]);
    await untilTelling(owner);
    owner.kill(signal);
    if (signal === 'SIGSTOP') await untilOutsideTransaction(owner, place);
    const stoppedAt = performance.now();
    const { words, end, tookMs } = await runNext(fovea, { sessionId, stoppedAt });
    const faults = [];
    if (end?.status !== 'completed' || !words.endsWith('that is all.')) {
      faults.push(`the next turn was told ${JSON.stringify(end)} ${words}`);
    }
    if (tookMs > 2 * leaseMs) faults.push(`the session was taken over after ${Math.round(tookMs)} ms`);
    const before = readMessages(place.home).length;
    if (signal === 'SIGSTOP') faults.push(...(await findWritesOfSleeper(owner, { place, before, leaseMs })));
    const [turn] = readRows(
      place.home,
      `select status from turns where session_id = '${sessionId}' order by started_at`,
    );
    if (turn.status !== 'interrupted') faults.push(`the turn of the owner before is ${turn.status}`);
    const report = await fovea.checkStore();
    return { faults: [...faults, ...report.faults.map(({ message }) => message), ...endpoint.problems], tookMs };
  } finally {
    owner?.kill('SIGKILL');
    await fovea.close();
    await endpoint.close();
    await place.remove();
  }
}

/** The model speaks, and the owner has told of it. */
async function untilTelling(owner) {
  for (let count = 1; !owner.lines.some(({ event }) => event?.type === 'text-delta'); count++) {
    if (!(await owner.untilLines(count))) throw new Error(`the owner ended: ${owner.diagnostics()}`);
  }
}

/** A process that stands still in the middle of a write keeps every other one from writing: it goes on until it is through. */
async function untilOutsideTransaction(owner, { home }) {
  // It is stopped when it is scheduled the next time, not at once.
  await wait(50);
  while (!isUnlocked(home)) {
    owner.kill('SIGCONT');
    await wait(20);
    owner.kill('SIGSTOP');
    await wait(50);
  }
}

/** The time is that until the new turn's first step: the session was taken by then. */
async function runNext(fovea, { sessionId, stoppedAt }) {
  let words = '';
  let end;
  let tookMs = Number.POSITIVE_INFINITY;
  for await (const event of fovea.runTurn({ sessionId, text: '[next] words=3', attachments: [] })) {
    if (event.type === 'step-start' && tookMs === Number.POSITIVE_INFINITY) tookMs = performance.now() - stoppedAt;
    words = answerOf(words, event);
    end = event;
  }
  return { words, end, tookMs };
}

/** It wakes up, finds that the session is not its own any more, writes nothing, and says so. */
async function findWritesOfSleeper(owner, { place, before, leaseMs }) {
  owner.kill('SIGCONT');
  const isOver = await Promise.race([owner.ended.then(() => true), wait(2 * leaseMs, false, { ref: false })]);
  const faults = [];
  if (!isOver) faults.push('the owner that woke up did not leave its turn');
  const last = owner.lines.findLast(({ kind, event }) => kind === 'thrown' || event?.type === 'turn-end');
  const isSaid = last?.code === 'LEASE_LOST' || last?.event?.status === 'interrupted';
  if (!isSaid) faults.push(`the owner that woke up said ${JSON.stringify(last)}`);
  const after = readMessages(place.home).length;
  if (after !== before) faults.push(`the owner that woke up wrote ${after - before} messages`);
  return faults;
}
