import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdover, workFolder } from './support/holdover.ts';

const line = (file: number, i: number): string => `file ${file}, line ${i}: ${(i * 2_654_435_761 + file).toString(36)}`;
const FILES = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((file) => [
    `f${file}.txt`,
    `${Array.from({ length: 60 }, (_, i) => line(file, i)).join('\n')}\n`,
  ]),
);

async function worked(folder: string, ...flags: string[]): Promise<void> {
  const { status, stderr } = await holdover(['-p', 'Read every file in .', '--window', '8000', ...flags], { folder });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
}

/** Ten days ago, as the file system has it. */
function age(folder: string): void {
  const at = Date.now() / 1_000 - 10 * 86_400;
  for (const name of readdirSync(folder)) if (name.startsWith('c_')) utimesSync(join(folder, name), at, at);
}

describe('holdover archive', () => {
  it('counts the texts, and lets go of those no session speaks of', async () => {
    const folder = workFolder(FILES);
    await worked(folder);
    const texts = join(folder, '.task_outputs', 'tool-results');
    const kept = readdirSync(texts).filter((name) => name.startsWith('c_')).length;
    expect(kept).toBeGreaterThan(0);
    const stats = await holdover(['archive', 'stats'], { folder });
    expect(stats.stdout.split('\n').map((each) => each.replaceAll(/\d+(?:,\d{3})*/g, 'N'))).toEqual([
      kept === 1 ? 'archive     N text, N bytes' : 'archive     N texts, N bytes',
      'sessions    N, N of them open now',
      'unused      N texts, N bytes, in no session; holdover archive prune removes them',
      '',
    ]);
    age(texts);
    expect(JSON.parse((await holdover(['archive', 'prune', '--json'], { folder })).stdout)).toMatchObject({
      keptSessions: 1,
      removed: { texts: 0, bytes: 0 },
      kept: { texts: kept },
    });
    rmSync(join(folder, '.holdover'), { recursive: true });
    const dry = await holdover(['archive', 'prune', '--dry-run'], { folder });
    expect(dry.stdout).toMatch(/^would go {4}\d+ texts?, [\d,]+ bytes\nkept {8}0 texts, 0 bytes\n$/);
    const done = await holdover(['archive', 'prune'], { folder });
    expect(done.stdout).toMatch(/^removed {5}\d+ texts?, [\d,]+ bytes\nkept {8}0 texts, 0 bytes\n$/);
    expect(readdirSync(texts).filter((name) => name.startsWith('c_'))).toEqual([]);
  });

  it('keeps texts in SQLite where it is told to, and proves such a session', async () => {
    const folder = workFolder(FILES);
    await worked(folder, '--archive', 'sqlite');
    expect(existsSync(join(folder, '.task_outputs', 'archive.db'))).toBe(true);
    expect(existsSync(join(folder, '.task_outputs', 'tool-results'))).toBe(false);
    const { status, stdout, stderr } = await holdover(['verify', '--json'], { folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect((JSON.parse(stdout) as { recoveredBytes: number }).recoveredBytes).toBeGreaterThan(0);
    await worked(folder, '--continue');
    expect((await holdover(['verify'], { folder })).status).toBe(0);
  });

  it.each(['30', '1w', '-1d', 'soon'])('refuses the age %j', async (age) => {
    const { status, stderr } = await holdover(['archive', 'prune', `--older-than=${age}`], { folder: workFolder() });
    expect(status).toBe(2);
    expect(stderr).toBe(
      `holdover: --older-than is ${JSON.stringify(age)}; allowed: days or hours, such as 30d or 12h\n`,
    );
  });
});
