/** Hooks that hang, flood, fork or say nonsense, and calls that try to get around them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type HookSettings, parseHookSettings } from '../../src/hooks/hook-settings.ts';
import { resultsIn, type Stage, stageFor } from '../support/stage.ts';

const CALL = { kind: 'call', name: 'bash', input: { command: 'touch made' } } as const;

/** One call of bash, allowed by rule, with the hooks given. */
async function withHooks(shellHooks: HookSettings, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  return stageFor({
    format: 'anthropic',
    steps: [{ parts: [CALL] }, 'Done.'],
    agent: { rules: { allow: ['bash'] }, shellHooks, env: { PATH: process.env['PATH'] ?? '', ...env } },
  });
}

const before = (command: string, timeoutMs = 400): HookSettings => ({ PreToolUse: [{ command, timeoutMs }] });
const notices = ({ events }: Stage): readonly string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
const isMade = ({ folder }: Stage): boolean => existsSync(join(folder, 'made'));

describe('a hook', () => {
  it.each([
    ['hangs', 'sleep 60', 'took longer than 400 ms'],
    ['hangs and does not mind signals', "trap '' TERM INT HUP; while :; do sleep 1; done", 'took longer than 400 ms'],
    ['reads for ever', 'cat > /dev/null; sleep 60', 'took longer than 400 ms'],
    ['floods both outputs', 'yes & yes >&2', 'took longer than 400 ms'],
    ['fails', 'exit 7', 'failed with exit code 7'],
    ['is killed', 'kill -9 $$', 'ended by SIGKILL'],
    ['is not there', '/no/such/program', 'failed with exit code 127'],
  ])('that %s is told of, ended, and holds nothing up', async (_what, command, problem) => {
    // What ends by itself gets time on a busy machine.
    const stage = await withHooks(before(command, problem.startsWith('took') ? 400 : 20_000));
    const startMs = Date.now();
    await stage.agent.run('Go on.');
    expect(Date.now() - startMs).toBeLessThan(20_000);
    expect(notices(stage).join('\n')).toContain(problem);
    expect(isMade(stage)).toBe(true);
  });

  it('left a process in a session of its own behind when it hung', async () => {
    const stage = await withHooks(before('setsid bash -c "echo \\$\\$ > pid; exec sleep 60" & sleep 60', 1_500));
    await stage.agent.run('Go on.');
    const pid = Number(readFileSync(join(stage.folder, 'pid'), 'utf8'));
    await sleep(200);
    expect(existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))).toBe(false);
  });

  it.each([
    [
      'with a reason longer than what is kept',
      `printf '{"block":"'; head -c 50000 /dev/zero | tr '\\0' x; printf '"}'`,
    ],
    ['with an answer of megabytes', `printf '{"block":"'; head -c 3000000 /dev/zero | tr '\\0' x; printf '"}'`],
    ['that says only that', `echo '{"block": true}'`],
    ['with an object for a reason', `echo '{"block": {"reason": "no"}}'`],
    ['without a word, by its status', 'exit 2'],
  ])('a block %s let the call through', async (_what, command) => {
    const stage = await withHooks(before(command, 5_000));
    await stage.agent.run('Go on.');
    expect(isMade(stage)).toBe(false);
    const [result] = resultsIn(stage.brain.requests[1]);
    expect(result?.isError).toBe(true);
    expect((result?.text ?? '').length).toBeLessThan(10_100);
  });

  it.each(['not JSON', '{"block":', '[1,2]', '{}', '{"text": 7}', 'null', '\u001b]0;x\u0007'])(
    'that answers %j blocks nothing',
    async (answer) => {
      const stage = await withHooks(before(`cat <<'END'\n${answer}\nEND`, 5_000));
      await stage.agent.run('Go on.');
      expect(isMade(stage)).toBe(true);
    },
  );

  it('gets what the model says on its input only: no word of it is a command, an argument or a variable', async () => {
    const words = `$(touch owned); \`touch owned\` ' " \\ \n; touch owned; --owned {"event":"Stop"} \u0000 ${'x'.repeat(20_000)}`;
    const stage = await stageFor({
      format: 'anthropic',
      steps: [{ parts: [{ kind: 'call', name: 'echo', input: { text: words } }] }, 'Done.'],
      agent: {
        shellHooks: {
          PreToolUse: [
            { command: 'cat > heard; env > env; tr "\\0" "\\n" < /proc/$$/cmdline > argv', timeoutMs: 5_000 },
          ],
        },
        env: { PATH: process.env['PATH'] ?? '', ANTHROPIC_API_KEY: 'k1', DATABASE_URL: 'postgres://me:hunter22@db/x' },
      },
    });
    await stage.agent.run('Go on.');
    expect(notices(stage)).toEqual([]);
    const heard = JSON.parse(readFileSync(join(stage.folder, 'heard'), 'utf8')) as { readonly input: unknown };
    expect(heard).toMatchObject({ event: 'PreToolUse', tool: 'echo', input: { text: words } });
    expect(existsSync(join(stage.folder, 'owned'))).toBe(false);
    expect(readFileSync(join(stage.folder, 'argv'), 'utf8')).not.toContain('--owned');
    const env = readFileSync(join(stage.folder, 'env'), 'utf8');
    expect(env).not.toMatch(/owned|ANTHROPIC|hunter22/);
  });

  it.each([
    { PreToolUse: [{ command: 'x', matcher: '.*' }] },
    { PreToolUse: [{ command: 'x\0y' }] },
    { PreToolUse: [{ command: 'x', shell: '/bin/evil' }] },
    { PreToolUse: [{ command: 'x', timeoutMs: Number.POSITIVE_INFINITY }] },
    { __proto__: null, Unknown: [{ command: 'x' }] },
    { PreToolUse: 'x' },
  ])('settings that mean something else than they read as are refused: %j', (settings) => {
    expect(() => parseHookSettings(settings)).toThrow(/hooks\./);
  });
});
