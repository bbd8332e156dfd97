import { defineConfig } from 'vitest/config';

/** The real binary in a pseudo-terminal: `npm run e2e:tty`. */
export default defineConfig({
  resolve: { conditions: ['@holdover/source'] },
  ssr: { resolve: { conditions: ['@holdover/source'] } },
  test: {
    include: ['packages/cli/test/tty/**/*.test.ts'],
    testTimeout: 60_000,
    // Most of a test is waiting for a process of its own.
    maxWorkers: 3,
  },
});
