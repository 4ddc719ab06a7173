// Runs turns beside another process like it and prints what became of each. Arguments: home, name, first number, count,
// sessions; the numbers say what is said where, so that two of them together work on every session.
import { writeSync } from 'node:fs';
import { answerOf } from './answer-of.mjs';
import { openFovea } from './open-fovea.mjs';
import { pictureName } from './prepared-place.mjs';

const [home, name, first, count, ...sessions] = process.argv.slice(2);
/** Turns that this process runs at a time. */
const atATime = 4;
/** Each so many-th turn calls a tool. */
const calling = 5;

// It ends before what the other one submitted: as every command that ends by itself, it begins nothing of theirs.
const fovea = await openFovea({ home, queues: 'own', onLog: (line) => say({ kind: 'log', line }) });
let next = 0;
await Promise.all(Array.from({ length: atATime }, work));
await fovea.close();
say({ kind: 'closed' });

function say(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function work() {
  while (next < Number(count)) {
    const number = Number(first) + next++;
    await runTurn(`${name}-${number}`, number);
  }
}

async function runTurn(tag, number) {
  const sessionId = sessions[number % sessions.length];
  const call = number % calling === 0 ? '\nCALL read_file {"path":"notes.txt"}' : '';
  const attachments = number % calling === 1 ? [pictureName(number % 7)] : [];
  let words = '';
  let end;
  try {
    for await (const event of fovea.runTurn({ sessionId, text: `[${tag}] words=2${call}`, attachments })) {
      words = answerOf(words, event);
      end = event;
    }
  } catch (error) {
    end = { type: 'thrown', code: error.code, message: error.message };
  }
  say({ kind: 'turn', tag, sessionId, words, end });
}
