import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Writes the guide: `npm run guide`. Needs tmux and the font DejaVu Sans; no part of the tests. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] },
  ssr: { resolve: { conditions: ['source', 'node', 'default'] } },
  test: { include: ['scripts/guide/*.guide.ts'], testTimeout: 180_000, hookTimeout: 60_000 },
});
