// Leads a busy Fovea until it is killed, and says what it was promised: one line of JSON for everything that is durable
// when it is told. Arguments: home, workspace, seed. What it does depends on the seed alone, when it does it does not.
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../bench/inputs.mjs';
import { answerOf } from './answer-of.mjs';
import { openFovea } from './open-fovea.mjs';
import { pictureCount, pictureName } from './prepared-place.mjs';

const [home, workspace, seed] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const leaving = new AbortController();
/** So many items may wait in a session before it is let alone. */
const mostWaiting = 6;
/** So many forks may stand beside them. */
const mostForks = 2;
let submissions = 0;

say('starting', {});
const fovea = await openFovea({ home, onLog: (line) => say('log', { line }) });
const old = await fovea.listSessions(10);
say('opened', { sessions: old.map(({ id }) => id) });
const lanes = [await beginSession(), old[0]?.id ?? (await beginSession())];
for (const sessionId of lanes) void follow(sessionId);
await Promise.all([...lanes.map(keepBusy), keepUp()]);

function say(kind, fields) {
  writeSync(1, `${JSON.stringify({ kind, ...fields })}\n`);
}

function upTo(count) {
  return Math.floor(random() * count);
}

/** One of them; a weight of 2 comes twice as often as one of 1. */
function pick(weighted) {
  let rest = random() * weighted.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of weighted) {
    rest -= weight;
    if (rest < 0) return value;
  }
  return weighted[0][1];
}

async function beginSession() {
  const created = await fovea.createSession({ workspace, model: 'lab/seer' });
  if (!created.ok) throw created.error;
  say('session', { sessionId: created.value.id });
  return created.value.id;
}

/** What is told of turns: a result and an end are durable by then. */
async function follow(sessionId) {
  let words = '';
  for await (const { turnId, event } of fovea.follow(sessionId, { signal: leaving.signal })) {
    words = answerOf(words, event);
    if (event.type === 'tool-result') say('tool-result', { sessionId, turnId, ...event });
    if (event.type === 'step-end') say('step-end', { sessionId, turnId, step: event.step });
    if (event.type === 'turn-end') say('turn-end', { sessionId, turnId, status: event.status, words });
  }
}

async function keepBusy(sessionId) {
  for (;;) {
    const act = pick([
      [3, () => submit(sessionId)],
      [2, () => submit(sessionId, { pictures: 1 + upTo(3) })],
      [1, () => Promise.all(Array.from({ length: 4 }, () => submit(sessionId, { pictures: upTo(2) })))],
      [2, () => submit(sessionId, { calls: true })],
      [2, () => submit(sessionId, { intent: 'steer' })],
      [1, () => editLast(sessionId)],
      [1, () => removeLast(sessionId)],
      [1, () => moveLast(sessionId)],
    ]);
    await act();
    while ((await fovea.queue(sessionId)).items.length > mostWaiting) await wait(10);
    await wait(upTo(20));
  }
}

async function submit(sessionId, { pictures = 0, calls = false, ...more } = {}) {
  submissions += 1;
  const tag = `t${submissions}`;
  const given = {
    sessionId,
    submissionId: `sub-${tag}`,
    text: [`[${tag}] words=${1 + upTo(30)}`, ...(calls ? groupsOf(tag) : [])].join('\n'),
    attachments: Array.from({ length: pictures }, () => pictureName(upTo(pictureCount))),
    consent: 'yes-all',
    ...more,
  };
  const submitted = await fovea.submit(given);
  if (!submitted.ok) throw new Error(JSON.stringify(submitted.error));
  say('receipt', { tag, given, receipt: submitted.value });
}

function groupsOf(tag) {
  return [
    `CALL read_file {"path":"${pictureName(upTo(pictureCount))}"}`,
    'CALL read_file {"path":"notes.txt"}',
    'THEN',
    `CALL write_file {"path":"${tag}.txt","content":"${tag}"}`,
    'THEN',
    `CALL run_command {"command":"sleep 0.02; echo ${tag}"}`,
  ];
}

/** On another course of the conversation, beside whatever waits. */
async function editLast(sessionId) {
  const messages = await fovea.loadMessages(sessionId, { limit: 8 });
  const message = messages.findLast(({ role }) => role === 'user');
  if (message !== undefined) await submit(sessionId, { edits: message.id });
}

async function removeLast(sessionId) {
  const item = (await fovea.queue(sessionId)).items.findLast(({ state }) => state === 'queued');
  if (item === undefined) return;
  say('removing', { itemId: item.id });
  if (await allow(['QUEUE_ITEM_NOT_FOUND'], fovea.removeQueued(sessionId, item.id)))
    say('removed', { itemId: item.id });
}

async function moveLast(sessionId) {
  const [first, ...others] = (await fovea.queue(sessionId)).items.filter(({ state }) => state === 'queued');
  const last = others.at(-1);
  if (last !== undefined) await allow(['QUEUE_ITEM_NOT_FOUND'], fovea.moveQueued(sessionId, last.id, first.id));
}

/** Forks, deletions, rewinds and collections beside the turns. */
async function keepUp() {
  const forks = [];
  for (;;) {
    await wait(20 + upTo(60));
    const act = pick([
      [2, () => fork(forks)],
      [1, () => deleteFork(forks)],
      [1, () => rewindFork(forks)],
      [1, () => submitToFork(forks)],
      [2, () => collect()],
    ]);
    await act();
  }
}

async function fork(forks) {
  if (forks.length >= mostForks) return;
  const session = await fovea.forkSession(lanes[upTo(lanes.length)]);
  const messages = await fovea.loadTranscript(session.id);
  forks.push(session.id);
  say('fork', { sessionId: session.id, messageIds: messages.map(({ id }) => id) });
}

async function deleteFork(forks) {
  const sessionId = forks.shift();
  if (sessionId === undefined) return;
  say('deleting', { sessionId });
  if (await allow(['SESSION_BUSY'], fovea.deleteSession(sessionId))) say('deleted', { sessionId });
  else say('kept', { sessionId });
}

async function rewindFork([sessionId]) {
  if (sessionId === undefined) return;
  const messages = await fovea.loadMessages(sessionId, { limit: 6 });
  const message = messages.find(
    ({ role, parts }) => role === 'assistant' && parts.every(({ type }) => type === 'text'),
  );
  if (message !== undefined) await allow(['SESSION_BUSY'], fovea.rewindSession(sessionId, message.id));
}

async function submitToFork([sessionId]) {
  if (sessionId !== undefined) await submit(sessionId, { pictures: upTo(2) });
}

async function collect() {
  const report = await fovea.collectGarbage();
  say('collected', { blobs: report.blobs.collected });
}

/** `false` when it was refused with one of these codes. */
async function allow(codes, work) {
  try {
    await work;
    return true;
  } catch (error) {
    if (codes.includes(error.code)) return false;
    throw error;
  }
}
