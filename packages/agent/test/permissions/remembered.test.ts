import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createPermissions,
  type PermissionAnswer,
  type PermissionQuestion,
  type Permissions,
  type PermissionsOptions,
} from '../../src/permissions/permissions.ts';
import { openRuleStore } from '../../src/permissions/rule-store.ts';
import type { Access } from '../../src/tools/tool.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

interface Stage {
  readonly permissions: Permissions;
  readonly questions: PermissionQuestion[];
  readonly problems: string[];
  run(command: string): Promise<string>;
  write(path: string, tool?: string): Promise<string>;
}

/** Answers in order, then no more: a question too many fails. */
function stage(answers: readonly PermissionAnswer[], more: Partial<PermissionsOptions> = {}): Stage {
  const questions: PermissionQuestion[] = [];
  const problems: string[] = [];
  const left = [...answers];
  const permissions = createPermissions({
    workspace: createWorkspace(tempFolder()),
    ask: (question) => {
      questions.push(question);
      const answer = left.shift();
      return answer === undefined ? Promise.reject(new Error('asked too often')) : Promise.resolve(answer);
    },
    onProblem: (message) => problems.push(message),
    ...more,
  });
  const decide = async (tool: string, access: Access): Promise<string> => {
    const before = questions.length;
    const decision = await permissions.decide(tool, {}, [access]);
    const how = questions.length > before ? 'asked' : 'not asked';
    return decision.allowed ? `${how}, allowed` : `${how}: ${decision.reason}`;
  };
  return {
    permissions,
    questions,
    problems,
    run: (command) => decide('bash', { kind: 'command', command }),
    write: (path, tool = 'write_file') => decide(tool, { kind: 'write', path }),
  };
}

const REMEMBER: PermissionAnswer = { allow: true, remember: 'session' };

describe('what is offered', () => {
  it.each([
    ['ls -l', ['bash(ls -l)']],
    ['npm test', ['bash(npm test)', 'bash(npm test *)']],
    ['npm test -- --watch', ['bash(npm test -- --watch)', 'bash(npm test *)']],
    ['pnpm run build:all', ['bash(pnpm run build:all)', 'bash(pnpm run build:all *)']],
    ['npm testify', ['bash(npm testify)']],
    ['npm install left-pad', ['bash(npm install left-pad)']],
    ['git status -s', ['bash(git status -s)', 'bash(git status *)']],
    ['git log --output=x', ['bash(git log --output=x)']],
    ['npm test && curl x', ['bash(npm test && curl x)']],
    ['npm test > out.txt', ['bash(npm test > out.txt)']],
    ['npm test $(curl x)', ['bash(npm test $(curl x))']],
    ['"npm" test', ['bash("npm" test)']],
    ['rm -r dist', ['bash(rm -r dist)']],
    [`echo ${'x'.repeat(1_000)}`, []],
  ])('for %j is narrow', async (command, offers) => {
    const { run, questions } = stage(['deny']);
    await run(command);
    expect(questions[0]?.offers).toEqual(offers);
  });

  it.each([
    ['src/a.ts', ['write_file(src/a.ts)', 'write_file(src/**)']],
    ['src/[id]/a.ts', ['write_file(src/\\[id\\]/a.ts)', 'write_file(src/\\[id\\]/**)']],
    ['a.ts', ['write_file(a.ts)']],
    ['.github/workflows/x.yml', ['write_file(.github/workflows/x.yml)']],
    ['src/.husky/x', ['write_file(src/.husky/x)']],
    ['.git/config', []],
    ['.holdover/sessions/x', []],
  ])('for writing %j is narrow', async (path, offers) => {
    const { write, questions } = stage(['deny']);
    await write(path);
    expect(questions[0]?.offers).toEqual(offers);
  });

  it('is nothing where a rule says to ask, or where a rule may be about it', async () => {
    const { run, questions } = stage(['deny', 'deny'], { rules: { ask: ['bash(git push*)'] } });
    await run('git push');
    await run('npm test "$(git push)"');
    expect(questions.map(({ offers }) => offers)).toEqual([[], []]);
  });

  it('is nothing where several things are asked about at once', async () => {
    const { permissions, questions } = stage(['deny']);
    await permissions.decide('move', {}, [
      { kind: 'write', path: 'a' },
      { kind: 'write', path: 'b' },
    ]);
    expect(questions[0]?.offers).toEqual([]);
  });

  it('for a tool that does not say what it touches is the tool, which a rule for everything does not open', async () => {
    const { permissions, questions } = stage([REMEMBER], { rules: { allow: ['*'] } });
    expect(await permissions.decide('mcp__web__fetch', {}, [])).toEqual({ allowed: true });
    expect(await permissions.decide('mcp__web__fetch', {}, [])).toEqual({ allowed: true });
    expect(questions.map(({ offers }) => offers)).toEqual([['mcp__web__fetch']]);
  });
});

describe('what is remembered', () => {
  it('is not asked again; only that, to the letter', async () => {
    const { run, permissions } = stage([REMEMBER, 'deny', 'deny']);
    expect(await run('cat *.ts')).toBe('asked, allowed');
    expect(await run('cat *.ts')).toBe('not asked, allowed');
    expect(await run('cat secret.ts')).toBe('asked: The user declined to run bash.');
    expect(await run('cat *.ts; cat secret.ts')).toBe('asked: The user declined to run bash.');
    expect(permissions.rules()).toEqual([{ text: 'bash(cat *.ts)', kind: 'allow', source: 'session' }]);
  });

  it('a command named * is no rule for everything', async () => {
    const { run } = stage([REMEMBER, 'deny', { allow: false, remember: 'session' }, 'allow']);
    expect(await run('*')).toBe('asked, allowed');
    expect(await run('ls')).toBe('asked: The user declined to run bash.');
    expect(await run('**')).toBe('asked: The user declined to run bash.');
    expect(await run('ls')).toBe('asked, allowed');
  });

  it('the wider one only when the user chose it, and never one that was not offered', async () => {
    const wide = stage([{ allow: true, remember: 'session', rule: 'bash(npm test *)' }]);
    await wide.run('npm test');
    expect(await wide.run('npm test -- -t one')).toBe('not asked, allowed');
    const free = stage([{ allow: true, remember: 'session', rule: 'bash' }, 'deny']);
    expect(await free.run('npm test')).toBe('asked, allowed');
    expect(await free.run('npm test')).toBe('asked: The user declined to run bash.');
    expect(free.permissions.rules()).toEqual([]);
  });

  it('a no is remembered too, and wins over what allows', async () => {
    const { run } = stage([{ allow: false, reason: 'use npm ci', remember: 'session' }]);
    expect(await run('npm install')).toBe('asked: The user declined to run bash: use npm ci');
    expect(await run('NPM install')).toBe('not asked: bash was not run: the rule bash(npm install) forbids it.');
  });

  it('opens neither the deny list, nor what is protected, nor what a rule denies or asks', async () => {
    const { permissions, run, write } = stage(['deny', 'deny', 'deny'], {
      rules: { deny: ['bash(curl *)'], ask: ['bash(git push*)'] },
    });
    for (const rule of ['bash(sudo ls)', 'bash', 'write_file(.git/config)', 'write_file(.git/**)', '*'])
      await permissions.remember(rule, 'session');
    expect(await run('sudo ls')).toContain('the deny list forbids "sudo"');
    expect(await write('.git/config')).toBe('asked: The user declined to run write_file.');
    expect(await run('curl x')).toContain('the rule bash(curl *) forbids it');
    expect(await run('git push')).toBe('asked: The user declined to run bash.');
    expect(await run('rm -r src')).toBe('asked: The user declined to run bash.');
    expect(await run('ls')).toBe('not asked, allowed');
  });

  it('yields to a rule that may be about it', async () => {
    const rules = { deny: ['bash(curl *)'] };
    const { run, permissions } = stage(['deny', 'deny'], { rules });
    await permissions.remember('bash(sh -c "$(cat x)")', 'session');
    expect(await run('sh -c "$(cat x)"')).toBe('asked: The user declined to run bash.');
  });

  it('is listed with the settings and forgotten when told; settings are not', async () => {
    const { permissions, run } = stage(['deny'], { rules: { allow: ['bash(ls)'], deny: ['bash(curl *)'] } });
    await permissions.remember('bash(pwd)', 'session');
    await permissions.remember('bash(env)', 'session', 'ask');
    expect(permissions.rules()).toEqual([
      { text: 'bash(ls)', kind: 'allow', source: 'setting' },
      { text: 'bash(curl *)', kind: 'deny', source: 'setting' },
      { text: 'bash(pwd)', kind: 'allow', source: 'session' },
      { text: 'bash(env)', kind: 'ask', source: 'session' },
    ]);
    expect(await run('pwd')).toBe('not asked, allowed');
    expect(await permissions.forget('bash(pwd)')).toBe(true);
    expect(await permissions.forget('bash(ls)')).toBe(false);
    expect(await run('pwd')).toBe('asked: The user declined to run bash.');
    await expect(permissions.remember('bash(', 'session')).rejects.toMatchObject({ code: 'invalid_rule' });
    await expect(permissions.remember('bash', 'project')).rejects.toMatchObject({ code: 'rules_not_kept' });
  });

  it('for a project holds in the next session, for a session in this one', async () => {
    const [root, userFolder] = [tempFolder(), tempFolder()];
    const open = async (sessionId: string, answers: readonly PermissionAnswer[]): Promise<Stage> => {
      const store = await openRuleStore({
        userFolder,
        workspace: root,
        sessionId,
        now: () => 0,
        onProblem: () => undefined,
      });
      return stage(answers, { workspace: createWorkspace(root), store });
    };
    const first = await open('s1', [{ allow: true, remember: 'project' }, REMEMBER]);
    await first.run('npm run build');
    await first.run('npm run lint');
    const again = await open('s1', []);
    expect([await again.run('npm run build'), await again.run('npm run lint')]).toEqual([
      'not asked, allowed',
      'not asked, allowed',
    ]);
    const second = await open('s2', ['deny']);
    expect(await second.run('npm run build')).toBe('not asked, allowed');
    expect(await second.run('npm run lint')).toBe('asked: The user declined to run bash.');
    expect(second.permissions.rules()).toEqual([{ text: 'bash(npm run build)', kind: 'allow', source: 'project' }]);
  });

  it('is kept where no tool writes, also when the workspace is above it', async () => {
    const root = tempFolder();
    const userFolder = join(root, '.config', 'holdover');
    const store = await openRuleStore({
      userFolder,
      workspace: root,
      sessionId: 's',
      now: () => 0,
      onProblem: () => undefined,
    });
    const { write } = stage([], { workspace: createWorkspace(root), store, rules: { allow: ['write_file(**)'] } });
    expect(await write('.config/holdover/permissions/x.json')).toContain('only the user changes them');
    expect(await write('.config/holdover/notes')).toBe('not asked, allowed');
  });

  it('what cannot be kept is allowed once and told', async () => {
    const { run, problems } = stage([{ allow: true, remember: 'project' }, 'allow']);
    expect(await run('ls')).toBe('asked, allowed');
    expect(await run('ls')).toBe('asked, allowed');
    expect(problems).toEqual(['there is no folder to remember rules of a project in']);
  });
});

describe('questions', () => {
  it('come one at a time, and one that the answer before settled is not asked', async () => {
    let open = 0;
    let most = 0;
    const { permissions, questions } = stage([], {
      ask: async (question) => {
        questions.push(question);
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open -= 1;
        return REMEMBER;
      },
    });
    const ask = (command: string): Promise<unknown> => permissions.decide('bash', {}, [{ kind: 'command', command }]);
    const decisions = await Promise.all([ask('ls'), ask('ls'), ask('pwd')]);
    expect(decisions).toEqual([{ allowed: true }, { allowed: true }, { allowed: true }]);
    expect(questions.map(({ allowRule }) => allowRule)).toEqual(['bash(ls)', 'bash(pwd)']);
    expect(most).toBe(1);
  });

  it.each([
    [{ allow: false, reason: '  Not \ud83e now. \n' }, 'The user declined to run bash: Not \ufffd now.'],
    [{ allow: false, reason: ' ' }, 'The user declined to run bash.'],
    [{ allow: false }, 'The user declined to run bash.'],
    [{ allow: 'yes' } as unknown as PermissionAnswer, 'The user declined to run bash.'],
    [null as unknown as PermissionAnswer, 'The user declined to run bash.'],
    [{ allow: false, reason: 7 } as unknown as PermissionAnswer, 'The user declined to run bash.'],
    [{ allow: false, reason: 'x'.repeat(3_000) }, `The user declined to run bash: ${'x'.repeat(2_000)}…`],
  ])('answered with %j tell the model why', async (answer, reason) => {
    const { run } = stage([answer]);
    expect(await run('ls')).toBe(`asked: ${reason}`);
  });
});
