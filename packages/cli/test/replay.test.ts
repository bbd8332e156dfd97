import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayCommand } from '../src/commands/replay.ts';
import { workFolder } from './support/holdover.ts';

const RECORDS = [
  { type: 'session', id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' },
  { type: 'message', message: { role: 'user', content: 'Never push.' } },
  {
    type: 'message',
    message: { role: 'assistant', timestamp: 1_000, content: [{ type: 'text', text: 'Understood.' }] },
  },
];

function file(name: string, text: string): string {
  return join(workFolder({ [name]: text }), name);
}

async function shown(options: Partial<Parameters<typeof replayCommand>[0]> = {}): Promise<string> {
  let text = '';
  await replayCommand({
    file: file('pi.jsonl', `${RECORDS.map((record) => JSON.stringify(record)).join('\n')}\n{"torn`),
    policies: ['append-only', 'mask-10'],
    prices: 'anthropic',
    windowTokens: 200_000,
    probes: false,
    json: false,
    out: (part) => {
      text += part;
    },
    ...options,
  });
  return text;
}

it('shows how it counts, what it skipped, and a line for each policy', async () => {
  const lines = (await shown()).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'pi: 1 calls, 2 messages, 0 compactions then (not applied)',
    "calibration: 1.220 of the provider's tokens a counted one, the default, since the log has no usage; system and tools 0 tokens",
    'billed then unknown, floor 0.000M, in input-token equivalents',
    'line 4 skipped: torn last line',
  ]);
  expect(lines[4]).toMatch(/^policy +bill +penalty +score +vs append /);
  expect(lines[5]).toMatch(/^append-only +0\.000M +0\.000M +0\.000M +0\.0% /);
  expect(lines[6]).toMatch(/^mask-10 /);
});

it('shows what is kept where it is asked to', async () => {
  expect(await shown({ probes: true })).toMatch(/^append-only after 0 .* 100\.0 \/ 100\.0 \(1\) /m);
});

it('gives the same as JSON', async () => {
  const { rows, calibration, prices } = JSON.parse(await shown({ json: true, prices: 'deepseek' })) as {
    readonly rows: readonly { readonly policy: string; readonly calls: number }[];
    readonly calibration: object;
    readonly prices: object;
  };
  expect(rows.map(({ policy, calls }) => [policy, calls])).toEqual([
    ['append-only', 1],
    ['mask-10', 1],
  ]);
  expect(calibration).toEqual({ factor: 1.22, headTokens: 0, pairs: 0 });
  expect(prices).toMatchObject({ readTimes: 0.02, writeTimes: 1 });
});

it('takes prices from a file, and says what is wrong with it', async () => {
  const prices = { readTimes: 0.5, writeTimes: 1, outputTimes: 4, ttlMs: 1_000 };
  expect(JSON.parse(await shown({ json: true, prices: file('p.json', JSON.stringify(prices)) }))).toMatchObject({
    prices,
  });
  await expect(shown({ prices: file('p.json', '{') })).rejects.toMatchObject({ code: 'bad_usage' });
  await expect(shown({ prices: file('p.json', '{"readTimes":1}') })).rejects.toThrow(
    /a price list needs writeTimes, outputTimes, ttlMs as numbers from 0/,
  );
});

it('names what there is for a policy there is not', async () => {
  await expect(shown({ policies: ['best'] })).rejects.toThrow(/there is no policy "best"; there are append-only/);
});
