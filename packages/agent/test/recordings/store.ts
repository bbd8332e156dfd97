/** Where recordings are kept: packed, in the lab's package, with an index that says which to tune on. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SessionPlan } from './record.ts';

export const SESSIONS: string = fileURLToPath(new URL('../../../lab/sessions', import.meta.url));

export const recordingPath = (name: string): string => join(SESSIONS, `${name}.jsonl.gz`);

/** Undefined where it was never recorded. */
export function readRecording(name: string): string | undefined {
  const path = recordingPath(name);
  return existsSync(path) ? gunzipSync(readFileSync(path)).toString('utf8') : undefined;
}

export function writeRecording(name: string, text: string): void {
  mkdirSync(dirname(recordingPath(name)), { recursive: true });
  writeFileSync(recordingPath(name), gzipSync(text, { level: 9 }));
}

export function writeIndex(plans: readonly SessionPlan[]): void {
  const index = plans.map(({ name, about, use }) => ({ file: `${name}.jsonl.gz`, use, about }));
  writeFileSync(join(SESSIONS, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
}
