import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('two-processes.mjs', import.meta.url));

describe('two processes on one home', () => {
  it('mix no messages, answer everything once, and take over within two lease times', {
    timeout: 300_000,
  }, async () => {
    // Rejects, with all that was printed, when the script does not end well.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, '--turns', '200']);
    expect(stdout + stderr).toMatch(/^2 processes, 200 turns over 10 sessions: 0 faults; taken over .*\n$/);
  });
});
