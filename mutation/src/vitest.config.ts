import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Plan } from './plan.ts';

const root = process.env['MUTATION_ROOT']!;
const { sources } = JSON.parse(readFileSync(process.env['MUTATION_PLAN']!, 'utf8')) as Plan;

/** Tests run over the sources where they lie; only the text of the changed files is another. */
export default defineConfig({
  root,
  // Beside other configurations' caches: what is transformed here holds mutants.
  cacheDir: join(root, '.mutation/cache'),
  resolve: { conditions: ['@holdover/source'] },
  ssr: { resolve: { conditions: ['@holdover/source'] } },
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => {
        const path = sources[id.split('?')[0]!];
        return path === undefined ? undefined : readFileSync(path, 'utf8');
      },
    },
  ],
  test: {
    include: ['packages/engine/test/**/*.test.ts'],
    testTimeout: 60_000,
    runner: join(root, 'mutation/src/runner.ts'),
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    execArgv: ['--max-old-space-size=2048'],
    update: false,
    watch: false,
  },
});
