import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdover, workFolder } from './support/holdover.ts';

const FILES = { 'a.txt': 'first line\nsecond line\n' };

async function sessionIn(folder: string): Promise<string> {
  const { status } = await holdover(['-p', 'Read the file a.txt.'], { folder });
  expect(status).toBe(0);
  const [name = ''] = readdirSync(join(folder, '.holdover', 'sessions')).filter((file) => file.endsWith('.jsonl'));
  return join(folder, '.holdover', 'sessions', name);
}

describe('holdover verify', () => {
  it('proves the newest session, and one by path from anywhere', async () => {
    const folder = workFolder(FILES);
    const path = await sessionIn(folder);
    const { status, stdout, stderr } = await holdover(['verify'], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.replace(/\d{8}-\d{6}-[0-9a-f]{8}/, 'ID').split('\n')).toEqual([
      'session     ID, anthropic',
      'requests    2 built up again, 2 held against the seal of what was sent',
      'prefix      0 tokens written again between epochs; 0 at 0 epochs',
      'coverage    4 messages: 4 verbatim, 0 covered by a range, 0 replaced in part',
      'redeemed    0 addresses, 0 bytes',
      '',
    ]);
    const elsewhere = await holdover(['verify', path, '--json'], { folder: workFolder() });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ turns: 2, sealedTurns: 2, churnTokens: 0, failures: [] });
  });

  it('ends with 1 and a line for what does not hold', async () => {
    const folder = workFolder(FILES);
    const path = await sessionIn(folder);
    writeFileSync(path, readFileSync(path, 'utf8').replace('second line', 'sekond line'));
    const { status, stdout, stderr } = await holdover(['verify', path], { folder });
    expect(status).toBe(1);
    expect(stdout).toContain('requests    2 built up again');
    expect(stderr).toBe(
      'FAILED: turn 2, entry 1: history and ledger do not make the request that was sent (3 messages, 3 were sent); the difference is here or behind\n',
    );
  });

  it('says where there is no session', async () => {
    const folder = workFolder();
    const { status, stderr } = await holdover(['verify', '20260101-000000-0a1b2c3d'], { folder });
    expect(status).toBe(1);
    expect(stderr).toContain('there is no session log at');
    rmSync(join(folder, '.holdover'), { recursive: true, force: true });
    expect((await holdover(['verify'], { folder })).status).toBe(2);
  });
});
