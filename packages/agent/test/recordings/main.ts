/**
 * `npm run record [-- --only name]`: records the sessions anew. They are the same bytes on every machine; a file is written only where its text
 * differs, since packed bytes depend on the packer's version.
 */
import { parseArgs } from 'node:util';
import { record } from './record.ts';
import { PLANS } from './plans.ts';
import { readRecording, writeIndex, writeRecording } from './store.ts';
import { tokensOf } from './tokens.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
for (const plan of PLANS) {
  if (values.only !== undefined && plan.name !== values.only) continue;
  const started = performance.now();
  const text = await record(plan);
  const isNew = text !== readRecording(plan.name);
  if (isNew) writeRecording(plan.name, text);
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  process.stdout.write(
    `${plan.name}: ${text.split('\n').length - 1} records, ${tokensOf(text)} tokens, ${seconds} s, ${isNew ? 'written' : 'as it was'}\n`,
  );
}
writeIndex(PLANS);
