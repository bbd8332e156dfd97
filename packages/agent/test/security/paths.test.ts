/** Every tool that takes a path, against every way out of the workspace. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type PermissionAnswer, readImage, type Tool } from '@holdover/agent';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEditFileTool } from '../../src/tools/edit-file.ts';
import { createGlobTool } from '../../src/tools/glob.ts';
import { createGrepTool } from '../../src/tools/grep.ts';
import { createReadFileTool } from '../../src/tools/read-file.ts';
import { createWriteFileTool } from '../../src/tools/write-file.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { resultsIn, stageFor } from '../support/stage.ts';
import { errorOf, runner } from '../tools/context.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const SECRET = 'the secret of somebody else';

/** A workspace with links that lead out of it in every way, and the folder they lead to. */
function trap(): { readonly root: string; readonly outside: string } {
  const outside = tempFolder({ 'secret.txt': SECRET, 'deep/secret.txt': SECRET });
  const root = tempFolder({ 'in/a.txt': 'a' });
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file-link'));
  symlinkSync(outside, join(root, 'folder-link'));
  symlinkSync('folder-link', join(root, 'link-to-link'));
  symlinkSync(join(outside, 'not-there.txt'), join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  return { root, outside };
}

function hostilePaths(outside: string): readonly string[] {
  return [
    'file-link',
    'folder-link/secret.txt',
    'link-to-link/deep/secret.txt',
    'in/../file-link',
    'dangling',
    'loop',
    '../secret.txt',
    'in/../../secret.txt',
    './././../x',
    join(outside, 'secret.txt'),
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/self/root/etc/passwd',
    '/dev/stdin',
    '~/secret.txt',
    '~',
    'in/a.txt\0.png',
    `${'x'.repeat(300)}/a`,
    'y/'.repeat(3_000),
    '',
  ];
}

const TOOLS: readonly (readonly [string, Tool, (path: string) => unknown])[] = [
  ['read_file', createReadFileTool(), (path) => ({ path })],
  ['write_file', createWriteFileTool(), (path) => ({ path, content: 'owned' })],
  ['edit_file', createEditFileTool(), (path) => ({ path, old_text: SECRET, new_text: 'owned' })],
  ['grep', createGrepTool(), (path) => ({ pattern: 'secret', path })],
];

describe('ways out of the workspace', () => {
  it.each(TOOLS)('%s takes none of them, and shows and changes nothing there', async (_name, tool, input) => {
    const { root, outside } = trap();
    const run = runner(tool, root);
    for (const path of hostilePaths(outside)) expect(await errorOf(run(input(path)))).not.toContain(SECRET);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(execFileSync('ls', [outside], { encoding: 'utf8' })).toBe('deep\nsecret.txt\n');
  });

  it('glob lists nothing behind them', async () => {
    const { root, outside } = trap();
    const glob = runner(createGlobTool(), root);
    for (const pattern of ['**', '*/*', 'folder-link/**', 'link-to-link/*', `${outside}/**`, '../**', '/proc/self/*']) {
      const { text } = await glob({ pattern });
      // A refusal may repeat the pattern, and with it the name of the folder; never what lies there.
      expect(text).not.toContain('secret.txt');
      expect(text).not.toContain('environ');
    }
  });

  it('an image is none of them', async () => {
    const { root, outside } = trap();
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    writeFileSync(join(outside, 'shot.png'), png);
    symlinkSync(join(outside, 'shot.png'), join(root, 'shot.png'));
    const workspace = createWorkspace(root);
    for (const path of ['shot.png', 'folder-link/shot.png', join(outside, 'shot.png'), 'shot.png\0', '~/shot.png'])
      expect(await readImage(path, workspace)).toMatchObject({ ok: false });
  });

  it.each(TOOLS)('%s does not wait for a pipe, a socket or a device', async (_name, tool, input) => {
    const root = tempFolder();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const run = runner(tool, root);
    for (const path of ['pipe', 'socket']) expect((await run(input(path))).isError).toBe(true);
  });
});

describe('the whole machine as the workspace', () => {
  it('the keys in the environment of the agent could be read as a file', async () => {
    const read = runner(createReadFileTool(), '/');
    const grep = runner(createGrepTool(), '/');
    const own = `proc/${process.pid}/environ`;
    for (const path of ['/proc/self/environ', own, 'proc/thread-self/environ', '/proc/self/root/etc/hostname'])
      expect((await read({ path })).text).not.toMatch(/PATH=/);
    expect(await errorOf(read({ path: own }))).toContain('shows the inside of processes');
    expect(await errorOf(grep({ pattern: 'PATH', path: own }))).toContain('shows the inside of processes');
    const listed = await runner(createGlobTool(), '/')({ pattern: 'proc/*' });
    expect(listed.text).toContain('shows the inside of processes');
  });
});

describe('names that one file system takes for others', () => {
  it.each([
    '.GIT/hooks/pre-commit',
    '.Git/config',
    'sub/.git/hooks/post-merge',
    '.HOLDOVER/sessions/x',
    'in/../.git/config',
  ])('a rule for every file does not open %s', async (path) => {
    const { agent, folder } = await stageFor({
      format: 'anthropic',
      steps: [{ parts: [{ kind: 'call', name: 'write_file', input: { path, content: 'x' } }] }, 'Done.'],
      agent: { rules: { allow: ['write_file', 'write_file(**)'] } },
    });
    await agent.run('Go on.');
    expect(() => readFileSync(join(folder, path))).toThrow();
  });

  it.each([
    ['SECRETS/key.txt', 'secrets/key.txt'],
    ['cafe\u0301.txt', 'caf\u00e9.txt'],
  ])('a rule that forbids %s forbids %s', async (rule, path) => {
    const { agent, brain } = await stageFor({
      format: 'anthropic',
      files: { [path]: SECRET },
      steps: [{ parts: [{ kind: 'call', name: 'read_file', input: { path } }] }, 'Done.'],
      agent: { rules: { deny: [`read_file(${rule})`] } },
    });
    await agent.run('Go on.');
    expect(resultsIn(brain.requests[1])[0]?.text).toContain('forbids it');
  });
});

describe('a path that leads elsewhere by the time it is used', () => {
  const calls = (name: string, input: Record<string, unknown>) => [
    { parts: [{ kind: 'call', name, input } as const] },
    'Done.',
  ];

  it('what was allowed while the user was asked went to a protected file', async () => {
    const folder = tempFolder({ '.git/hooks/pre-commit': 'old', 'notes.txt': 'notes' });
    const ask = async (): Promise<PermissionAnswer> => {
      rmSync(join(folder, 'notes.txt'));
      symlinkSync('.git/hooks/pre-commit', join(folder, 'notes.txt'));
      return 'allow';
    };
    const { agent, brain } = await stageFor({
      format: 'anthropic',
      folder,
      steps: calls('edit_file', { path: 'notes.txt', old_text: 'old', new_text: 'owned' }),
      agent: { ask },
    });
    await agent.run('Go on.');
    expect(readFileSync(join(folder, '.git/hooks/pre-commit'), 'utf8')).toBe('old');
    expect(resultsIn(brain.requests[1])[0]?.text).toContain('leads elsewhere than when permission was given');
  });

  it('nor to a folder swapped for a link', async () => {
    const folder = tempFolder({ 'private/key.txt': SECRET, 'public/key.txt': 'nothing' });
    const ask = async (): Promise<PermissionAnswer> => {
      renameSync(join(folder, 'public'), join(folder, 'gone'));
      symlinkSync('private', join(folder, 'public'));
      return 'allow';
    };
    const { agent, brain } = await stageFor({
      format: 'anthropic',
      folder,
      steps: calls('read_file', { path: 'public/key.txt' }),
      agent: { ask, rules: { ask: ['read_file(public/**)'], deny: ['read_file(private/**)'] } },
    });
    await agent.run('Go on.');
    expect(resultsIn(brain.requests[1])[0]?.text).toContain('leads elsewhere');
  });

  it('a new file in a new folder still is where it was asked about', async () => {
    const { agent, folder } = await stageFor({
      format: 'anthropic',
      steps: calls('write_file', { path: 'a/b/c.txt', content: 'c' }),
      agent: { ask: async () => 'allow' },
    });
    await agent.run('Go on.');
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    expect(readFileSync(join(folder, 'a/b/c.txt'), 'utf8')).toBe('c');
  });
});
