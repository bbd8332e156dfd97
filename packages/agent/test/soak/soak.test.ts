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
import { MARK_NAME, marked, newMark } from './orphans.ts';
import type { RunReport } from './protocol.ts';
import { createRandom } from './random.ts';
import { createFolderModel, makeWorkspace } from './workspace.ts';

const FINE: RunReport = {
  format: 'anthropic',
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
  logRatio: 1.4,
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
    [{ failures: ['turn 3: it broke'] }, 'anthropic: 1 failures, the first: turn 3: it broke'],
    [{ orphans: 2 }, 'anthropic: 2 processes left running'],
    [{ handlesLeft: ['1 x PipeWrap'] }, 'anthropic: handles left open: 1 x PipeWrap'],
    [{ memoryShare: 1.1 }, 'anthropic: memory: 165 MB, at most 150 MB'],
    [{ logRatio: 2.5 }, 'anthropic: log: 2.50 bytes a byte of message, at most 2'],
    [{ turnMsLast: 120 }, 'anthropic: time: 120 ms a turn in the last quarter, at most 105 ms'],
  ])('%j is missed', (change, line) => {
    expect(missed({ ...FINE, ...change })).toEqual([line]);
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
    expect(errorName(new Error('anything else'))).toBe(undefined);
  });
});
