/** Kinds 11, 15 and 18 in the agent: what is on the disk, sub-agents, and what is known of files. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimReplyPart } from '@holdover/simulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../src/session/log.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { sessionPath } from '../../src/session/sessions.ts';
import { subagentStage, task } from '../subagents/stage.ts';
import { echo, FORMATS, shownIn, stageFor } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const SUMMARY = 'Goal: echo things. Done: all of it. Files: none. Open: nothing. The user forbade nothing.';
const LONG = 'some words that fill the window, again and again. '.repeat(200);

describe.each(FORMATS)('known failures of sessions over %s', (format) => {
  it('A15: a call of a branch that was left is not in the one that goes on', async () => {
    const stage = await stageFor({ format, steps: ['One.', echo('ABANDONED', 'left_behind'), 'Two.', 'Three.'] });
    await stage.agent.run('First.');
    await stage.agent.run('Second.');
    await stage.agent.rewind(2);
    await stage.agent.close();
    const path = sessionPath(stage.folder, stage.agent.sessionId);
    expect(readFileSync(path, 'utf8')).toContain('left_behind');
    const again = await stageFor({
      format,
      folder: stage.folder,
      steps: ['Going on.'],
      agent: { session: { kind: 'fork', id: stage.agent.sessionId } },
    });
    await again.agent.run('Something else.');
    expect(JSON.stringify(again.simulator.requests[0]?.body)).not.toContain('left_behind');
    expect(shownIn(again.brain.requests[0])).toBe('First.\nOne.\nSomething else.');
  });

  it('K01: a resumed session is as small as it was, and a torn end changes nothing of that', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY] });
    await stage.agent.run('Begin.');
    const whole = stage.agent.context.view().tokens;
    await stage.agent.compact();
    const { tokens } = stage.agent.context.view();
    await stage.agent.close();
    appendFileSync(sessionPath(stage.folder, stage.agent.sessionId), '{"v":1,"id":"r99","torn');
    const again = await stageFor({
      format,
      folder: stage.folder,
      steps: ['Two.'],
      agent: { session: { kind: 'resume', id: stage.agent.sessionId } },
    });
    expect(again.agent.context.view().tokens).toBe(tokens);
    expect(tokens).toBeLessThan(whole / 2);
    await again.agent.run('And now?');
    expect(shownIn(again.brain.requests[0])).toContain(SUMMARY);
  });

  it('K13: a summary asked for again and again leaves one transcript', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', '', '', SUMMARY] });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    const names = readdirSync(join(stage.folder, '.transcripts')).filter((name) => name.endsWith('.jsonl'));
    expect(names).toHaveLength(1);
    expect(readdirSync(join(stage.folder, '.transcripts')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('K15: nothing that was written to the log is changed by a compaction, an undo or a rewind', async () => {
    const stage = await stageFor({ format, steps: [echo(LONG), 'One.', SUMMARY, 'Two.'] });
    const path = sessionPath(stage.folder, stage.agent.sessionId);
    await stage.agent.run('Begin.');
    const before = readFileSync(path, 'utf8');
    await stage.agent.compact();
    await stage.agent.run('Go on.');
    await stage.agent.undo();
    await stage.agent.rewind(2);
    const after = readFileSync(path, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it('O01: a sub-agent whose work is larger than its window compacts and ends', async () => {
    const rounds = 30;
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? task('read everything') : 'Done.'),
      helpers: {
        read: (round): SimReplyPart | string =>
          round < rounds
            ? { kind: 'call', name: 'bash', input: { command: `seq ${round}000 ${round}999` } }
            : 'All read.',
      },
      serverTokens: 16_000,
      parts: { windowTokens: () => 16_000, maxOutputTokens: 500, maxRounds: rounds + 2 } as never,
    });
    await stage.agent.run('Let somebody read.');
    const helper = stage.requestsOf('read');
    expect(helper.length).toBeGreaterThan(20);
    const refused = stage.simulator.requests.filter(({ status }) => status >= 400);
    expect(refused).toEqual([]);
    expect(stage.receipts.some(({ layers }) => layers.length > 0)).toBe(true);
  });

  it('O03: what was compacted in the main conversation is nothing to a sub-agent, and the other way round', async () => {
    const stage = await subagentStage({
      format,
      main: (round) => {
        if (round === 0) return echo(LONG);
        return round === 2 ? task('count to three') : 'Done.';
      },
      helpers: { count: (round) => (round === 0 ? echo('three') : 'Three.') },
    });
    await stage.agent.run('Begin.');
    await stage.agent.compact();
    const groups = stage.agent.context.groups().length;
    await stage.agent.run('Let somebody count.');
    expect(shownIn(stage.requestsOf('count')[0])).toBe('count to three');
    expect(shownIn(stage.requestsOf('count')[1])).not.toContain('[Compacted]');
    const own = stage.agent.context.groups().slice(groups);
    expect(own.every((group) => !('edits' in group) || group.cause !== 'manual')).toBe(true);
    expect(shownIn(stage.mainRequests.at(-1))).toContain('Summary: work went on.');
  });

  it('O05: a sub-agent leaves nothing of its conversation in the main one but its report', async () => {
    const stage = await subagentStage({
      format,
      main: (round) => (round === 0 ? task('find it') : 'Found.'),
      helpers: { find: (round) => (round < 3 ? echo(`INNER-${round} ${LONG}`) : 'The report.') },
    });
    await stage.agent.run('Let somebody find it.');
    const all = JSON.stringify([stage.agent.context.history(), stage.agent.context.snapshot()]);
    expect(all).toContain('The report.');
    expect(all).not.toContain('INNER-');
    expect(stage.agent.context.history()).toHaveLength(4);
  });

  it('N01: an edit of a file that was read before a compaction is allowed while the file is as it was read', async () => {
    const edit = {
      kind: 'call',
      name: 'edit_file',
      input: { path: 'a.ts', old_text: 'one', new_text: 'two' },
    } as const;
    const stage = await stageFor({
      format,
      files: { 'a.ts': 'one\n' },
      steps: [
        [{ kind: 'call', name: 'read_file', input: { path: 'a.ts' } }, echo(LONG)],
        'Read.',
        SUMMARY,
        edit,
        'Edited.',
      ],
      agent: { rules: { allow: ['edit_file'] } },
    });
    await stage.agent.run('Read it.');
    await stage.agent.compact();
    await stage.agent.run('Edit it.');
    expect(readFileSync(join(stage.folder, 'a.ts'), 'utf8')).toBe('two\n');
  });

  it('N02: after a compaction a file is read whole once, then as a stub again', async () => {
    const text = 'a line of the file\n'.repeat(60);
    const read = { kind: 'call', name: 'read_file', input: { path: 'a.ts' } } as const;
    const stage = await stageFor({
      format,
      files: { 'a.ts': text },
      steps: [read, read, echo(LONG), 'Read.', SUMMARY, read, read, 'Read again.'],
    });
    await stage.agent.run('Read it twice.');
    await stage.agent.compact();
    await stage.agent.run('Read it twice more.');
    const results = stage.events.flatMap((event) =>
      event.type === 'tool-end' && event.name === 'read_file' ? [event.text.length] : [],
    );
    expect(results.map((length) => length > 500)).toEqual([true, false, true, false]);
  });

  it('S03: an id a provider gives is no path: what is kept lies where it belongs', async () => {
    const ids = format === 'anthropic' ? ['a-b_c', 'x'.repeat(200)] : ['../holdover-escaped', 'a;rm -rf', 'C:\\x'];
    const steps = [...ids.map((id) => echo(LONG, id)), echo('last'), echo('and last'), echo('very last'), 'Done.'];
    const stage = await stageFor({ format, steps });
    await stage.agent.run('Echo them.');
    const files = readdirSync(join(stage.folder, '.task_outputs', 'tool-results')).filter(
      (name) => name !== '.gitignore',
    );
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) expect(name).toMatch(/^c_[0-9a-f]{16}\.txt(?:\.gz)?$/);
    expect(existsSync(join(stage.folder, '..', 'holdover-escaped'))).toBe(false);
  });
});

describe('known failures of session files', () => {
  it('K04: a disk that fills up at any byte of a record loses that record alone, and the next is whole', async () => {
    const record = { type: 'message' as const, message: { role: 'user', content: 'ä 🦊 lost' } };
    const probe = await open(join(tempFolder(), 'probe'), 'w');
    const spy = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'appendFile');
    onTestFinished(() => spy.mockRestore());
    await probe.close();
    const folder = tempFolder();
    mkdirSync(join(folder, 'logs'));
    const header = {
      sessionId: '20261130-161835-0a1b2c3d',
      createdAt: '2026-11-30T16:18:35.000Z',
      provider: 'anthropic',
      model: 'm',
    };
    const size = Buffer.byteLength(JSON.stringify({ v: 1, id: 'r3', parent: 'r2', ...record })) + 1;
    for (let bytes = 0; bytes <= size; bytes += 1) {
      const path = join(folder, 'logs', `${bytes}.jsonl`);
      const log = await createLog(path, header);
      await log.append([{ type: 'message', message: { role: 'user', content: 'before' } }]);
      spy.mockImplementationOnce(async function half(this: FileHandle, text) {
        await this.write(Buffer.from(String(text)).subarray(0, bytes));
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      });
      await expect(log.append([record])).rejects.toMatchObject({ code: 'session_not_written' });
      await log.append([{ type: 'message', message: { role: 'user', content: 'after' } }]);
      await log.close();
      const { messages, damage } = await loadSession(path);
      expect([damage, messages.length], `after ${bytes} bytes`).toEqual([[], 2]);
    }
  });

  it('K04: a cut that could not be undone is undone before anything else is written', async () => {
    const folder = tempFolder();
    const header = {
      sessionId: '20261130-161835-0a1b2c3d',
      createdAt: '2026-11-30T16:18:35.000Z',
      provider: 'anthropic',
      model: 'm',
    };
    const path = join(folder, 'log.jsonl');
    const log = await createLog(path, header);
    const probe = await open(join(folder, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as FileHandle;
    const append = vi.spyOn(prototype, 'appendFile');
    const truncate = vi.spyOn(prototype, 'truncate');
    onTestFinished(() => {
      append.mockRestore();
      truncate.mockRestore();
    });
    await probe.close();
    append.mockImplementationOnce(async function half(this: FileHandle, text) {
      await this.write(String(text).slice(0, 20));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    truncate.mockRejectedValueOnce(new Error('nor to cut'));
    const say = (content: string) => ({ type: 'message' as const, message: { role: 'user', content } });
    await expect(log.append([say('lost')])).rejects.toMatchObject({ code: 'session_not_written' });
    await log.append([say('after')]);
    await log.close();
    const { messages, damage } = await loadSession(path);
    expect([damage, messages]).toEqual([[], [{ role: 'user', content: 'after' }]]);
  });
});
