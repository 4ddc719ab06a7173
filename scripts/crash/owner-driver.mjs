// Begins a turn that takes very long, and prints its events but for the words. Arguments: home, session.
import { writeSync } from 'node:fs';
import { openFovea } from './open-fovea.mjs';

const [home, sessionId] = process.argv.slice(2);
const fovea = await openFovea({ home, onLog: (line) => say({ kind: 'log', line }) });
let deltas = 0;
try {
  for await (const event of fovea.runTurn({ sessionId, text: '[owner] words=1000000', attachments: [] })) {
    if (event.type === 'text-delta') deltas += 1;
    if (event.type !== 'text-delta' || deltas === 1) say({ kind: 'event', event });
  }
} catch (error) {
  say({ kind: 'thrown', code: error.code, message: error.message });
}
await fovea.close();
say({ kind: 'closed' });

function say(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
