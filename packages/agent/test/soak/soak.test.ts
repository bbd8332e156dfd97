/** The soak's own instruments: one that sees nothing would pass for a healthy agent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkAddresses } from './addresses.ts';
import { errorName } from './expected.ts';
import { missed } from './figures.ts';
import { Growth, LogMeter, type Tenth } from './growth.ts';
import { MARK_NAME, marked, newMark } from './orphans.ts';
import type { RunReport } from './protocol.ts';
import { createRandom } from './random.ts';
import { createFolderModel, makeWorkspace } from './workspace.ts';

const TENTH: Tenth = {
  messages: 1_000,
  messageBytes: 500_000,
  ledgerBytes: 200_000,
  logBytes: 1_100_000,
  prepareMs: 0.4,
  prepares: 300,
  rssMb: 140,
  historyMessages: 10_000,
};

/** Ten tenths, all the same but for those changed. */
function tenths(...changes: readonly (readonly [index: number, change: Partial<Tenth>])[]): readonly Tenth[] {
  return Array.from({ length: 10 }, (_, index) =>
    changes.filter(([at]) => at === index).reduce((tenth, [, change]) => ({ ...tenth, ...change }), TENTH),
  );
}

const FINE: RunReport = {
  format: 'anthropic',
  policy: 'economic',
  turns: 1_000,
  seconds: 60,
  failures: [],
  expected: {},
  counts: {},
  faults: {},
  requests: 3_000,
  overflows: 1,
  addressesChecked: 10,
  provedTurns: 2_900,
  filesChecked: 10,
  peakRssMb: 140,
  peakHeapMb: 40,
  baseRssMb: 80,
  memoryLimitMb: 150,
  memoryShare: 0.9,
  historyMb: 1,
  historyMessages: 3_000,
  tenths: tenths(),
  turnMsFirst: 50,
  turnMsLast: 60,
  orphans: 0,
  handlesLeft: [],
};

describe('figures', () => {
  it('a report within all limits misses none', () => {
    expect(missed(FINE)).toEqual([]);
  });

  it.each([
    [{ failures: ['turn 3: it broke'] }, 'anthropic, economic: 1 failures, the first: turn 3: it broke'],
    [{ orphans: 2 }, 'anthropic, economic: 2 processes left running'],
    [{ handlesLeft: ['1 x PipeWrap'] }, 'anthropic, economic: handles left open: 1 x PipeWrap'],
    [{ memoryShare: 1.1 }, 'anthropic, economic: memory: 165 MB, at most 150 MB'],
    [
      { tenths: tenths(...Array.from({ length: 10 }, (_, index) => [index, { logBytes: 1_600_000 }] as const)) },
      'anthropic, economic: log: 1100 bytes beside each message, at most 1000',
    ],
    [
      { tenths: tenths([9, { prepareMs: 0.61 }]) },
      'anthropic, economic: prepare: 0.61 ms in the last tenth, 0.40 in the second',
    ],
    [
      { tenths: tenths([6, { logBytes: 3_000_000 }]) },
      'anthropic, economic: log beside the messages: 980 bytes a message in the second half, 600 in the first',
    ],
    [
      { tenths: tenths([9, { ledgerBytes: 800_000 }]) },
      'anthropic, economic: ledger: 320 bytes a message in the second half, 200 in the first',
    ],
    [{ turnMsLast: 120 }, 'anthropic, economic: time: 120 ms a turn in the last quarter, at most 105 ms'],
  ])('%j is missed', (change, line) => {
    expect(missed({ ...FINE, ...change })).toEqual([line]);
  });

  it('a short run says nothing about growth', () => {
    const grown = { ...FINE, tenths: tenths([9, { prepareMs: 4, ledgerBytes: 800_000 }]) };
    expect(missed({ ...grown, turns: 399 })).toEqual([]);
    expect(missed({ ...grown, turns: 999 })).toHaveLength(1);
    expect(missed({ ...grown, turns: 1_000 })).toHaveLength(2);
  });
});

describe('instruments', () => {
  it('a process with the mark is found until it ends', async () => {
    const mark = newMark();
    const child = spawn('sleep', ['30'], {
      env: { PATH: process.env['PATH'] ?? '', [MARK_NAME]: mark },
      detached: true,
    });
    await once(child, 'spawn');
    expect(marked(mark)).toEqual([`${child.pid}: sleep 30`]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(marked(mark)).toEqual([]);
  });

  it('a file that nobody was told to write is a difference, once', () => {
    const folder = makeWorkspace();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const model = createFolderModel(folder);
    expect(model.check()).toEqual([]);
    writeFileSync(join(folder, 'src', 'file3.ts'), 'something else');
    expect(model.check()).toEqual(['src/file3.ts is not what was written to it']);
    expect(model.check()).toEqual([]);
  });

  it('a write that succeeded is expected, one that failed is not', () => {
    const folder = makeWorkspace();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const model = createFolderModel(folder);
    const tell = (id: string, path: string, isError: boolean): void => {
      model.onEvent({ type: 'tool-start', id, name: 'write_file', input: { path, content: 'new' } });
      model.onEvent({ type: 'tool-end', id, name: 'write_file', text: '', isError });
    };
    tell('1', 'src/file1.ts', false);
    tell('2', 'src/file2.ts', true);
    expect(model.check()).toEqual(['src/file1.ts is not what was written to it']);
  });

  it('what a log has grown by is counted, a copy of another log is not', () => {
    const folder = makeWorkspace();
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [path, copy] = [join(folder, 'one.jsonl'), join(folder, 'other.jsonl')];
    const head = '{"type":"session"}\n';
    const ledger = '{"type":"ledger","groups":[]}\n';
    const message = '{"type":"message","message":{"role":"user","content":"ü"}}\n';
    writeFileSync(path, head);
    const meter = new LogMeter();
    expect(meter.added(path).logBytes).toBe(0);
    writeFileSync(path, head + ledger + message);
    expect(meter.added(path)).toEqual({ messages: 1, messageBytes: 30, ledgerBytes: 30, logBytes: 90 });
    expect(meter.added(path).logBytes).toBe(0);
    writeFileSync(copy, head + ledger + message);
    expect(meter.added(copy).logBytes).toBe(0);
  });

  it('turns are shared out to tenths, and the middle of the prepares is kept', () => {
    const growth = new Growth(30);
    for (const ms of [5, 1, 3]) growth.prepared(3, ms);
    growth.prepared(4, 7);
    growth.prepared(30, 9);
    growth.sampled(30, 100);
    growth.sampled(29, 120);
    const all = growth.tenths();
    expect(all.map(({ prepareMs }) => prepareMs)).toEqual([3, 7, 0, 0, 0, 0, 0, 0, 0, 9]);
    expect(all[9]).toMatchObject({ prepares: 1, rssMb: 120 });
  });

  it('an address that gives other bytes is a problem', async () => {
    const archive = memoryArchive();
    const context = createContext<object, object>({ codec: anthropic(), archive });
    context.append([{ role: 'user', content: 'Look at it.' }]);
    const edit = { kind: 'part', layer: 'micro', at: 0, part: 0, text: '', becomesText: false } as const;
    const proved = { ...edit, until: 1, proof: '', reason: '', addresses: ['c_0123456789abcdef'] };
    const broken = {
      ...context,
      history: () => context.history(),
      view: () => ({
        entries: [{ from: 0, to: 1, tokens: 1, bytes: 1, patches: new Map([[0, proved]]) }],
        tokens: 1,
        bytes: 1,
      }),
      recall: async (address: string) => ({ kind: 'content' as const, address, text: 'Another text.' }),
    };
    const { checked, problems } = await checkAddresses({ context: broken as never }, createRandom('1'), 5);
    expect(checked).toBe(1);
    expect(problems).toEqual(['c_0123456789abcdef of micro gives a text that has another address']);
  });

  it('only what a user has to live with is expected', () => {
    const limit = (seconds: string): object => ({ status: 429, headers: new Headers({ 'retry-after': seconds }) });
    expect(errorName(limit('3600'))).toBe('a rate limit of an hour');
    expect(errorName(limit('2'))).toBe(undefined);
    expect(errorName({ code: 'REASONING_BOUND' })).toBe('an undo behind which a model thought');
    expect(errorName(new Error('anything else'))).toBe(undefined);
  });
});
