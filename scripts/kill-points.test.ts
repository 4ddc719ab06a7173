import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('kill-points.mjs', import.meta.url));

describe('a Fovea that is killed', () => {
  it('keeps what it acknowledged at 24 points, and answers the next turn', { timeout: 300_000 }, () => {
    const words = [script, '--seed', '5', '--count', '24', '--lines', '40'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect(stdout + stderr).toMatch(/^24 kill points, seed 5: 0 with faults; \d+ collected, .*\n$/);
    expect(status).toBe(0);
  });
});
