import { appendFileSync, chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSessions, listSessions } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { leasePath } from '../../src/session/sessions.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const id = (number: number): string => `20260101-000000-${String(number).padStart(8, '0')}`;

function folderOf(root: string): string {
  const folder = join(root, '.holdover', 'sessions');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes a file as the program does: owner-only, records linked. Later numbers were used later. */
function put(root: string, number: number, records: readonly object[], more = ''): string {
  const path = join(folderOf(root), `${id(number)}.jsonl`);
  const header = {
    type: 'session',
    sessionId: id(number),
    createdAt: '2026-01-01T00:00:00.000Z',
    provider: 'anthropic',
    model: 'm',
  };
  const lines = [header, ...records].map((record, index) =>
    JSON.stringify({ v: 1, id: `r${index + 1}`, parent: index === 0 ? null : `r${index}`, ...record }),
  );
  writeFileSync(path, `${lines.join('\n')}\n${more}`, { mode: 0o600 });
  utimesSync(path, number, number);
  return path;
}

const user = (content: unknown): object => ({ type: 'message', message: { role: 'user', content } });
const model = (content: string): object => ({ type: 'message', message: { role: 'assistant', content } });

describe('the list of sessions for people', () => {
  it('names each by what the user wrote first, newest use first', async () => {
    const root = tempFolder();
    const path = put(root, 1, [
      user('\n\u001b[31mFix the parser\u001b[0m\nplease'),
      model('Done.'),
      { type: 'state', state: {} },
    ]);
    put(root, 2, [user([{ type: 'text', text: 'Zwei' }])]);
    writeFileSync(leasePath(path), JSON.stringify({ pid: process.pid, token: 't' }));
    utimesSync(path, 3, 3);
    const [first, second] = await describeSessions(root);
    expect(first).toEqual({
      id: id(1),
      title: 'Fix the parser',
      createdAt: '2026-01-01T00:00:00.000Z',
      usedAtMs: 3_000,
      messages: 2,
      bytes: expect.any(Number) as number,
      isOpen: true,
      model: 'm',
    });
    expect(second).toMatchObject({ id: id(2), title: 'Zwei', messages: 1, isOpen: false });
  });

  it('takes the name the user gave, and counts what a rewind left', async () => {
    const root = tempFolder();
    put(root, 1, [
      user('First'),
      model('a'),
      user('b'),
      { type: 'rewind', length: 1 },
      { type: 'fact', name: 'title', value: 'Old name' },
      { type: 'fact', name: 'title', value: 'My\u0007 name' },
      { type: 'fact', name: 'title', value: 7 },
    ]);
    put(root, 2, [user('Given up'), model('a'), { type: 'rewind', length: 0 }, user('Taken up')]);
    expect(await describeSessions(root)).toMatchObject([
      { title: 'Taken up', messages: 1 },
      { title: 'My name', messages: 1 },
    ]);
  });

  it('finds words behind results and in a long first message', async () => {
    const root = tempFolder();
    put(root, 1, [
      user([{ type: 'tool_result', tool_use_id: 'x', content: 'no words' }]),
      user(`Here is a file: ${'x'.repeat(1_000_000)}`),
      model('ok'),
    ]);
    const [summary] = await describeSessions(root);
    expect(summary?.title.startsWith('Here is a file: xxx')).toBe(true);
    expect(summary?.title).toHaveLength(60);
    expect(summary?.messages).toBe(3);
  });

  it('lists what is damaged, newer or of somebody else, and leaves out what is no file', async () => {
    const root = tempFolder();
    const folder = folderOf(root);
    writeFileSync(join(folder, `${id(1)}.jsonl`), '{"v":1}\nnonsense\n', { mode: 0o600 });
    put(root, 2, [user('later')], '{"v":2,"id":"x","parent":"r2","type":"message","message":{}}\n');
    chmodSync(put(root, 3, [user('planted')]), 0o644);
    symlinkSync('/etc/hostname', join(folder, `${id(4)}.jsonl`));
    symlinkSync('/nowhere', join(folder, `${id(5)}.jsonl`));
    mkdirSync(join(folder, `${id(6)}.jsonl`));
    utimesSync(join(folder, `${id(1)}.jsonl`), 1, 1);
    utimesSync(join(folder, `${id(2)}.jsonl`), 2, 2);
    utimesSync(join(folder, `${id(3)}.jsonl`), 3, 3);
    expect(await describeSessions(root)).toMatchObject([
      { id: id(3), title: 'planted', problem: 'foreign' },
      { id: id(2), title: 'later', problem: 'newer' },
      { id: id(1), title: '', createdAt: '', messages: 0, problem: 'damaged' },
    ]);
    expect(await listSessions(root)).toEqual([id(3), id(2), id(1)]);
  });

  it('survives lines of any kind', async () => {
    const root = tempFolder();
    const lines = [
      'null',
      '{"v":1,"id":"a","parent":"r1","type":"message","message":null}',
      '{"v":1,"id":"b","parent":"a","type":"message","message":{"role":{},"content":7}}',
      '{"v":1,"id":"c","parent":"b","type":"rewind","length":"all"}',
      '{"v":1,"id":"d","parent":"c","type":"constructor"}',
      `{"v":1,"id":"e","parent":"d","type":"message","message":${'['.repeat(50_000)}`,
      '\0\0\0\0',
      '',
    ];
    put(root, 1, [], `${lines.join('\n')}\n${JSON.stringify({ v: 1, id: 'z', parent: 'e', ...user('Words') })}\n`);
    expect(await describeSessions(root)).toMatchObject([{ title: 'Words', messages: 4 }]);
  });

  it('takes a session of many pieces as it takes a small one', async () => {
    const root = tempFolder();
    const path = put(root, 1, [user('Begin')]);
    const line = JSON.stringify({ v: 1, id: 'r9', parent: 'r2', ...model('ä'.repeat(1_000)) });
    for (let i = 0; i < 20; i += 1) appendFileSync(path, `${line}\n`.repeat(100));
    expect(await describeSessions(root)).toMatchObject([{ title: 'Begin', messages: 2_001 }]);
  });
});
