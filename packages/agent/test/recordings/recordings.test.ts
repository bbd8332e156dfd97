/** The recordings are what the scripts make, to the byte, and as long and varied as they are said to be. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLANS } from './plans.ts';
import { record } from './record.ts';
import { readRecording, recordingPath, SESSIONS } from './store.ts';
import { tokensOf } from './tokens.ts';

const MIN_TOKENS = 150_000;
const MAX_BYTES = 4_000_000;
/** The life of a cache entry, in which a user may be slow. */
const LONG_PAUSE_MS = 300_000;

interface Line {
  readonly message?: { readonly role: string; readonly content: readonly { readonly type: string }[] };
  readonly at?: number;
}

function linesOf(name: string): readonly Line[] {
  const text = readRecording(name) ?? '';
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('the recordings', () => {
  it('are twelve, six to tune on and six apart, in the index too', () => {
    const index = JSON.parse(readFileSync(join(SESSIONS, 'index.json'), 'utf8')) as readonly {
      file: string;
      use: string;
    }[];
    expect(index.map(({ file }) => file)).toEqual(PLANS.map(({ name }) => `${name}.jsonl.gz`));
    expect(index.filter(({ use }) => use === 'tune')).toHaveLength(6);
    expect(index.filter(({ use }) => use === 'held-out')).toHaveLength(6);
    const bytes = PLANS.reduce((sum, { name }) => sum + statSync(recordingPath(name)).size, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it.each(PLANS)('$name says at least 150,000 tokens, with pauses in which a cache goes cold', ({ name }) => {
    expect(tokensOf(readRecording(name) ?? '')).toBeGreaterThanOrEqual(MIN_TOKENS);
    const times = linesOf(name).flatMap(({ at }) => at ?? []);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    const pauses = times.filter((at, index) => at - (times[index - 1] ?? at) > LONG_PAUSE_MS);
    expect(pauses.length).toBeGreaterThan(0);
  });

  it('a recording made anew is the same to the byte', async () => {
    const plan = PLANS.find(({ name }) => name === 'shell-marathon');
    if (plan === undefined) throw new Error('there is no such plan');
    expect(await record(plan)).toBe(readRecording(plan.name));
  }, 120_000);
});
