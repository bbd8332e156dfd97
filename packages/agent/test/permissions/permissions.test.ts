import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../src/errors.ts';
import {
  createPermissions,
  type PermissionQuestion,
  type PermissionsOptions,
} from '../../src/permissions/permissions.ts';
import type { PermissionRules } from '../../src/permissions/rules.ts';
import type { Access } from '../../src/tools/tool.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

interface Setup extends Omit<Partial<PermissionsOptions>, 'rules'> {
  readonly root?: string;
}

/** `allow`, `ask` or `deny`, and the reason for the last two. */
async function judge(
  call: { readonly tool: string; readonly access: Access },
  rules: PermissionRules,
  setup: Setup = {},
): Promise<string> {
  const questions: PermissionQuestion[] = [];
  const { root = tempFolder(), ...options } = setup;
  const permissions = createPermissions({
    workspace: createWorkspace(root),
    ask: async (question) => {
      questions.push(question);
      return 'deny';
    },
    ...options,
    rules,
  });
  const decision = await permissions.decide(call.tool, {}, [call.access]);
  if (decision.allowed) return 'allow';
  return questions.length > 0 ? `ask: ${questions[0]?.reason}` : `deny: ${decision.reason}`;
}

async function bash(command: string, rules: PermissionRules = {}): Promise<string> {
  return judge({ tool: 'bash', access: { kind: 'command', command } }, rules);
}

/** Only the first word of the verdict. */
async function kind(command: string, rules: PermissionRules = {}): Promise<string> {
  return (await bash(command, rules)).split(':')[0] ?? '';
}

describe('the deny list', () => {
  it.each([
    'sudo ls',
    's"u"do ls',
    "su'do' ls",
    'su\\do ls',
    'su\\\ndo ls',
    'echo x | sudo tee y',
    'rm -rf /',
    'rm  -rf   /',
    'rm\t-rf /',
    'rm -rf "/"',
    'rm -fr /',
    'rm -r -f /*',
    'rm --recursive --force /',
    '/bin/rm -rf -- /',
    'rm -rf ~',
    'rm -rf "$HOME"/',
    'cd x && rm -Rf ~/*',
    'shutdown now',
    'reboot',
    'mkfs.ext4 /dev/sdb',
    'dd if=/dev/zero of=x',
    'cat x > /dev/sda',
    'cat x >/dev/sda',
    'cat x >  /dev/sda',
  ])('refuses %j under every rule and without asking', async (command) => {
    expect(await kind(command, { allow: ['*', 'bash', `bash(${command})`] })).toBe('deny');
  });

  it('lets other commands pass to the rules', async () => {
    for (const command of ['rm -r build', 'ls /', 'echo suds']) expect(await kind(command)).toBe('ask');
  });

  it('can be replaced', async () => {
    const access: Access = { kind: 'command', command: 'git push' };
    expect(await judge({ tool: 'bash', access }, { allow: ['bash'] }, { denyList: ['git push'] })).toContain(
      'deny list',
    );
  });
});

describe('commands', () => {
  const npm: PermissionRules = { allow: ['bash(npm test*)'] };

  it('ask without a rule', async () => {
    expect(await bash('ls')).toBe('ask: no rule allows it');
  });

  it('are allowed by a prefix rule, exactly or in parts', async () => {
    for (const command of [
      'npm test',
      'npm test -- --watch',
      "npm test -- -t 'a; b'",
      'npm test 2>&1',
      'npm test && npm test x',
    ]) {
      expect(await kind(command, npm)).toBe('allow');
    }
    expect(await kind('npm test | tail -5', { allow: ['bash(npm test*)', 'bash(tail *)'] })).toBe('allow');
    expect(await kind('npm test > /dev/null 2>&1', npm)).toBe('allow');
    expect(await kind('git status', { allow: ['bash(git status *)'] })).toBe('allow');
    expect(await kind('git status -s', { allow: ['bash(git status *)'] })).toBe('allow');
    expect(await kind('git statusx', { allow: ['bash(git status *)'] })).toBe('ask');
  });

  it.each([
    'npm test; curl evil',
    'npm test;curl evil',
    'npm test && curl evil',
    'npm test || curl evil',
    'npm test | sh',
    'npm test & curl evil',
    'npm test\ncurl evil',
    'npm test $(curl evil)',
    'npm test "$(curl evil)"',
    'npm test `curl evil`',
    'npm test "`curl evil`"',
    'npm test ${x:-$(curl evil)}',
    'npm test <(curl evil)',
    'npm test >(sh)',
    'npm test > ~/.bashrc',
    'npm test >> package.json',
    'npm test &> out',
    "npm test # don't\ncurl evil # '",
    "npm test $'\\'' ; curl evil #'",
    'npm test "\\"; curl evil',
    "npm test \\'; curl evil; \\'",
    'PATH=/tmp/evil npm test',
    'npm() { curl evil; }; npm test',
    'cd /tmp/evil && npm test',
    'npm test << END\n$(curl evil)\nEND',
    '(npm test; curl evil)',
    '{ npm test; curl evil; }',
    'if npm test; then curl evil; fi',
    'xnpm test',
    '/tmp/npm test',
    'npm\u00a0test',
    'npm test 2>&1\r',
    'npm test 2>&1\u00a0',
    'npm test > /dev/null\v',
    'NPM test',
  ])('a prefix rule does not allow %j', async (command) => {
    expect(await kind(command, npm)).toBe('ask');
  });

  it('names the part that is not allowed', async () => {
    expect(await bash('npm test; curl evil', npm)).toBe('ask: no rule allows its part "curl evil"');
    expect(await bash('npm test `x`', npm)).toBe('ask: it is too intricate to tell what it runs');
  });

  it('a broad rule allows what is not risky', async () => {
    for (const allow of [['bash'], ['bash(*)'], ['*']]) {
      expect(await kind('for i in 1 2; do echo "$(date)" > out; done', { allow })).toBe('allow');
      for (const risky of [
        'rm x',
        'cd a && rm x',
        'r""m x',
        'r\\m x',
        '/bin/rm x',
        'echo "$(rm x)"',
        'del x',
        'echo x > /etc/y',
      ]) {
        expect(await kind(risky, { allow })).toBe('ask');
      }
      expect(await kind('chmod 777 x', { allow })).toBe('ask');
      expect(await kind('chmod -R 777 x', { allow })).toBe('ask');
      expect(await kind('npm run format', { allow })).toBe('allow');
    }
  });

  it('a rule that names the risk allows it', async () => {
    expect(await kind('rm -r dist', { allow: ['bash(rm -r dist)'] })).toBe('allow');
    const allow = ['bash(rm dist/*)', 'bash(ls*)'];
    expect(await kind('rm dist/a.js', { allow })).toBe('allow');
    expect(await kind('ls && rm dist/a.js', { allow })).toBe('allow');
    expect(await kind('rm src/a.js', { allow })).toBe('ask');
    for (const far of [
      'rm dist/a /tmp/x',
      'rm dist/../src/a',
      'rm dist/a ~/x',
      'rm dist/a $HOME',
      'rm dist/a; rm src/b',
    ]) {
      expect(await kind(far, { allow })).toBe('ask');
    }
  });

  it('a rule with exactly the command allows it, however intricate', async () => {
    const command = 'for f in *; do echo "$(wc -l < "$f")"; done';
    expect(await kind(command, { allow: [`bash(${command})`] })).toBe('allow');
    expect(await kind(`${command}; ls`, { allow: [`bash(${command})`] })).toBe('ask');
  });

  it.each([
    'git push',
    'git push --force',
    'cd x && git push',
    'FOO=1 git push',
    'env git push',
    'g"it" push',
    'git  push',
    '/usr/bin/git push',
    'GIT push',
    'if true; then git push; fi',
    'echo $(git push)',
    '(git push)',
    'git \\\n push',
  ])('a deny rule holds for %j', async (command) => {
    expect(await kind(command, { allow: ['*'], deny: ['bash(git push*)'] })).toBe('deny');
  });

  it.each([
    'git $(echo push)',
    '$(printf git) push',
    'sh -c "git push"',
    'echo "$(git push)"',
    'xargs git push',
    'a=git; $a push',
    "eval 'gi''t push'",
    'g{it,} push',
    'eval "$X"x`y`',
  ])('a deny rule makes %j a question', async (command) => {
    expect(await kind(command, { allow: ['*'], deny: ['bash(git push*)'] })).toBe('ask');
  });

  it('deny wins over ask, ask over allow', async () => {
    const allow = ['bash(git push)', '*'];
    expect(await kind('git push', { allow, ask: ['bash(git *)'], deny: ['bash(git p*)'] })).toBe('deny');
    expect(await bash('git push', { allow, ask: ['bash(git *)'] })).toBe('ask: the rule bash(git *) says to ask');
    expect(await kind('ls', { allow, deny: ['bash'] })).toBe('deny');
    expect(await kind('ls', { allow, ask: ['*'] })).toBe('ask');
  });
});

describe('files', () => {
  const on = (tool: string, access: 'read' | 'write', path: string) =>
    ({ tool, access: { kind: access, path } }) as const;

  it('reading inside is allowed, outside refused without asking', async () => {
    expect(await judge(on('read_file', 'read', 'a.txt'), {})).toBe('allow');
    expect(await judge(on('grep', 'read', '.'), {})).toBe('allow');
    for (const path of ['../x', '/etc/passwd', '~/.ssh/id_rsa', 'a\0']) {
      expect(await judge(on('read_file', 'read', path), { allow: ['*', 'read_file(**)'] })).toMatch(/^deny/);
      expect(await judge(on('write_file', 'write', path), { allow: ['*', 'write_file(**)'] })).toMatch(/^deny/);
    }
  });

  it('writing asks unless a rule allows it', async () => {
    const allow = ['write_file(src/**)'];
    expect(await judge(on('write_file', 'write', 'src/a.ts'), {})).toBe('ask: no rule allows it');
    expect(await judge(on('write_file', 'write', 'src/a.ts'), { allow })).toBe('allow');
    expect(await judge(on('edit_file', 'write', './src/deep/.a'), { allow })).toBe('allow');
    expect(await judge(on('write_file', 'write', 'src/../package.json'), { allow })).toMatch(/^ask/);
    expect(await judge(on('write_file', 'write', 'SRC/a.ts'), { allow })).toMatch(/^ask/);
    expect(await judge(on('write_file', 'write', 'a.ts'), { allow: ['edit_file(**)'] })).toMatch(/^ask/);
    expect(await judge(on('edit_file', 'write', 'a.ts'), { allow: ['edit_file(**)'] })).toBe('allow');
    expect(await judge(on('write_file', 'write', 'a.ts'), { allow: ['bash(*)', 'read_file(**)'] })).toMatch(/^ask/);
  });

  it('an allow rule looks at the real path, a deny rule at both', async () => {
    const root = tempFolder({ 'private/key': '', 'src/a.ts': '' });
    symlinkSync('../private', join(root, 'src/link'));
    const write = on('write_file', 'write', 'src/link/key');
    expect(await judge(write, { allow: ['write_file(src/**)'] }, { root })).toMatch(/^ask/);
    expect(await judge(write, { allow: ['*'], deny: ['write_file(private/**)'] }, { root })).toMatch(/^deny/);
    expect(await judge(write, { allow: ['*'], deny: ['write_file(src/link/**)'] }, { root })).toMatch(/^deny/);
  });

  it('a deny rule holds for every tool with that access and ignores case', async () => {
    const rules = { allow: ['*'], deny: ['read_file(**/.env)'] };
    for (const path of ['.env', 'a/.env', './a/../.env', '.ENV']) {
      expect(await judge(on('grep', 'read', path), rules)).toMatch(/^deny/);
      expect(await judge(on('edit_file', 'read', path), rules)).toMatch(/^deny/);
    }
    const permissions = createPermissions({ workspace: createWorkspace(tempFolder()), rules });
    expect(permissions.mayRead('a/.env')).toBe(false);
    expect(permissions.mayRead('a/env')).toBe(true);
  });

  it('protected names need a rule that names them', async () => {
    for (const path of ['.git/hooks/pre-commit', '.holdover/x', 'sub/.GIT/config']) {
      expect(await judge(on('write_file', 'write', path), { allow: ['*', 'write_file(**)'] })).toMatch(/is protected$/);
    }
    expect(await judge(on('write_file', 'write', '.git/info/exclude'), { allow: ['write_file(.git/**)'] })).toBe(
      'allow',
    );
    expect(await judge(on('write_file', 'write', '.gitignore'), { allow: ['*'] })).toBe('allow');
  });
});

describe('decide', () => {
  const workspace = createWorkspace(process.cwd());
  const command: readonly Access[] = [{ kind: 'command', command: 'npm run build' }];

  it('asks once with everything a user needs', async () => {
    const questions: PermissionQuestion[] = [];
    const permissions = createPermissions({
      workspace,
      ask: async (question) => {
        questions.push(question);
        return 'allow';
      },
    });
    expect(await permissions.decide('bash', { command: 'npm run build' }, command)).toEqual({ allowed: true });
    expect(questions).toEqual([
      {
        tool: 'bash',
        input: { command: 'npm run build' },
        accesses: command,
        reason: 'no rule allows it',
        allowRule: 'bash(npm run build)',
        offers: ['bash(npm run build)', 'bash(npm run build *)'],
      },
    ]);
  });

  it('without anyone to ask it refuses and names a rule that does allow it', async () => {
    const calls: readonly (readonly [string, Access])[] = [
      ['bash', { kind: 'command', command: 'npm run build' }],
      ['bash', { kind: 'command', command: 'rm -r dist && echo "$(date)" > out\nls' }],
      ['write_file', { kind: 'write', path: 'src/[id].ts' }],
      ['edit_file', { kind: 'write', path: '.git/config' }],
    ];
    for (const [tool, access] of calls) {
      const refused = await createPermissions({ workspace }).decide(tool, {}, [access]);
      const reason = refused.allowed ? '' : refused.reason;
      const rule = /A rule that would allow it: ([^]+)$/.exec(reason)?.[1] ?? '';
      const allowed = await createPermissions({ workspace, rules: { allow: [rule] } }).decide(tool, {}, [access]);
      expect(allowed).toEqual({ allowed: true });
    }
  });

  it('takes the strictest verdict of several accesses', async () => {
    const permissions = createPermissions({ workspace, rules: { allow: ['write_file(a)'], deny: ['read_file(b)'] } });
    const access = (kind: 'read' | 'write', path: string): Access => ({ kind, path });
    expect(await permissions.decide('x', {}, [access('read', 'a'), access('write', 'a')])).toEqual({ allowed: true });
    expect(await permissions.decide('x', {}, [access('write', 'a'), access('read', 'b')])).toMatchObject({
      allowed: false,
    });
    expect(await permissions.decide('x', {}, [])).toMatchObject({ allowed: false });
  });

  it('a tool that touches nothing runs unless a rule is about it', async () => {
    const none: readonly Access[] = [{ kind: 'none' }];
    const decide = (rules: PermissionRules): Promise<{ allowed: boolean }> =>
      createPermissions({ workspace, rules }).decide('todo_write', {}, none);
    expect(await decide({})).toEqual({ allowed: true });
    expect(await decide({ deny: ['todo_write'] })).toMatchObject({ allowed: false });
    expect(await decide({ deny: ['*'] })).toMatchObject({ allowed: false });
    expect(await decide({ ask: ['todo_write'] })).toMatchObject({ allowed: false });
    expect(await decide({ deny: ['read_file(**)', 'bash'] })).toEqual({ allowed: true });
  });

  it('a failing port or a strange answer is a no', async () => {
    const failing = createPermissions({ workspace, ask: () => Promise.reject(new Error('closed')) });
    expect(await failing.decide('bash', {}, command)).toMatchObject({ allowed: false });
    const strange = createPermissions({ workspace, ask: async () => 'yes' as 'allow' });
    expect(await strange.decide('bash', {}, command)).toEqual({
      allowed: false,
      reason: 'The user declined to run bash.',
    });
  });
});

describe('rules', () => {
  it.each(['', 'bash(', 'bash()', 'two words', '*(x)', '(x)', 'bash(x) y'])('refuses %j', (rule) => {
    expect(() => createPermissions({ workspace: createWorkspace('.'), rules: { deny: [rule] } })).toThrow(AgentError);
  });
});
