/** What a command may leave behind, see, and be allowed to be. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { splitShell } from '../../src/permissions/shell-parts.ts';
import { judgeCommand } from '../../src/permissions/command-gate.ts';
import { parseRemembered, parseRules, type RuleSet } from '../../src/permissions/rules.ts';
import { createBashTool } from '../../src/tools/bash.ts';
import { childEnv } from '../../src/tools/child-env.ts';
import { createProcesses } from '../../src/tools/processes.ts';
import { resultsIn, stageFor } from '../support/stage.ts';
import { contextFor, errorOf } from '../tools/context.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

async function isGoneSoon(pid: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 3_000; waitedMs += 20) {
    try {
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true;
    } catch {
      return true;
    }
    await sleep(20);
  }
  process.kill(pid, 'SIGKILL');
  return false;
}

function pidIn(root: string): number {
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
  expect(pid).toBeGreaterThan(1);
  return pid;
}

/** Each writes the id of a process that tries to stay. */
const STAYING: readonly (readonly [string, string])[] = [
  ['in a session of its own', 'setsid bash -c "echo \\$\\$ > pid; exec sleep 60" & sleep 60'],
  ['as a daemon', '(setsid bash -c "echo \\$\\$ > pid; exec sleep 60" < /dev/null > /dev/null 2>&1 &) ; sleep 60'],
  [
    'that does not mind signals',
    'setsid bash -c "trap \'\' TERM HUP INT; echo \\$\\$ > pid; while :; do sleep 1; done" & sleep 60',
  ],
  ['in the background', 'sleep 60 & echo $! > pid; wait'],
];

describe('children of a command', () => {
  it.each(STAYING)('one %s outlived a time-out', async (_what, command) => {
    const root = tempFolder();
    const tool = createBashTool(createProcesses({ graceMs: 100 }), { timeoutMs: 1_500 });
    expect(await errorOf(tool.run({ command }, contextFor(root)))).toContain('everything it started were ended');
    expect(await isGoneSoon(pidIn(root))).toBe(true);
  });

  it.each(STAYING)('one %s outlived an interrupt', async (_what, command) => {
    const root = tempFolder();
    const controller = new AbortController();
    const tool = createBashTool(createProcesses({ graceMs: 100 }));
    const running = tool.run({ command }, contextFor(root, { signal: controller.signal }));
    while (!existsSync(join(root, 'pid'))) await sleep(20);
    await sleep(100);
    controller.abort();
    expect(await errorOf(running)).toContain('(interrupted;');
    expect(await isGoneSoon(pidIn(root))).toBe(true);
  });

  it('one in a session of its own outlived the end of the agent', async () => {
    const root = tempFolder();
    const processes = createProcesses({ graceMs: 100 });
    const running = createBashTool(processes).run({ command: STAYING[0]?.[1] }, contextFor(root));
    while (!existsSync(join(root, 'pid'))) await sleep(20);
    await sleep(100);
    processes.killProcesses();
    expect(await isGoneSoon(pidIn(root))).toBe(true);
    expect((await running).isError).toBe(true);
  });

  it('a flood of output ends in time, cut, and a command that reads its input gets none', async () => {
    const tool = createBashTool(createProcesses({ graceMs: 100 }), { timeoutMs: 500, maxOutputChars: 1_000 });
    const { text } = await tool.run({ command: 'yes flood & cat; yes flood' }, contextFor(tempFolder()));
    expect(text.length).toBeLessThan(1_200);
    expect(text).toContain('timed out');
  });
});

describe('secrets in the environment', () => {
  const SECRETS: Readonly<Record<string, string>> = {
    HOLDOVER_API_KEY: 'x1',
    ANTHROPIC_API_KEY: 'x2',
    OPENROUTER_KEY: 'x3',
    GITHUB_TOKEN: 'x4',
    GITHUB_PAT: 'x5',
    AWS_ACCESS_KEY_ID: 'x6',
    AWS_SECRET_ACCESS_KEY: 'x7',
    AWS_SESSION_TOKEN: 'x8',
    npm_config__authToken: 'x9',
    SECRET_KEY_BASE: 'x10',
    SENTRY_DSN: 'x11',
    GOOGLE_APPLICATION_CREDENTIALS: 'x12',
    MYSQL_PWD: 'x13',
    DATABASE_URL: 'postgres://me:hunter22@db.example/app',
    REDIS: 'redis://:hunter22secret@cache.example:6379',
    DEPLOY: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
    SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/T0/B0/x',
  };
  const PLAIN: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/home/me',
    PWD: '/work',
    TOKENIZER: 'cl100k',
    KEYBOARD: 'de',
    AWS_REGION: 'eu-central-1',
    DATABASE_HOST: 'db.example',
    HTTPS_PROXY: 'http://me:hunter22@proxy.example:8080',
    LS_COLORS: '*.tar=01;31:*.zip=01;31',
    SITE_URL: 'https://example.org/a?b=c',
  };

  it('a connection with its password, a key under another name and a token reached every command', () => {
    expect(childEnv({ ...SECRETS, ...PLAIN })).toEqual(PLAIN);
  });

  it('are not in what `env` prints, through the agent', async () => {
    const { agent, brain } = await stageFor({
      format: 'anthropic',
      steps: [{ parts: [{ kind: 'call', name: 'bash', input: { command: 'env; set; export' } }] }, 'Done.'],
      agent: { rules: { allow: ['bash'] }, env: { ...SECRETS, ...PLAIN } },
    });
    await agent.run('Go on.');
    const [result] = resultsIn(brain.requests[1]);
    expect(result?.text).toContain('TOKENIZER=cl100k');
    for (const name of Object.keys(SECRETS)) expect(result?.text).not.toContain(`${name}=`);
  });
});

describe('what a remembered rule stretches over', () => {
  const rules = (text: string): RuleSet => ({ deny: [], ask: [], allow: [parseRemembered({ kind: 'allow', text })] });
  const verdict = (command: string, text: string) => judgeCommand(command, 'bash', rules(text)).kind;

  it.each([
    ['npm test --node-options=--import=data:text/javascript,evil()', 'bash(npm test *)'],
    ['npm test --script-shell ./evil', 'bash(npm test *)'],
    ['npm test "--script-shell" ./evil', 'bash(npm test *)'],
    ['npm test -\\-script-shell ./evil', 'bash(npm test *)'],
    ['npm run build --prefix ../other', 'bash(npm run build *)'],
    ['npm run build ~/other', 'bash(npm run build *)'],
    ['npm run build -- --config=/tmp/evil.js', 'bash(npm run build *)'],
    ['bun test --preload ./evil.ts', 'bash(bun test *)'],
    ['pnpm test --dir /tmp/evil', 'bash(pnpm test *)'],
    ['cargo check --config \'build.rustc-wrapper="sh"\'', 'bash(cargo check *)'],
    ['cargo test --manifest-path /tmp/evil/Cargo.toml', 'bash(cargo test *)'],
    ['npm test; touch x', 'bash(npm test *)'],
    ['npm test $(touch x)', 'bash(npm test *)'],
    ['npm test\ntouch x', 'bash(npm test *)'],
    ['npm test | sh', 'bash(npm test *)'],
    ['npm test > ~/.bashrc', 'bash(npm test *)'],
    ['NODE_OPTIONS=--import=evil npm test', 'bash(npm test *)'],
    ['npm testing', 'bash(npm test *)'],
    ['GIT_PAGER=evil git log', 'bash(git *)'],
    ['git log && evil', 'bash(git *)'],
    ['git log `evil`', 'bash(git *)'],
    ['git log <(evil)', 'bash(git *)'],
    ['git() { evil; }; git log', 'bash(git *)'],
  ])('%s ran under %s', (command, text) => {
    expect(verdict(command, text)).toBe('ask');
  });

  it.each([
    ['npm test', 'bash(npm test *)'],
    ['npm test packages/a', 'bash(npm test *)'],
    ['npm test -- --run packages/a -t name', 'bash(npm test *)'],
    ['npm run build --silent', 'bash(npm run build *)'],
    ['cargo test parser --release -- --nocapture', 'bash(cargo test *)'],
    ['git status --short', 'bash(git status *)'],
  ])('%s still needs no question under %s', (command, text) => {
    expect(verdict(command, text)).toBe('allow');
  });

  it('a rule of the settings means what it says', () => {
    const set = parseRules({ allow: ['bash(npm test *)'] });
    expect(judgeCommand('npm test --script-shell ./x', 'bash', set).kind).toBe('allow');
    expect(splitShell('npm test').parts).toHaveLength(1);
  });
});
