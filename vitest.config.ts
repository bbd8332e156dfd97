import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@holdover/source'] },
  ssr: { resolve: { conditions: ['@holdover/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Slow, and they need the built binary: npm run e2e:tty.
    exclude: ['**/node_modules/**', '**/dist/**', 'packages/cli/test/tty/**'],
    testTimeout: 60_000,
    // Every core: by default one is left free, which on two cores means one file after the other.
    maxWorkers: '100%',
  },
});
