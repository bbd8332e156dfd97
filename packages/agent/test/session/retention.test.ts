/** What may go from the archive of a folder: never a text that a kept session speaks of, nor one that somebody just put. */
import { readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Agent,
  createAgent,
  listSessions,
  pruneArchive,
  type PruneOptions,
  type PruneReport,
  RESULTS_FOLDER,
  SESSIONS_FOLDER,
  verifySession,
  locateSession,
  workspaceArchive,
} from '@holdover/agent';
import { contentAddress } from '@holdover/engine';
import { scripted, type Simulator } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const DAY_MS = 86_400_000;
const KINDS = ['fs', 'sqlite'] as const;

describe.each(KINDS)('retention, %s', (archive) => {
  /** Texts long enough to leave the context, each its own. */
  const said = (name: string, index: number): string => `${name} ${index}: `.padEnd(600, `${name}${index * 7} `);

  async function open(folder: string, simulator: Simulator, resume?: string): Promise<Agent> {
    return createAgent({
      workspace: folder,
      provider: providerFor('anthropic', simulator),
      model: 'sim-1',
      tools: [ECHO],
      context: { archive },
      ports: quickPorts(),
      ...(resume === undefined ? {} : { session: { kind: 'resume', id: resume } }),
    });
  }

  async function talk(agent: Agent): Promise<string> {
    await agent.run('Echo them.');
    return agent.sessionId;
  }

  const stepsOf = (name: string) => [...Array.from({ length: 6 }, (_, i) => echo(said(name, i))), 'Done.'];

  async function ended(folder: string, name: string): Promise<string> {
    const agent = await open(folder, await openSimulator(scripted(stepsOf(name))));
    try {
      return await talk(agent);
    } finally {
      await agent.close();
    }
  }

  async function prune(folder: string, options: PruneOptions = {}): Promise<PruneReport> {
    const all = workspaceArchive(folder, archive);
    try {
      return await pruneArchive(folder, all, options);
    } finally {
      await all.close();
    }
  }

  async function addresses(folder: string): Promise<ReadonlySet<string>> {
    const all = workspaceArchive(folder, archive);
    const listed = await all.list();
    await all.close();
    return new Set(listed.map(({ address }) => address));
  }

  /** As if everything so far had happened `days` earlier. */
  const later = (days: number): PruneOptions => ({ now: () => Date.now() + days * DAY_MS });

  const failures = async (folder: string, id: string) => (await verifySession(locateSession(folder, id))).failures;

  it('keeps what sessions speak of, and lets go of what no log does, a day after it was put', async () => {
    const folder = tempFolder();
    const kept = await ended(folder, 'kept');
    const gone = await ended(folder, 'gone');
    const before = await addresses(folder);
    rmSync(join(folder, SESSIONS_FOLDER, `${gone}.jsonl`));
    expect(await prune(folder)).toMatchObject({ removed: { texts: 0 }, kept: { texts: before.size } });
    const report = await prune(folder, later(2));
    expect(report).toMatchObject({ keptSessions: 1, liveSessions: 0, oldSessions: 0 });
    expect(report.removed.texts).toBeGreaterThan(0);
    expect(report.removed.bytes).toBeGreaterThan(0);
    const left = await addresses(folder);
    expect(left.size).toBe(report.kept.texts);
    expect(left.size).toBeGreaterThan(0);
    expect(await failures(folder, kept)).toEqual([]);
  });

  it('lets old sessions go of their texts where asked to, and keeps a text that a younger one shares', async () => {
    const folder = tempFolder();
    const old = await ended(folder, 'shared');
    const only = await ended(folder, 'only');
    const young = await ended(folder, 'shared');
    for (const id of [old, only]) {
      const at = (Date.now() - 40 * DAY_MS) / 1_000;
      utimesSync(join(folder, SESSIONS_FOLDER, `${id}.jsonl`), at, at);
    }
    expect(await prune(folder, later(2))).toMatchObject({ removed: { texts: 0 }, keptSessions: 3 });
    const report = await prune(folder, { ...later(2), olderThanMs: 30 * DAY_MS });
    expect(report).toMatchObject({ keptSessions: 1, oldSessions: 2 });
    expect(report.removed.texts).toBeGreaterThan(0);
    expect(await failures(folder, young)).toEqual([]);
    expect(await failures(folder, old)).toEqual([]);
    expect((await failures(folder, only)).length).toBeGreaterThan(0);
    expect(await listSessions(folder)).toHaveLength(3);
  });

  it('says what would go and removes nothing', async () => {
    const folder = tempFolder();
    rmSync(join(folder, SESSIONS_FOLDER, `${await ended(folder, 'gone')}.jsonl`));
    const before = await addresses(folder);
    expect((await prune(folder, { ...later(2), isDryRun: true })).removed.texts).toBe(before.size);
    expect(await addresses(folder)).toEqual(before);
  });

  it('never touches a session somebody has open, whatever its age, nor anything put since it was opened', async () => {
    const folder = tempFolder();
    const agent = await open(folder, await openSimulator(scripted(stepsOf('live'))));
    const id = await talk(agent);
    const at = (Date.now() - 400 * DAY_MS) / 1_000;
    utimesSync(join(folder, SESSIONS_FOLDER, `${id}.jsonl`), at, at);
    const text = 'put by a sub-agent, named in no log '.repeat(40);
    await agent.archive.put(contentAddress(text, agent.archive.hash ?? String), text);
    const before = await addresses(folder);
    const report = await prune(folder, { ...later(10), olderThanMs: DAY_MS, graceMs: 0 });
    expect(report).toMatchObject({ liveSessions: 1, keptSessions: 1, removed: { texts: 0 } });
    expect(await addresses(folder)).toEqual(before);
    await agent.close();
    expect((await prune(folder, { ...later(10), graceMs: 0 })).removed.texts).toBe(1);
    expect(await failures(folder, id)).toEqual([]);
  });

  it('loses nothing of a session that is opened, and works, while the archive is pruned', async () => {
    const folder = tempFolder();
    const id = await ended(folder, 'again');
    const at = (Date.now() - 40 * DAY_MS) / 1_000;
    utimesSync(join(folder, SESSIONS_FOLDER, `${id}.jsonl`), at, at);
    for (const name of ['a', 'b', 'c']) rmSync(join(folder, SESSIONS_FOLDER, `${await ended(folder, name)}.jsonl`));
    const working = (async () => {
      const agent = await open(folder, await openSimulator(scripted(stepsOf('a'))));
      await talk(agent);
      return agent;
    })();
    const options = { ...later(2), olderThanMs: 30 * DAY_MS, graceMs: 0 };
    for (let round = 0; round < 5; round += 1) await prune(folder, options);
    const agent = await working;
    await prune(folder, options);
    await agent.close();
    expect(await failures(folder, agent.sessionId)).toEqual([]);
  });

  it('keeps what a damaged log and one of a newer version speak of', async () => {
    const folder = tempFolder();
    const id = await ended(folder, 'damaged');
    const path = join(folder, SESSIONS_FOLDER, `${id}.jsonl`);
    const { readFileSync, writeFileSync } = await import('node:fs');
    const text = readFileSync(path, 'utf8').replaceAll('"v":1', '"v":9').replace('{', '<');
    writeFileSync(path, text);
    expect((await prune(folder, later(2))).removed.texts).toBe(0);
  });

  it('has nothing to do where there is no archive, and makes none', async () => {
    const folder = tempFolder();
    expect(await prune(folder)).toEqual({
      keptSessions: 0,
      liveSessions: 0,
      oldSessions: 0,
      kept: { texts: 0, bytes: 0 },
      removed: { texts: 0, bytes: 0 },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([{ olderThanMs: -1 }, { graceMs: Number.NaN }])('refuses %j', async (options) => {
    await expect(prune(tempFolder(), options)).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('the archive of a folder', () => {
  it('gives what the other kind holds, in both directions', async () => {
    const folder = tempFolder();
    const [files, database] = [workspaceArchive(folder, 'fs'), workspaceArchive(folder, 'sqlite')];
    const addressOf = (text: string): string => contentAddress(text, files.hash);
    await files.put(addressOf('in a file'), 'in a file');
    await database.put(addressOf('in a row'), 'in a row');
    for (const archive of [files, database]) {
      expect(await archive.get(addressOf('in a file'))).toBe('in a file');
      expect(await archive.get(addressOf('in a row'))).toBe('in a row');
      expect(await archive.list()).toHaveLength(2);
    }
    await Promise.all([files.close(), database.close()]);
    expect(readdirSync(join(folder, RESULTS_FOLDER))).toEqual([`${addressOf('in a file')}.txt`]);
  });
});
