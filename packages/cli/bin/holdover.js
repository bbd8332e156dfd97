#!/usr/bin/env node
import { existsSync } from 'node:fs';

// The binary is committed so that npm links it before the first build.
if (existsSync(new URL('../dist/main.js', import.meta.url))) {
  const { main } = await import('../dist/main.js');
  await main(process.argv);
} else {
  process.stderr.write(
    'holdover is not built yet: run `npm run build` in the repository (npm start and npm test do it for you).\n',
  );
  process.exitCode = 1;
}
