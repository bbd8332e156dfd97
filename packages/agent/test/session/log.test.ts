import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog, reopenLog } from '../../src/session/log.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { titleFact, todosOf } from '../../src/session/facts.ts';
import type { NewRecord } from '../../src/session/records.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const HEADER = {
  sessionId: '20261130-161835-0a1b2c3d',
  createdAt: '2026-11-30T16:18:35.000Z',
  provider: 'anthropic',
  model: 'm',
} as const;
const STATE = {
  v: 1,
  meter: { ratio: 1.5, reports: 2 },
  breaker: { failures: 1, target: 'm 1' },
  holdLength: 3,
  learnedWindows: [['m', 8_000]],
} as const;
const GROUPS = [{ seq: 1, at: 2, cause: 'undo', target: 1 }] as const;
const say = (text: string): NewRecord => ({ type: 'message', message: { role: 'user', content: text } });
const RECORDS: readonly NewRecord[] = [
  say('äöü 🦊\n"quoted"'),
  { type: 'ledger', groups: GROUPS },
  say('é'),
  { type: 'state', state: STATE },
];

async function made(records: readonly NewRecord[] = RECORDS): Promise<string> {
  const path = join(tempFolder(), 'sessions', 'log.jsonl');
  const log = await createLog(path, HEADER);
  await log.append(records);
  await log.close();
  return path;
}

const linesOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

describe('a session log', () => {
  it('gives back what was appended', async () => {
    const loaded = await loadSession(await made());
    expect(loaded.header).toEqual({ v: 1, id: 'r1', parent: null, type: 'session', ...HEADER });
    expect(loaded.messages).toEqual([
      { role: 'user', content: 'äöü 🦊\n"quoted"' },
      { role: 'user', content: 'é' },
    ]);
    expect(loaded.groups).toEqual(GROUPS);
    expect(loaded.state).toEqual(STATE);
    expect(loaded).toMatchObject({ head: 'r5', nextId: 6 });
  });

  it('links every record to the one before, over a reopening too', async () => {
    const path = await made();
    const log = await reopenLog(path, await loadSession(path));
    await log.append([say('more')]);
    await log.close();
    const links = linesOf(path).map((line) => JSON.parse(line) as { v: number; id: string; parent: string | null });
    expect(links.map(({ v, id, parent }) => [v, id, parent])).toEqual([
      [1, 'r1', null],
      [1, 'r2', 'r1'],
      [1, 'r3', 'r2'],
      [1, 'r4', 'r3'],
      [1, 'r5', 'r4'],
      [1, 'r6', 'r5'],
    ]);
  });

  it('cut at every byte of its last records opens with everything before the cut, and the next append is clean', async () => {
    const path = await made();
    const bytes = readFileSync(path);
    const header = bytes.indexOf(0x0a) + 1;
    const kinds = linesOf(path).map((line) => (JSON.parse(line) as { type: string }).type);
    for (let cut = header; cut <= bytes.length; cut += 1) {
      writeFileSync(path, bytes.subarray(0, cut));
      const whole = bytes.subarray(0, cut).filter((byte) => byte === 0x0a).length;
      const kept = kinds.slice(0, whole);
      const loaded = await loadSession(path);
      expect(loaded.messages, `cut at ${cut}`).toHaveLength(kept.filter((kind) => kind === 'message').length);
      expect(loaded.groups).toHaveLength(kept.includes('ledger') ? 1 : 0);
      expect(loaded.state).toEqual(kept.includes('state') ? STATE : undefined);
      const log = await reopenLog(path, loaded);
      await log.append([say('after the cut')]);
      await log.close();
      const again = await loadSession(path);
      expect(again.messages).toEqual([...loaded.messages, { role: 'user', content: 'after the cut' }]);
      expect(linesOf(path)).toHaveLength(whole + 1);
    }
  });

  it('keeps records of unknown types and skips them', async () => {
    const path = await made();
    const foreign = '{"v":1,"id":"x1","parent":"r5","type":"bookmark","note":"mine"}\n';
    appendFileSync(path, foreign);
    const loaded = await loadSession(path);
    expect(loaded.messages).toHaveLength(2);
    const log = await reopenLog(path, loaded);
    await log.append([say('behind it')]);
    await log.close();
    expect(readFileSync(path, 'utf8')).toContain(foreign);
    expect(JSON.parse(linesOf(path).at(-1) ?? '')).toMatchObject({ parent: 'x1' });
    expect((await loadSession(path)).messages.at(-1)).toEqual({ role: 'user', content: 'behind it' });
  });

  it('gives no id twice, whatever ids another writer gave', async () => {
    const path = await made();
    appendFileSync(path, '{"v":1,"id":"r7","parent":"r5","type":"bookmark"}\n');
    const log = await reopenLog(path, await loadSession(path));
    await log.append([say('one'), say('two')]);
    await log.close();
    expect((await loadSession(path)).messages).toHaveLength(4);
  });

  it('reads the newest branch of a tree', async () => {
    const path = await made([say('one'), say('two')]);
    appendFileSync(
      path,
      '{"v":1,"id":"r9","parent":"r2","type":"message","message":{"role":"user","content":"another two"}}\n',
    );
    const { messages } = await loadSession(path);
    expect(messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'user', content: 'another two' },
    ]);
  });

  it.each([
    ['a line that is not JSON', '{"v":1,', 'line 6: it is not JSON'],
    ['a run of NUL bytes', '\0\0\0', 'line 6: it is not JSON'],
    ['null', 'null', 'line 6: it is no session record: v, id or type is missing'],
    ['a record without an id', '{"v":1,"type":"message"}', 'line 6: it is no session record: v, id or type is missing'],
    [
      'a message that is none',
      '{"v":1,"id":"r6","parent":"r5","type":"message","message":"hi"}',
      'line 6: it is no message record',
    ],
    [
      'a rewind to nowhere',
      '{"v":1,"id":"r6","parent":"r5","type":"rewind","length":-1}',
      'line 6: it is no rewind record',
    ],
    [
      'a type named like a member of every object',
      '{"v":1,"id":"r6","parent":"gone","type":"constructor"}',
      'line 6: the record it follows is not there',
    ],
    [
      'a record that is its own parent',
      '{"v":1,"id":"r6","parent":"r6","type":"bookmark"}',
      'line 6: the record it follows is not there',
    ],
  ])(
    'K05: a loader that stops at the first bad line: steps over %s, keeps what is around it and says so',
    async (_, line, damage) => {
      const path = await made();
      appendFileSync(path, `${line}\n{"v":1,"id":"r7","parent":"r5","type":"message","message":{"role":"user"}}\n`);
      const loaded = await loadSession(path);
      expect(loaded.damage).toEqual([damage]);
      expect(loaded.messages).toHaveLength(3);
      expect(loaded.groups).toEqual(GROUPS);
      expect(loaded.state).toEqual(STATE);
    },
  );

  it('keeps what stands behind a lost record, which nothing links to any more', async () => {
    const path = await made();
    const lines = linesOf(path);
    writeFileSync(path, [...lines.slice(0, 2), '#', ...lines.slice(3), ''].join('\n'));
    const loaded = await loadSession(path);
    expect(loaded.damage).toEqual(['line 3: it is not JSON', 'line 4: the record it follows is not there']);
    expect(loaded.messages).toHaveLength(2);
    expect(loaded.state).toEqual(STATE);
  });

  it('says which version it met, and reads what it knows of it', async () => {
    const path = await made();
    appendFileSync(
      path,
      '{"v":7,"id":"r6","parent":"r5","type":"message","message":{"role":"user","content":"new"}}\n',
    );
    const loaded = await loadSession(path);
    expect([loaded.version, loaded.damage]).toEqual([7, []]);
    expect(loaded.messages.at(-1)).toEqual({ role: 'user', content: 'new' });
  });

  it('takes messages back as often as it is told, and never more than there are', async () => {
    const path = await made([
      say('one'),
      say('two'),
      say('three'),
      { type: 'rewind', length: 1 },
      say('other'),
      { type: 'rewind', length: 9 },
      say('end'),
    ]);
    const texts = (await loadSession(path)).messages.map((message) => (message as { content: string }).content);
    expect(texts).toEqual(['one', 'other', 'end']);
  });

  it('keeps the newest fact of each name', async () => {
    const path = await made([
      { type: 'fact', name: 'title', value: 'first' },
      { type: 'fact', name: 'todos', value: [{ content: 'a', status: 'pending' }, { content: 1 }, null] },
      { type: 'fact', name: '__proto__', value: { polluted: true } },
      { type: 'fact', name: 'title', value: 'second' },
    ]);
    const { facts } = await loadSession(path);
    expect(titleFact(facts)).toBe('second');
    expect(todosOf(facts)).toEqual([{ content: 'a', status: 'pending' }]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(todosOf(new Map([['todos', 'none']]))).toEqual([]);
  });

  it('refuses a file that has not even a header', async () => {
    const path = join(tempFolder(), 'log.jsonl');
    writeFileSync(path, '{"v":1,"id":"r1","par');
    await expect(loadSession(path)).rejects.toMatchObject({ code: 'session_unreadable' });
  });

  it('is readable by its owner only, and never replaces another', async () => {
    const path = await made();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(createLog(path, HEADER)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('goes on cleanly after a write that failed half way', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'sessions'));
    const path = join(folder, 'sessions', 'log.jsonl');
    const log = await createLog(path, HEADER);
    await log.append([say('one')]);
    const probe = await open(join(folder, 'probe'), 'w');
    const spy = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'appendFile');
    onTestFinished(() => spy.mockRestore());
    await probe.close();
    spy.mockImplementationOnce(async function half(this: FileHandle, text) {
      await this.write(String(text).slice(0, 20));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    await expect(log.append([say('lost')])).rejects.toMatchObject({
      code: 'session_not_written',
      message: expect.stringMatching(/no space left on device.*make room and go on/) as string,
    });
    await log.append([say('two')]);
    await log.close();
    expect((await loadSession(path)).messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'user', content: 'two' },
    ]);
  });
});
