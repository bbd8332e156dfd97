import type { Forecast } from '@holdover/engine';
import { describe, expect, it } from 'vitest';
import { previewLines } from '../../src/interactive/commands/preview.ts';
import { smallDollars } from '../../src/interactive/text/numbers.ts';
import { PLAIN } from '../../src/interactive/text/theme.ts';

const FORECAST: Forecast = {
  model: 'm',
  cause: 'manual',
  tokensBefore: 45_000,
  tokensAfter: 3_200,
  changes: [
    {
      layer: 'micro',
      from: 4,
      to: 5,
      part: 0,
      what: 'read_file src/a.ts',
      tokensBefore: 2_040,
      tokensAfter: 26,
      addresses: ['c_0123456789abcdef'],
    },
    {
      layer: 'summary',
      from: 0,
      to: 4,
      what: 'messages 0 to 3',
      tokensBefore: 40_500,
      tokensAfter: 714,
      addresses: ['h_0-4_0123456789abcdef'],
    },
  ],
  summary: { trigger: 'manual', writer: 'code', mayBeBlocked: false },
  held: ['pin 1: over a tenth of this window'],
  money: {
    isCold: false,
    removedTokens: 41_800,
    behindTokens: 2_000,
    summaryTokens: 0,
    costNowTokens: 2_300,
    savesPerCallTokens: 4_180,
    breakEvenCalls: 0.55,
  },
};
const shown = { columns: 80, theme: PLAIN, inputUsd: 5 };

describe('/compact --preview', () => {
  it('lists what goes where, then what it costs and saves', () => {
    expect(previewLines(FORECAST, shown)).toEqual([
      '◇ would compact: 45k → 3.2k tokens · nothing has changed',
      'micro    read_file src/a.ts  2.0k → 26  c_0123456789abcdef',
      'summary  messages 0 to 3     41k → 714  h_0-4_0123456789abcdef',
      'The summary is written by code, as shown.',
      'now costs $0.011 (2.3k tokens of input): 2.0k are written to the cache anew',
      'each call saves $0.021 (4.2k tokens of input) · paid back after 1 call',
      'held back: pin 1: over a tenth of this window',
    ]);
  });

  it('says so where the price is not known, a model would write, or nothing that was sent changes', () => {
    const money = { ...FORECAST.money, behindTokens: 0, costNowTokens: 0, breakEvenCalls: 0 };
    const summary = { trigger: 'manual' as const, writer: 'sim-1', mayBeBlocked: false };
    const lines = previewLines({ ...FORECAST, money, summary, held: [] }, { ...shown, inputUsd: undefined });
    expect(lines.slice(3)).toEqual([
      'sim-1 would write the summary; its size here is that of the one code writes.',
      'now costs nothing: what changes was never sent',
      'each call saves 4.2k tokens of input',
    ]);
  });

  it('says that a cold cache costs nothing', () => {
    const money = { ...FORECAST.money, isCold: true, behindTokens: 0, costNowTokens: 0, breakEvenCalls: 0 };
    expect(previewLines({ ...FORECAST, money }, shown)[4]).toBe(
      'now costs nothing: the cache is cold and is written anew in any case',
    );
  });

  it('is one line where there is nothing to compact', () => {
    expect(previewLines({ ...FORECAST, changes: [], held: [] }, shown)).toEqual(['There is nothing to compact yet.']);
  });

  it('lets nothing of a path or a command move the cursor', () => {
    const [change] = FORECAST.changes;
    const changes = change === undefined ? [] : [{ ...change, what: 'bash \u001b[2Jrm\n' }];
    expect(previewLines({ ...FORECAST, changes }, shown).join('')).not.toContain('\u001b');
  });
});

it('fractions of a cent keep two digits', () => {
  expect([0, 0.00042, 0.0215, 0.5, 12.3].map(smallDollars)).toEqual([
    '$0.000',
    '$0.00042',
    '$0.021',
    '$0.500',
    '$12.30',
  ]);
});
