/** Archives under real processes: ended at any moment, side by side, on disks that take no more. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { contentAddress } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { type Kind, KINDS, numbered, openKind } from './kinds.ts';

const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
const NODE = ['--conditions=@holdover/source', '--import', 'tsx', CHILD];

const root = mkdtempSync(join(tmpdir(), 'holdover-killed-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const freshFolder = (): string => mkdtempSync(join(root, `${(folders += 1)}-`));

interface Ended {
  readonly stored: readonly number[];
  readonly failures: readonly string[];
  readonly errors: string;
}

interface Launch {
  readonly kind: Kind;
  readonly folder: string;
  readonly from?: number;
  readonly count?: number;
  /** Ended so long after the first text was stored. @default not at all */
  readonly killAfterMs?: number;
  /** No file may grow over so many KiB. @default any */
  readonly limitKiB?: number;
}

function put({ kind, folder, from = 0, count = 100_000, killAfterMs, limitKiB }: Launch): Promise<Ended> {
  const args = [...NODE, kind, folder, String(from), String(count)];
  const child =
    limitKiB === undefined
      ? spawn(process.execPath, args)
      : spawn('bash', ['-c', `ulimit -f ${limitKiB}; exec "$0" "$@"`, process.execPath, ...args]);
  let out = '';
  let errors = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    if (killAfterMs !== undefined) timer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      const lines = out.split('\n');
      const stored = lines.flatMap((line) => /^stored (\d+)$/.exec(line)?.[1] ?? []).map(Number);
      resolve({ stored, failures: lines.filter((line) => line.startsWith('failed ')), errors });
    });
  });
}

/** What an archive says about numbered texts, where it is not the very text. */
async function lost(launch: Pick<Launch, 'kind' | 'folder'>, numbers: readonly number[]): Promise<readonly string[]> {
  const archive = await openKind(launch.kind, launch.folder);
  const found: string[] = [];
  for (const number of numbers) {
    const text = numbered(number);
    const got = await archive.get(contentAddress(text, sha256Hex)).catch(String);
    if (got !== text) found.push(`${number}: ${got?.slice(0, 80)}`);
  }
  return found;
}

/** Texts that were under way: whole or not there, never in part, and there once put again. */
async function halves(launch: Pick<Launch, 'kind' | 'folder'>, numbers: readonly number[]): Promise<readonly string[]> {
  const archive = await openKind(launch.kind, launch.folder);
  const found: string[] = [];
  for (const number of numbers) {
    const text = numbered(number);
    const address = contentAddress(text, sha256Hex);
    const got = await archive.get(address).catch(String);
    if (got !== undefined && got !== text) found.push(`${number}: ${got.slice(0, 80)}`);
    await archive.put(address, text);
    if ((await archive.get(address)) !== text) found.push(`${number}: not there when put again`);
  }
  return found;
}

/** Some texts fit below it, and some do not. */
const LIMIT_KIB: Readonly<Record<Kind, number>> = { fs: 24, sqlite: 600 };

const WAIT_MS = 120_000;

describe.each(KINDS)('%s', (kind) => {
  it('a process killed in the middle of puts loses nothing it said was stored', { timeout: WAIT_MS }, async () => {
    const folder = freshFolder();
    let from = 0;
    for (const killAfterMs of [0, 3, 11, 40, 90, 170]) {
      const { stored, failures, errors } = await put({ kind, folder, from, killAfterMs });
      expect([failures, errors]).toEqual([[], '']);
      expect(stored.length).toBeGreaterThan(0);
      const next = (stored.at(-1) ?? from) + 1;
      expect(await lost({ kind, folder }, stored)).toEqual([]);
      expect(await halves({ kind, folder }, [next, next + 1])).toEqual([]);
      from = next;
    }
    expect(
      await lost(
        { kind, folder },
        Array.from({ length: from }, (_, number) => number),
      ),
    ).toEqual([]);
  });

  it('processes side by side put the same texts, and one that is killed harms no other', {
    timeout: WAIT_MS,
  }, async () => {
    const folder = freshFolder();
    const count = 150;
    const all = await Promise.all([
      put({ kind, folder, count }),
      put({ kind, folder, from: 50, count }),
      put({ kind, folder, count: 100_000, killAfterMs: 60 }),
    ]);
    expect(all.map(({ failures, errors }) => [failures, errors])).toEqual([
      [[], ''],
      [[], ''],
      [[], ''],
    ]);
    expect(all[0]?.stored).toHaveLength(count);
    expect(all[1]?.stored).toHaveLength(count);
    expect(
      await lost(
        { kind, folder },
        all.flatMap(({ stored }) => stored),
      ),
    ).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    'a disk that takes no more says so, keeps what is there, and takes more once there is room',
    { timeout: WAIT_MS },
    async () => {
      const folder = freshFolder();
      const before = await put({ kind, folder, count: 20 });
      expect(before.failures).toEqual([]);
      const { stored, failures } = await put({ kind, folder, from: 20, count: 120, limitKiB: LIMIT_KIB[kind] });
      expect([stored.length > 0, failures.length > 0]).toEqual([true, true]);
      expect(failures.filter((line) => !/^failed \d+ ARCHIVE_FAILED could not /.test(line))).toEqual([]);
      expect(await lost({ kind, folder }, [...before.stored, ...stored])).toEqual([]);
      expect((await put({ kind, folder, from: 20, count: 120 })).stored).toHaveLength(120);
    },
  );
});
