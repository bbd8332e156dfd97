/** Disks that are full or locked: a clear error, nothing half written, and a session that goes on once there is room. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSessions, RESULTS_FOLDER, SESSIONS_FOLDER } from '@holdover/agent';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from '../workspace/temp-folder.ts';
import { bundleChild } from './bundle.ts';
import { canMount, onLockedDisk, onSmallDisk, withFileLimit } from './disks.ts';
import { launchOf, observe, type Observed } from './observed.ts';
import { FORMATS, type Format, type Part } from './protocol.ts';
import { createResumer, type Resumer } from './resume.ts';
import { readSurvivors } from './survivors.ts';

/** A second, but for a machine that has much else to do. */
const BUNDLE_MS = 60_000;

let program: string;
let resumer: Resumer;
beforeAll(async () => {
  program = await bundleChild('holdover-disks-test');
  resumer = await createResumer();
}, BUNDLE_MS);
afterAll(() => resumer.close());

const policy = 'economic';
const isLinux = process.platform === 'linux';
const mounts = isLinux && canMount();

/** What may be told to a user whose disk takes no more. */
const CLEAR: ReadonlySet<string> = new Set(['session_not_written', 'ARCHIVE_FAILED', 'invalid_workspace']);

function unclear({ failures }: Observed): readonly string[] {
  return failures
    .filter(({ op, code }) => !(CLEAR.has(code) || (op === 'undo' && code === 'WINDOW_EXHAUSTED')))
    .map(({ op, code, message }) => `${op}: ${code} ${message}`);
}

/** Names of files that are there in part only. */
function halves(folder: string): readonly string[] {
  const files = readdirSync(join(folder, RESULTS_FOLDER), { withFileTypes: true });
  return files.map(({ name }) => name).filter((name) => name.endsWith('.tmp'));
}

async function problemsOf(folder: string, format: Format, seen: Observed): Promise<readonly string[]> {
  const id = seen.holding?.sessionId ?? '';
  const { problems } = await readSurvivors(folder, id, seen);
  const { holding } = seen;
  const mayUnpin = seen.underWay?.op === 'unpin';
  return [...problems, ...(await resumer.resume(folder, { format, policy, id, holding, mayUnpin }))];
}

describe.skipIf(!isLinux).each(FORMATS)('a full disk, %s', (format) => {
  it('that cuts a write of the log in the middle', async () => {
    const folder = tempFolder();
    const seen = await observe(
      withFileLimit(program, { folder, format, policy, seed: `limit/${format}`, ops: 40 }, 60),
    );
    expect(unclear(seen)).toEqual([]);
    expect(seen.failures.find(({ code }) => code === 'session_not_written')?.message).toMatch(
      /\.jsonl could not be written \(EFBIG: .*\): the disk is full; make room and go on: what was written before is whole$/,
    );
    expect(seen.isOver).toBe(true);
    expect(await problemsOf(folder, format, seen)).toEqual([]);
  });

  it.skipIf(!mounts)('of its own, with the archive on it', async () => {
    const [folder, kept] = [tempFolder(), tempFolder()];
    const part: Part = { folder, format, policy, seed: `full/${format}`, ops: 40 };
    const seen = await observe(onSmallDisk(program, part, { kib: 260, kept }));
    expect(unclear(seen)).toEqual([]);
    expect(seen.failures.map(({ code }) => code)).toContain('session_not_written');
    expect(seen.failures.map(({ message }) => message).join('\n')).toContain('ENOSPC');
    expect(seen.isOver).toBe(true);
    expect(halves(kept)).toEqual([]);
    expect(await problemsOf(kept, format, seen)).toEqual([]);
  });

  it.skipIf(!mounts)('from the start: no session, and none begun', async () => {
    const [folder, kept] = [tempFolder(), tempFolder()];
    const seen = await observe(
      onSmallDisk(program, { folder, format, policy, seed: 'none', ops: 1 }, { kib: 4, kept }),
    );
    expect(seen.wasOpen).toBe(false);
    expect(seen.failures.map(({ op, code }) => [op, code])).toEqual([['open', 'session_not_written']]);
    expect(await listSessions(kept)).toEqual([]);
    mkdirSync(join(kept, SESSIONS_FOLDER), { recursive: true });
    expect(readdirSync(join(kept, SESSIONS_FOLDER))).toEqual([]);
  });
});

describe.skipIf(!mounts)('a locked folder', () => {
  const format = 'anthropic';

  it('takes no new session, says so and leaves nothing', async () => {
    const folder = tempFolder();
    const seen = await observe(onLockedDisk(program, { folder, format, policy, seed: 'new', ops: 1 }));
    expect(seen.failures).toEqual([
      {
        say: 'failed',
        op: 'open',
        code: 'invalid_workspace',
        message: `${folder} is not writable, so no session can be kept there; work in a folder you may write to`,
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shows a session that is there, to be read; unlocked, it goes on', async () => {
    const folder = tempFolder();
    const first = await observe(launchOf(program, { folder, format, policy, seed: 'first', ops: 6 }));
    expect(first.failures).toEqual([]);
    const id = first.holding?.sessionId ?? '';
    const log = readFileSync(join(folder, SESSIONS_FOLDER, `${id}.jsonl`));
    const locked = await observe(onLockedDisk(program, { folder, format, policy, seed: 'second', ops: 3 }));
    expect(locked.wasOpen).toBe(true);
    expect(new Set(locked.failures.map(({ code }) => code))).toEqual(new Set(['session_read_only']));
    expect(locked.failures[0]?.message).toBe(
      `session ${id} is in a folder that cannot be written (EROFS): it can be read and exported; to go on, make the folder writable`,
    );
    expect(readFileSync(join(folder, SESSIONS_FOLDER, `${id}.jsonl`)).equals(log)).toBe(true);
    expect(await problemsOf(folder, format, first)).toEqual([]);
  });
});

/** Gives way once it was called `count` times: none is killed before all are open. */
function barrier(count: number): () => Promise<void> {
  let missing = count;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing -= 1;
    if (missing === 0) open();
    return opened;
  };
}

describe('processes that open one session at the same moment', () => {
  it.each(FORMATS)('one has it, each other goes on in a copy; killed, all of them go on: %s', async (format) => {
    const folder = tempFolder();
    const begun = await observe(launchOf(program, { folder, format, policy, seed: 'begun', ops: 4 }));
    const id = begun.holding?.sessionId ?? '';
    const gate = barrier(3);
    const others = await Promise.all(
      [60, 120, 240].map((ms, index) =>
        observe(launchOf(program, { folder, format, policy, id, seed: `other/${index}`, ops: 10_000 }), {
          after: 'open',
          ms,
          gate,
        }),
      ),
    );
    expect(others.map(({ failures, errors }) => [failures, errors])).toEqual([
      [[], ''],
      [[], ''],
      [[], ''],
    ]);
    const ids = others.map(({ holding }) => holding?.sessionId);
    expect(new Set(ids).size).toBe(3);
    expect(ids.filter((each) => each === id)).toHaveLength(1);
    for (const seen of others) expect(await problemsOf(folder, format, seen)).toEqual([]);
  });
});
