/** Memory of a long session: the caller's parsed messages and all the engine keeps, against the bytes of the messages as JSON. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextOf, feed, REQUEST } from '../host.ts';
import { runJob } from '../job.ts';
import type { Case, Row } from '../row.ts';
import type { Message } from '../session.ts';
import { SECTIONS } from '../sections.ts';

/** Calls made before memory is looked at. */
const CALLS = 20;

/** What the process holds once everything that can be collected is. */
function settled(): NodeJS.MemoryUsage {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  return process.memoryUsage();
}

/** How the session gets in: turn by turn, or all at once, as at a resume. */
async function filled(subject: string, messages: readonly Message[]): Promise<object> {
  const context = contextOf();
  if (subject === 'turn by turn') await feed(context, messages);
  else context.append(messages);
  // What is due is done once: a turn that is not settled would do it again in every call.
  await (await context.prepare(REQUEST)).keep();
  for (let i = 0; i < CALLS; i += 1) await context.prepare(REQUEST);
  return context;
}

/** In a function of its own: nothing else may hold the text that is parsed. */
function parsedFrom(path: string): Message[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Message[];
}

async function measured(path: string, { subject, size }: { subject: string; size: number }): Promise<Row> {
  const rawBytes = statSync(path).size;
  const before = settled();
  const messages = parsedFrom(path);
  // A turn of the event loop, so that what the stack held of the text is gone.
  await new Promise(setImmediate);
  const parsed = settled();
  const context = await filled(subject, messages);
  const after = settled();
  // Both are looked at after the measurement, so that neither can be collected before.
  if (context === undefined || messages.length !== size) throw new Error('the session was lost');
  const values = {
    'raw MB': rawBytes / 1e6,
    'messages x raw': (parsed.heapUsed - before.heapUsed) / rawBytes,
    'heap x raw': (after.heapUsed - before.heapUsed) / rawBytes,
    'RSS x raw': (after.rss - before.rss) / rawBytes,
  };
  return { section: SECTIONS.memory, who: `holdover, ${subject}`, size, values };
}

export const run: Case['run'] = async ({ size, subject, begin }): Promise<readonly Row[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdover-bench-'));
  const path = join(folder, 'session.json');
  try {
    await runJob({ file: 'cases/write-session', section: SECTIONS.memory, subject: path, size });
    begin();
    return [await measured(path, { subject, size })];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
