import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] },
  // Given to Node as well, for `require` too: `import` and `module` would break CommonJS packages.
  ssr: { resolve: { conditions: ['source', 'node', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    setupFiles: ['packages/core/src/testing/clear-environment.ts'],
    restoreMocks: true,
    // All cores: most files wait for processes and files, so that one core less leaves much of the machine idle.
    maxWorkers: '100%',
    // Wide enough for processes on a busy machine: a limit for what hangs, not a measure of speed.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
