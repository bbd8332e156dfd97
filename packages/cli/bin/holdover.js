#!/usr/bin/env -S node --max-semi-space-size=4
import { existsSync } from 'node:fs';
import module from 'node:module';

// The flag keeps V8's young generation small: a process that mostly waits for a model needs no 32 MB of it.
// The binary is committed so that npm links it before the first build.
if (existsSync(new URL('../dist/main.js', import.meta.url))) {
  // Compiled code is kept between starts where Node can.
  module.enableCompileCache?.();
  // Nothing to be read from the command line: the prompt is drawn first, and everything else is loaded behind it.
  if (process.argv.length === 2) {
    const { canDraw, startEarly } = await import('../dist/interactive/early.js');
    if (canDraw(process.env)) await startEarly(process.env);
  }
  const { main } = await import('../dist/main.js');
  await main(process.argv);
} else {
  process.stderr.write(
    'holdover is not built yet: run `npm run build` in the repository (npm start and npm test do it for you).\n',
  );
  process.exitCode = 1;
}
