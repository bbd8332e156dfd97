import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@holdover/source'] },
  ssr: { resolve: { conditions: ['@holdover/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
  },
});
