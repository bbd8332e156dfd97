import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { AgentError } from '../../src/errors.ts';
import { type BashOptions, createBashTool } from '../../src/tools/bash.ts';
import { createProcesses, endGroup } from '../../src/tools/processes.ts';
import type { ToolContext, ToolOutput } from '../../src/tools/tool.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { contextFor, errorOf, textOf } from './context.ts';

const processes = createProcesses({ graceMs: 200 });
afterAll(() => processes.disposeProcesses());

interface Run extends Partial<ToolContext> {
  readonly root?: string;
  readonly options?: BashOptions;
}

function bash(command: string, run: Run = {}): Promise<ToolOutput> {
  const { root = tempFolder(), options, ...changes } = run;
  return createBashTool(processes, options).run({ command }, contextFor(root, changes));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // a zombie waits for its parent only
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    // no /proc on this system: the signal got through
    return (error as { syscall?: string }).syscall === 'open' && !existsSync('/proc/self');
  }
}

async function goneSoon(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 50 && isAlive(pid); tries += 1) await sleep(20);
  return !isAlive(pid);
}

function pidIn(root: string, file: string): number {
  return Number(readFileSync(join(root, file), 'utf8'));
}

describe('output', () => {
  it('is stripped, in the order written, from the workspace root', async () => {
    const root = tempFolder();
    expect(await textOf(bash('pwd', { root }))).toBe(root);
    expect(await textOf(bash('echo; echo one; echo two >&2; echo three; echo'))).toBe('one\ntwo\nthree');
    expect(await textOf(bash('true'))).toBe('(no output)');
    expect(await textOf(bash('echo "$0 $#"'))).toBe('/bin/bash 0');
  });

  it('keeps the order of both streams over many lines', async () => {
    const lines = await textOf(bash('for i in $(seq 300); do if ((i % 2)); then echo $i; else echo $i >&2; fi; done'));
    expect(lines.split('\n').map(Number)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });

  it('names a failing exit code and a signal', async () => {
    expect(await errorOf(bash('echo out; exit 3'))).toBe('out\n(exit code 3)');
    expect(await errorOf(bash('exit 1'))).toBe('(no output)\n(exit code 1)');
    expect(await errorOf(bash('kill -KILL $$'))).toBe('(no output)\n(ended by signal SIGKILL)');
  });

  it('reports syntax errors as the shell words them', async () => {
    expect(await errorOf(bash('echo )'))).toMatch(/line 1: syntax error near unexpected token `\)'[^]*\(exit code 2\)/);
  });

  it('keeps beginning and end of long output and counts the rest', async () => {
    const text = await textOf(bash('seq 100000'));
    expect(text.length).toBeLessThanOrEqual(50_000);
    expect(text.startsWith('1\n2\n')).toBe(true);
    expect(text.endsWith('\n99999\n100000')).toBe(true);
    const [marker, count] = /\n\[… (\d+) characters left out …\]\n/.exec(text) ?? [];
    const whole = Array.from({ length: 100_000 }, (_, index) => index + 1).join('\n');
    expect(text.length - (marker?.length ?? 0) + Number(count)).toBe(whole.length);
  });

  it('never splits a surrogate pair', async () => {
    for (const maxOutputChars of [300, 301, 302, 303]) {
      const text = await textOf(bash(`printf '😀%.0s' {1..2000}`, { options: { maxOutputChars } }));
      expect(text).toMatch(/^(😀)+\n\[… \d+ characters left out …\]\n(😀)+$/u);
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('stays bounded in memory for 200 MB', async () => {
    const before = process.memoryUsage().rss;
    const { text, details } = await bash('yes 0123456789abcdef | head -c 200000000');
    expect(details).toMatchObject({ outputChars: 200_000_000 });
    expect(text).toMatch(/\[… 1999\d{5} characters left out …\]/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });
});

describe('ending', () => {
  it('times out and ends grandchildren, even those that ignore SIGTERM', async () => {
    const root = tempFolder();
    const command = `bash -c 'trap "" TERM; echo $$ > pid; while true; do sleep 0.1; done' & bash -c 'sleep 60 & echo $! > pid2; wait'`;
    const startMs = Date.now();
    const text = await errorOf(bash(`echo begun; ${command}`, { root, options: { timeoutMs: 400 } }));
    expect(text).toBe('begun\n(timed out after 0.4 s; the command and everything it started were ended)');
    expect(Date.now() - startMs).toBeLessThan(3000);
    expect(await goneSoon(pidIn(root, 'pid'))).toBe(true);
    expect(await goneSoon(pidIn(root, 'pid2'))).toBe(true);
  });

  it('ends when aborted, and does not start afterwards', async () => {
    const root = tempFolder();
    const controller = new AbortController();
    const running = bash('sleep 60 & echo $! > pid; wait', { root, signal: controller.signal });
    await sleep(200);
    controller.abort();
    expect(await errorOf(running)).toContain('(interrupted;');
    expect(await goneSoon(pidIn(root, 'pid'))).toBe(true);
    expect(await errorOf(bash('echo x > made', { root, signal: controller.signal }))).toContain('(interrupted;');
    expect(() => readFileSync(join(root, 'made'))).toThrow();
  });

  it('does not wait for background children, and ends them', async () => {
    const root = tempFolder();
    const startMs = Date.now();
    expect(await textOf(bash('nohup sleep 60 & echo $! > pid; echo done', { root }))).toContain('done');
    expect(Date.now() - startMs).toBeLessThan(2000);
    expect(await goneSoon(pidIn(root, 'pid'))).toBe(true);
  });

  it('a group whose dead nobody collects, as in a container without an init, counts as ended', async () => {
    const script = 'set -m; sleep 0 & echo $!; exec sleep 20';
    const parent = spawn('/bin/bash', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    const group = Number(chunk.toString());
    expect(await goneSoon(group)).toBe(true);
    const started = performance.now();
    await endGroup(group, 5_000);
    expect(performance.now() - started).toBeLessThan(2_500);
  });

  it('returns although a process that left the group holds the output open', async () => {
    const startMs = Date.now();
    const text = await textOf(bash('setsid sleep 3 & echo done'));
    expect(text).toBe('done');
    expect(Date.now() - startMs).toBeLessThan(2500);
  });

  it('disposeProcesses ends what is running', async () => {
    const own = createProcesses({ graceMs: 100 });
    const root = tempFolder();
    const running = createBashTool(own).run({ command: 'echo $$ > pid; sleep 60' }, contextFor(root));
    await sleep(200);
    await own.disposeProcesses();
    expect(await errorOf(running)).toContain('signal SIGTERM');
    expect(await goneSoon(pidIn(root, 'pid'))).toBe(true);
    own.killProcesses();
  });
});

describe('environment', () => {
  it('hides secrets unless they are allowed', async () => {
    const env = {
      PATH: process.env.PATH ?? '',
      PLAIN: 'plain',
      SOME_API_KEY: 'k1',
      GITHUB_TOKEN: 'k2',
      MY_SECRET: 'k3',
      ANTHROPIC_BASE_URL: 'k4',
      OPENAI_ORG: 'k5',
      AWS_SECRET_ACCESS_KEY: 'k6',
      DB_PASSWORD: 'k7',
      TOKENIZER: 'kept',
    };
    const shown = await textOf(bash('env', { env }));
    expect(shown).toContain('PLAIN=plain');
    expect(shown).toContain('TOKENIZER=kept');
    expect(shown).not.toMatch(/=k\d/);
    const allowed = await textOf(bash('env', { env, options: { allowEnv: ['GITHUB_TOKEN'] } }));
    expect(allowed.match(/=k\d/g)).toEqual(['=k2']);
  });

  it('passes nothing of the host process besides', async () => {
    process.env['HOLDOVER_TEST_HOST_VARIABLE'] = 'leak';
    expect(await textOf(bash('env'))).not.toContain('leak');
    delete process.env['HOLDOVER_TEST_HOST_VARIABLE'];
  });
});

describe('bad input', () => {
  it('is answered with the field, the value and what is allowed', async () => {
    const tool = createBashTool(processes);
    const run = (input: unknown): Promise<string> => errorOf(tool.run(input, contextFor(tempFolder())));
    expect(await run({})).toBe('bash: "command" is missing; it must be given (type: string)');
    expect(await run({ command: 7 })).toBe('bash: "command" must be a non-empty string without NUL characters; got 7');
    expect(await run({ command: '' })).toContain('got ""');
    expect(await run({ command: 'a\0b' })).toContain('NUL');
    expect(await run('ls')).toBe('bash: the input must be an object with named fields; got "ls"');
    expect(await run(null)).toContain('got null');
    expect(await run({ command: 'x'.repeat(200_000) })).toContain('at most 131071 bytes');
    expect(tool.access({})).toEqual([{ kind: 'none' }]);
    expect(tool.access({ command: 'ls' })).toEqual([{ kind: 'command', command: 'ls' }]);
  });

  it('an unusable folder is an error text', async () => {
    const gone = { ...contextFor(tempFolder()).workspace, root: join(tempFolder(), 'gone') };
    expect(await errorOf(bash('ls', { workspace: gone }))).toContain('could not be started');
  });

  it('wrong options throw', () => {
    expect(() => createBashTool(processes, { timeoutMs: 0 })).toThrow(AgentError);
    expect(() => createBashTool(processes, { maxOutputChars: 10 })).toThrow(/allowed: 200 or more/);
  });
});
