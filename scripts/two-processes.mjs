// Two processes on one home: interleaved turns over ten sessions, and the take-over of an owner that was killed or frozen.
// Reads the build: dist, through the exports of @fovea/core and @fovea/server.
import { LEASE_MS } from '../packages/core/dist/store/session-leases.js';
import { runInterleavedTurns, runTakeOver } from './crash/run-two-processes.mjs';
import { readOptions } from './read-options.mjs';

const values = readOptions(
  `node scripts/two-processes.mjs [options]
Two processes work on one home; nothing may be mixed, lost or done twice.

  --turns COUNT  an even number (1000)
`,
  { turns: { type: 'string', default: '1000' } },
);
const turns = Number(values.turns);
if (!Number.isSafeInteger(turns) || turns < 2 || turns % 2 !== 0) {
  process.stderr.write('--turns is an even number\n');
  process.exit(2);
}

const [mixed, killed, frozen] = await Promise.all([
  runInterleavedTurns({ turns }),
  runTakeOver({ signal: 'SIGKILL', leaseMs: LEASE_MS }),
  runTakeOver({ signal: 'SIGSTOP', leaseMs: LEASE_MS }),
]);
const faults = [...mixed, ...killed.faults, ...frozen.faults];
for (const fault of faults) process.stdout.write(`FAILED  ${fault}\n`);
process.stdout.write(
  `2 processes, ${turns} turns over 10 sessions: ${faults.length} faults; taken over ` +
    `${Math.round(killed.tookMs)} ms after a kill, ${Math.round(frozen.tookMs)} ms after a freeze\n`,
);
process.exit(faults.length === 0 ? 0 : 1);
