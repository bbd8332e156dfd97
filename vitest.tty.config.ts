import { defineConfig } from 'vitest/config';

/** The real binary in a pseudo-terminal: `npm run e2e:tty`. */
export default defineConfig({
  resolve: { conditions: ['@holdover/source'] },
  ssr: { resolve: { conditions: ['@holdover/source'] } },
  test: {
    include: ['packages/cli/test/tty/**/*.test.ts'],
    testTimeout: 60_000,
    // A machine that stands still for a moment is no fault of the terminal; what fails twice is.
    retry: 1,
    // The pseudo-terminal is native code: a crash of it must end one file's process, which is then told, and not the runner.
    pool: 'forks',
    // Most of a test is waiting for a process of its own.
    maxWorkers: 3,
  },
});
