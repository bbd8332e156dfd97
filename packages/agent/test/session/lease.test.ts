import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isHeld, takeLease } from '../../src/session/lease.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

/** The id of a process that has ended. */
function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
}

describe('a lease', () => {
  it('is held by one at a time and given back', async () => {
    const path = join(tempFolder(), 'x.lease');
    const first = await takeLease(path);
    expect(first).toBeDefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await takeLease(path)).toBeUndefined();
    await first?.release();
    expect(existsSync(path)).toBe(false);
    expect(await takeLease(path)).toBeDefined();
  });

  it.each([
    ['of a process that is gone', () => JSON.stringify({ pid: deadPid(), token: 'old' })],
    ['that says nothing', () => ''],
    ['of no process', () => '{"pid":"me","token":1}'],
  ])('takes the place of one %s', async (_, text) => {
    const folder = tempFolder();
    const path = join(folder, 'x.lease');
    writeFileSync(path, text());
    expect(await takeLease(path)).toBeDefined();
    expect(readdirSync(folder)).toEqual(['x.lease']);
  });

  it('a session that stays open for ever: an id that another process was given since holds nothing', async () => {
    const path = join(tempFolder(), 'x.lease');
    // Where the system does not tell when a process began, the id alone has to do.
    const tells = existsSync('/proc/self/stat');
    writeFileSync(path, JSON.stringify({ pid: process.pid, token: 'old', born: 'another boot/1' }));
    expect(await isHeld(path)).toBe(!tells);
    expect((await takeLease(path)) === undefined).toBe(!tells);
    expect(await isHeld(path)).toBe(true);
  });

  it('goes to one of many that ask at once, also where a stale one stands', async () => {
    for (const stale of [undefined, JSON.stringify({ pid: deadPid(), token: 'old' })]) {
      const folder = tempFolder();
      const path = join(folder, 'x.lease');
      if (stale !== undefined) writeFileSync(path, stale);
      const taken = await Promise.all(Array.from({ length: 8 }, () => takeLease(path)));
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
      expect(readdirSync(folder).filter((name) => name !== 'x.lease')).toEqual([]);
    }
  });

  it('is free again the time after a process ended in the middle of taking one over', async () => {
    const folder = tempFolder();
    const path = join(folder, 'x.lease');
    const gone = JSON.stringify({ pid: deadPid(), token: 'old' });
    writeFileSync(path, gone);
    writeFileSync(`${path}.takeover`, gone);
    expect(await takeLease(path)).toBeUndefined();
    expect(await takeLease(path)).toBeDefined();
    expect(readdirSync(folder)).toEqual(['x.lease']);
  });

  it('does not give back what another has taken since', async () => {
    const path = join(tempFolder(), 'x.lease');
    const lease = await takeLease(path);
    writeFileSync(path, JSON.stringify({ pid: process.pid, token: 'another' }));
    await lease?.release();
    expect(existsSync(path)).toBe(true);
  });
});
