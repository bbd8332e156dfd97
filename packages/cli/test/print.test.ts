import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, holdover, saysOnError, start, workFolder } from './support/holdover.ts';

const FILES = { 'a.txt': 'first line\nsecond line\n' };
const READ = ['-p', 'Read the file a.txt.'];

interface ResultLine {
  readonly type: string;
  readonly sessionId: string;
  readonly result: string;
  readonly stop: string;
  readonly rounds: number;
  readonly usage: Readonly<Record<string, number>>;
  readonly receipts: readonly { readonly window: { readonly windowTokens: number }; readonly policy: string }[];
}

function linesOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('holdover -p', () => {
  it('prints the answer on standard output and what happens on standard error', async () => {
    const { status, stdout, stderr } = await holdover(READ, { folder: workFolder(FILES) });
    expect(status).toBe(0);
    expect(stdout).toContain('"first line"');
    expect(stdout).not.toContain('→');
    expect(stderr.replace(/\d{8}-\d{6}-[0-9a-f]{8}/, 'ID').split('\n')).toEqual([
      'No key is used: the model is the built-in rule-following one, on this machine.',
      'session ID',
      '> Read the file a.txt.',
      '→ read_file {"path":"a.txt"}',
      '',
    ]);
  });

  it('reads the prompt from standard input and prints one JSON object, in the other wire format too', async () => {
    const flags = '--output-format json --wire-format openai-chat --policy classic --window 50000'.split(' ');
    const { child, ended } = start(['-p', '-', ...flags], { folder: workFolder(FILES) });
    child.stdin?.end('Read the file a.txt.\n');
    const { status, stdout, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const result = JSON.parse(stdout) as ResultLine;
    expect(Object.keys(result)).toEqual(['type', 'sessionId', 'result', 'stop', 'rounds', 'usage', 'receipts']);
    expect(result).toMatchObject({ type: 'result', stop: 'done', rounds: 2, usage: { requests: 2 } });
    expect(result.sessionId).toMatch(/^\d{8}-\d{6}-[0-9a-f]{8}$/);
    expect(result.result).toContain('"first line"');
    expect(result.receipts.map(({ policy, window }) => [policy, window.windowTokens])).toEqual([
      ['classic', 50_000],
      ['classic', 50_000],
    ]);
  });

  it('prints one JSON event a line, the result last', async () => {
    const { status, stdout, stderr } = await holdover([...READ, '--output-format', 'stream-json'], {
      folder: workFolder(FILES),
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = linesOf(stdout);
    expect(lines.map(({ type }) => type)).toEqual([
      'session-start',
      'user-message',
      'turn-end',
      'assistant-message',
      'tool-start',
      'tool-end',
      'turn-end',
      'assistant-message',
      'result',
    ]);
    expect(lines[4]).toMatchObject({ name: 'read_file', input: { path: 'a.txt' } });
    expect(lines[5]).toMatchObject({ name: 'read_file', text: FILES['a.txt'], isError: false });
    expect(lines[8]).toMatchObject({ sessionId: lines[0]?.['sessionId'], stop: 'done' });
  });

  it('stops at Ctrl-C with status 130, ends the command, and goes on with that session or with one by its id', async () => {
    const folder = workFolder(FILES);
    const json = ['--output-format', 'json'];
    const first = JSON.parse((await holdover([...READ, ...json], { folder })).stdout) as ResultLine;
    const { child, ended } = start(['-p', 'Run `sleep 47 && touch made.txt`.', '--allow', 'bash'], { folder });
    await saysOnError(child, '→ bash');
    child.kill('SIGINT');
    const { status, stdout, stderr } = await ended;
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
    expect(stderr).toContain('interrupted; the session is kept, --continue goes on with it');
    const newest = JSON.parse((await holdover([...READ, ...json, '--continue'], { folder })).stdout) as ResultLine;
    expect(newest).toMatchObject({ stop: 'done', result: expect.stringContaining('"first line"') as string });
    expect(newest.sessionId).not.toBe(first.sessionId);
    const byId = JSON.parse(
      (await holdover([...READ, ...json, '--resume', first.sessionId], { folder })).stdout,
    ) as ResultLine;
    expect(byId).toMatchObject({ stop: 'done', sessionId: first.sessionId });
    const logs = readdirSync(join(folder, '.holdover', 'sessions')).filter((name) => name.endsWith('.jsonl'));
    expect(logs).toHaveLength(2);
    const prompts = (id: string): number =>
      readFileSync(join(folder, '.holdover', 'sessions', `${id}.jsonl`), 'utf8').split(
        '{"type":"text","text":"Read the file a.txt."',
      ).length - 1;
    expect([prompts(first.sessionId), prompts(newest.sessionId)]).toEqual([2, 1]);
  });

  it('names the rule that would allow what was refused, whole, and runs nothing', async () => {
    const folder = workFolder(FILES);
    const { status, stderr } = await holdover(['-p', 'Run `touch made.txt`.'], { folder });
    expect(status).toBe(0);
    expect(stderr).toContain(
      'bash was not run: no rule allows it, and nobody can be asked. A rule that would allow it: bash(touch made.txt)',
    );
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    const args = ['--allow', 'bash(touch made.txt)', '--max-rounds', '1', '--output-format', 'json'];
    const allowed = await holdover(['-p', 'Run `touch made.txt`.', ...args], { folder });
    expect(existsSync(join(folder, 'made.txt'))).toBe(true);
    // A limit stopped the model, which is no success.
    expect(allowed.status).toBe(3);
    expect(JSON.parse(allowed.stdout)).toMatchObject({ stop: 'rounds', rounds: 1 });
  });

  it('ends with status 1 and one line where there is nothing to go on with', async () => {
    const folder = workFolder();
    const { status, stdout, stderr } = await holdover([...READ, '--continue', '--output-format', 'json'], { folder });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(`holdover: there is no session in ${folder} to continue; leave --continue out to start one\n`);
  });

  it.each([
    [['-p', ' '], 'holdover: the prompt is empty; say what is to be done\n'],
    [
      ['fly'],
      'holdover: there is no command "fly"; there are demo, config, doctor, export, replay, verify, archive, and -p for a prompt\n',
    ],
    [
      ['-p', 'x', '--allow', 'bash(', '--allow', 'write_file'],
      'holdover: permission rule "bash(": it must read tool, tool(pattern) or *',
    ],
    [
      ['-p', 'x', '--continue', '--resume', '20261130-161835-0a1b2c3d'],
      'holdover: --continue and --resume exclude each other',
    ],
    [
      ['-p', 'x', '--policy', 'reckless'],
      'holdover: policy is "reckless" (--policy); allowed: one of classic, economic, economic:frugal, economic:generous\n',
    ],
    [['-p', 'x', '--nonsense'], "error: unknown option '--nonsense'"],
  ])('refuses %j with status 2', async (args, message) => {
    const { status, stdout, stderr } = await holdover(args, { folder: workFolder() });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const folder = workFolder(FILES);
    const command = `"$0" "$1" -p 'Read the file a.txt, then read a.txt.' --output-format stream-json | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile('bash', ['-c', command, process.execPath, BINARY], { cwd: folder, env }, (_, out, err) =>
        resolve({ stdout: out, stderr: err }),
      );
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(1)).toEqual(['141', '']);
  });
});
