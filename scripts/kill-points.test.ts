import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-points.mjs', import.meta.url));

describe('a Fovea that is killed', () => {
  it('keeps what it acknowledged at 24 points, and answers the next turn', { timeout: 300_000 }, async () => {
    const words = [script, '--seed', '5', '--count', '24', '--lines', '40'];
    // Rejects, with all that was printed, when the script does not end well.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words);
    expect(stdout + stderr).toMatch(/^24 kill points, seed 5: 0 with faults; \d+ collected, .*\n$/);
  });
});
