import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HookSettings } from '../../src/hooks/hook-settings.ts';
import { createHooks, type Hooks } from '../../src/hooks/hooks.ts';
import { type ShellHooks, shellHooks } from '../../src/hooks/shell-hooks.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

interface Stage {
  readonly hooks: Hooks<object>;
  readonly shell: ShellHooks;
  readonly folder: string;
  readonly errors: string[];
  /** JSON a command wrote into a file. */
  heard(name: string): unknown;
}

function stage(settings: HookSettings, env: Readonly<Record<string, string>> = {}): Stage {
  const folder = tempFolder();
  const errors: string[] = [];
  const hooks = createHooks<object>({
    onError: (event, error) => errors.push(`${event}: ${(error as Error).message}`),
  });
  const all = { PATH: process.env['PATH'] ?? '', ...env };
  const shell = shellHooks(settings, { hooks, cwd: folder, env: all, sessionId: () => 's1' });
  return {
    hooks,
    shell,
    folder,
    errors,
    heard: (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown,
  };
}

const CALL = { id: 'c1', name: 'bash', input: { command: 'ls' } };
const OUTPUT = { text: 'out', isError: false };

/** Whether nothing is left of the group a command wrote down. What has ended stays listed until the system has noticed. */
async function isGroupGoneSoon(folder: string): Promise<boolean> {
  const group = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  for (let waitedMs = 0; waitedMs < 3_000; waitedMs += 20) {
    try {
      process.kill(-group, 0);
    } catch {
      return true;
    }
    await sleep(20);
  }
  return false;
}

describe('what a command is told', () => {
  it('is one JSON object with the event, the session, the folder and what it is about', async () => {
    const command = 'cat > "$(date +%s%N).json"; cat *.json > seen; rm *.json';
    const every = (name: string): readonly { command: string }[] => [{ command: command.replace('seen', name) }];
    const { hooks, folder, heard, errors } = stage({
      UserPromptSubmit: every('prompt'),
      PreToolUse: every('pre'),
      PostToolUse: every('post'),
      Stop: every('stop'),
      PreCompact: every('precompact'),
      PostCompact: every('postcompact'),
      SessionStart: every('start'),
    });
    await hooks.userPromptSubmit('ä 🦊 "quoted"');
    await hooks.preToolUse(CALL);
    await hooks.postToolUse(CALL, OUTPUT);
    await hooks.stop([{}, {}]);
    await hooks.preCompact({ trigger: 'manual', focus: 'names' });
    await hooks.postCompact({ trigger: 'manual', summary: 's', tokensBefore: 9, tokensAfter: 3 });
    await hooks.sessionStart({ source: 'resume', sessionId: 's1' });
    const base = { sessionId: 's1', cwd: folder };
    expect(heard('prompt')).toEqual({ event: 'UserPromptSubmit', ...base, prompt: 'ä 🦊 "quoted"' });
    expect(heard('pre')).toEqual({
      event: 'PreToolUse',
      ...base,
      tool: 'bash',
      callId: 'c1',
      input: { command: 'ls' },
    });
    expect(heard('post')).toEqual({
      event: 'PostToolUse',
      ...base,
      tool: 'bash',
      callId: 'c1',
      input: { command: 'ls' },
      output: 'out',
      isError: false,
    });
    expect(heard('stop')).toEqual({ event: 'Stop', ...base, messages: 2 });
    expect(heard('precompact')).toEqual({ event: 'PreCompact', ...base, trigger: 'manual', focus: 'names' });
    expect(heard('postcompact')).toEqual({
      event: 'PostCompact',
      ...base,
      trigger: 'manual',
      summary: 's',
      tokensBefore: 9,
      tokensAfter: 3,
    });
    expect(heard('start')).toEqual({ event: 'SessionStart', ...base, source: 'resume' });
    expect(errors).toEqual([]);
  });

  it('is not in a start file of the shell', async () => {
    const home = tempFolder({ '.bashrc': 'echo from the start file', '.profile': 'echo from the start file' });
    const { hooks } = stage({ SessionStart: [{ command: 'echo hi' }] }, { HOME: home });
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's1' })).toBe('hi');
  });

  it('is an environment without secrets', async () => {
    const { hooks } = stage(
      { SessionStart: [{ command: 'echo "$KEEP/$ANTHROPIC_API_KEY/$MY_TOKEN/"' }] },
      { KEEP: 'kept', ANTHROPIC_API_KEY: 'sk-1', MY_TOKEN: 't' },
    );
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's1' })).toBe('kept///');
  });
});

describe('what a command answers', () => {
  const TEXT: readonly (readonly [string, string | null])[] = [
    ['echo hello; echo world', 'hello\nworld'],
    ['echo \'{ "text": "hello" }\'', 'hello'],
    ['echo \'{ "text": "" }\'', null],
    ['echo \'{ "other": 1 }\'', null],
    ["echo '{ not json'", '{ not json'],
    ["printf '  \\n '", null],
    ['true', null],
    ['echo noise >&2', null],
  ];

  it.each(TEXT)('%j is a text where texts are wanted', async (command, answer) => {
    const { hooks, errors } = stage({
      UserPromptSubmit: [{ command }],
      SessionStart: [{ command }],
      PreCompact: [{ command }],
      PreToolUse: [{ command }],
      Stop: [{ command }],
    });
    expect(await hooks.userPromptSubmit('x')).toBe(answer);
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's1' })).toBe(answer);
    expect(await hooks.preCompact({ trigger: 'manual' })).toBe(answer);
    expect(await hooks.preToolUse(CALL)).toBeNull();
    expect(await hooks.stop([])).toBeNull();
    expect(errors).toEqual([]);
  });

  it.each([
    ['echo ignored; echo "no, because" >&2; exit 2', 'no, because'],
    ['echo \'{ "block": "no, because" }\'', 'no, because'],
    ['exit 2', 'a hook blocked it and did not say why'],
  ])('%j is a block where something can be blocked', async (command, why) => {
    const one = [{ command }];
    const { hooks, errors } = stage({
      PreToolUse: one,
      Stop: one,
      PreCompact: one,
      UserPromptSubmit: one,
      SessionStart: one,
    });
    expect(await hooks.preToolUse(CALL)).toBe(why);
    expect(await hooks.stop([])).toBe(why);
    expect(await hooks.preCompact({ trigger: 'manual' })).toEqual({ block: why });
    expect(await hooks.userPromptSubmit('x')).toBeNull();
    expect(await hooks.sessionStart({ source: 'clear', sessionId: 's1' })).toBeNull();
    expect(errors).toEqual([
      `UserPromptSubmit: there is nothing to block here: ${why}`,
      `SessionStart: there is nothing to block here: ${why}`,
    ]);
  });

  it('the first one counts, in the order of the settings, for the tools they name', async () => {
    const { hooks, folder } = stage({
      PreToolUse: [
        { matcher: 'write_file', command: 'echo no writing >&2; exit 2' },
        { command: 'touch seen' },
        { matcher: 'read_file|bash', command: 'echo no shell >&2; exit 2' },
        { matcher: '*', command: 'touch never' },
      ],
    });
    expect(await hooks.preToolUse(CALL)).toBe('no shell');
    expect([existsSync(join(folder, 'seen')), existsSync(join(folder, 'never'))]).toEqual([true, false]);
    expect(await hooks.preToolUse({ ...CALL, name: 'write_file' })).toBe('no writing');
    expect(await hooks.preToolUse({ ...CALL, name: 'bash_x' })).toBeNull();
  });

  it('taken out, nothing', async () => {
    const { hooks, shell } = stage({ SessionStart: [{ command: 'echo hi' }] });
    shell.off();
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's1' })).toBeNull();
  });
});

describe('a command that goes wrong changes nothing', () => {
  it.each([
    ['fails', 'echo out; echo broken >&2; exit 1', /failed with exit code 1: broken/],
    ['is not there', 'no_such_program_here', /failed with exit code 127/],
    ['is killed', 'kill -9 $$', /did not end: it was ended by SIGKILL/],
  ])('when it %s', async (_, command, message) => {
    const { hooks, errors } = stage({ PreToolUse: [{ command }, { command: 'echo next >&2; exit 2' }] });
    expect(await hooks.preToolUse(CALL)).toBe('next');
    expect(errors).toEqual([expect.stringMatching(message)]);
  });

  it('when the folder is gone', async () => {
    const hooks = createHooks<object>();
    const options = { hooks, cwd: join(tempFolder(), 'gone'), env: {}, sessionId: () => 's' };
    shellHooks({ Stop: [{ command: 'exit 2' }] }, options);
    expect(await hooks.stop([])).toBeNull();
  });

  it('when it does not read what it is told', async () => {
    const { hooks, errors } = stage({ UserPromptSubmit: [{ command: 'exec 0<&-; echo done' }] });
    expect(await hooks.userPromptSubmit('x'.repeat(5_000_000))).toBe('done');
    expect(errors).toEqual([]);
  });

  it('when it floods: the beginning of what it says is kept', async () => {
    const { hooks, errors } = stage({
      SessionStart: [{ command: "head -c 30000000 /dev/zero | tr '\\0' x; head -c 30000000 /dev/zero >&2" }],
    });
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's' })).toBe('x'.repeat(10_000));
    expect(errors).toEqual([]);
  });

  it('when it never stops flooding', async () => {
    const { hooks, errors } = stage({ Stop: [{ command: 'yes', timeoutMs: 300 }] });
    expect(await hooks.stop([])).toBeNull();
    expect(errors).toEqual(['Stop: the hook "yes" did not end: it took longer than 300 ms']);
  });

  it.each([
    ['hangs', 'sleep 100'],
    ['hangs with children', 'sleep 100 & (sleep 100 & sleep 100) & wait'],
    ['does not mind being told to end', "trap '' TERM; while :; do sleep 0.05; done"],
  ])('when it %s: it and all it started are ended', async (_, command) => {
    const { hooks, errors, folder } = stage({ PreToolUse: [{ command: `echo $$ > pid; ${command}`, timeoutMs: 200 }] });
    const startMs = performance.now();
    expect(await hooks.preToolUse(CALL)).toBeNull();
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(errors).toEqual([expect.stringContaining('took longer than 200 ms')]);
    expect(await isGroupGoneSoon(folder)).toBe(true);
  });

  it('when it leaves something running: that ends with it', async () => {
    const { hooks, folder } = stage({ SessionStart: [{ command: 'echo $$ > pid; sleep 100 & echo ready' }] });
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 's' })).toBe('ready');
    expect(await isGroupGoneSoon(folder)).toBe(true);
  });

  it('when all are ended at once', async () => {
    const { hooks, shell, errors } = stage({ Stop: [{ command: 'sleep 100' }] });
    const answer = hooks.stop([]);
    await sleep(100);
    shell.kill();
    expect(await answer).toBeNull();
    expect(errors).toEqual(['Stop: the hook "sleep 100" did not end: it was ended by SIGKILL']);
  });
});
