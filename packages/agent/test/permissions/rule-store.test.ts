import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openRuleStore, type RuleStore, type RuleStoreOptions } from '../../src/permissions/rule-store.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const allow = (text: string): { kind: 'allow'; text: string } => ({ kind: 'allow', text });

interface Opened {
  readonly store: RuleStore;
  readonly problems: readonly string[];
}

async function open(userFolder: string, more: Partial<RuleStoreOptions> = {}): Promise<Opened> {
  const problems: string[] = [];
  const store = await openRuleStore({
    userFolder,
    workspace: '/projects/a',
    sessionId: 's1',
    now: () => 1_000,
    onProblem: (message) => problems.push(message),
    ...more,
  });
  return { store, problems };
}

function fileOf(userFolder: string): string {
  const names = readdirSync(join(userFolder, 'permissions')).filter((name) => name.endsWith('.json'));
  expect(names).toHaveLength(1);
  return join(userFolder, 'permissions', names[0] ?? '');
}

describe('remembered rules', () => {
  it('are there the next time, owner-only, each in its scope', async () => {
    const folder = tempFolder();
    const { store } = await open(folder);
    await store.add({ kind: 'allow', text: 'bash(ls *.ts)', isExact: true }, 'project');
    await store.add({ kind: 'deny', text: 'bash(curl x)' }, 'session');
    await store.add(allow('bash(npm test *)'), 'session');
    await store.add(allow('bash(npm test *)'), 'session');
    const path = fileOf(folder);
    expect(path).toMatch(/\/[0-9a-f]{32}\.json$/);
    expect([statSync(path).mode & 0o777, statSync(join(folder, 'permissions')).mode & 0o777]).toEqual([0o600, 0o700]);
    const again = await open(folder);
    expect(again.store.rules('project')).toEqual([{ kind: 'allow', text: 'bash(ls *.ts)', isExact: true }]);
    expect(again.store.rules('session').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'deny bash(curl x)',
      'allow bash(npm test *)',
    ]);
    const other = await open(folder, { sessionId: 's2' });
    expect(other.store.rules('session')).toEqual([]);
    expect(other.store.rules('project')).toHaveLength(1);
    const elsewhere = await open(folder, { workspace: '/projects/b' });
    expect(elsewhere.store.rules('project')).toEqual([]);
    expect(again.problems).toEqual([]);
    expect(readdirSync(join(folder, 'permissions')).filter((name) => !name.endsWith('.json'))).toEqual([]);
  });

  it('are forgotten in both scopes', async () => {
    const folder = tempFolder();
    const { store } = await open(folder);
    await store.add(allow('a'), 'project');
    await store.add(allow('a'), 'session');
    await store.add(allow('b'), 'project');
    expect(await store.remove('a')).toBe(true);
    expect(await store.remove('a')).toBe(false);
    const again = await open(folder);
    expect([again.store.rules('project'), again.store.rules('session')]).toMatchObject([[{ text: 'b' }], []]);
  });

  it('of two stores that write in turns are all kept', async () => {
    const folder = tempFolder();
    const [one, two] = [await open(folder), await open(folder)];
    await one.store.add(allow('one'), 'project');
    await two.store.add(allow('two'), 'project');
    expect(two.store.rules('project').map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('of processes that write at once are all kept', async () => {
    const folder = tempFolder();
    const program = `
      import { openRuleStore } from '@holdover/agent';
      const [userFolder, name] = process.argv.slice(1);
      const store = await openRuleStore({ userFolder, workspace: '/projects/a', sessionId: name, now: () => 1, onProblem: console.error });
      for (let i = 0; i < 8; i += 1) await store.add({ kind: 'allow', text: name + i }, 'project');
    `;
    const ended = ['a', 'b', 'c', 'd'].map(async (name) => {
      const args = ['--input-type=module', '-e', program, folder, name];
      const [code] = (await once(spawn(process.execPath, args, { cwd: PACKAGE, stdio: 'inherit' }), 'exit')) as [
        number,
      ];
      return code;
    });
    expect(await Promise.all(ended)).toEqual([0, 0, 0, 0]);
    const { store } = await open(folder);
    const wanted = ['a', 'b', 'c', 'd'].flatMap((name) => Array.from({ length: 8 }, (_, i) => `${name}${i}`));
    expect(
      store
        .rules('project')
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(wanted);
  });

  it('are kept for the fifty sessions used last', async () => {
    const folder = tempFolder();
    for (let i = 0; i < 52; i += 1) {
      const { store } = await open(folder, { sessionId: `s${i}`, now: () => i });
      await store.add(allow(`rule ${i}`), 'session');
    }
    const rules = async (sessionId: string): Promise<number> =>
      (await open(folder, { sessionId })).store.rules('session').length;
    expect([await rules('s1'), await rules('s2'), await rules('s51')]).toEqual([0, 1, 1]);
  });
});

describe('a file of rules that is no good', () => {
  it.each([
    ['no JSON', '{"v":1,'],
    ['another shape', '{"v":1,"workspace":"/projects/a","project":{},"sessions":[]}'],
    [
      'rules of another kind',
      '{"v":1,"workspace":"/projects/a","project":[{"kind":"grant","text":"*"}],"sessions":[]}',
    ],
    ['the rules of another folder', '{"v":1,"workspace":"/projects/b","project":[],"sessions":[]}'],
  ])('holding %s counts as empty, is told, and is set aside', async (_, text) => {
    const folder = tempFolder();
    await (await open(folder)).store.add(allow('x'), 'project');
    const path = fileOf(folder);
    writeFileSync(path, text);
    const { store, problems } = await open(folder);
    expect(store.rules('project')).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('the rules remembered in it do not count')]);
    expect(readFileSync(path, 'utf8')).toBe(text);
    await store.add(allow('y'), 'project');
    expect(readFileSync(`${path}.damaged-1000`, 'utf8')).toBe(text);
    expect((await open(folder)).store.rules('project')).toMatchObject([{ text: 'y' }]);
  });

  it.each([
    ['open to others', (path: string) => chmodSync(path, 0o644), /mode 644/],
    ['of a newer version', (path: string) => writeFileSync(path, '{"v":2}'), /newer version \(2\)/],
  ])('because it is %s neither counts nor is touched', async (_, spoil, reason) => {
    const folder = tempFolder();
    await (await open(folder)).store.add(allow('x'), 'project');
    const path = fileOf(folder);
    spoil(path);
    const before = readFileSync(path, 'utf8');
    const { store, problems } = await open(folder);
    expect(store.rules('project')).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    await expect(store.add(allow('y'), 'project')).rejects.toMatchObject({ code: 'rules_not_kept' });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each([
    ['a link', (path: string, target: string) => symlinkSync(target, path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('because it is %s is left alone', async (_, make) => {
    const folder = tempFolder({ 'elsewhere.json': '{}' });
    await (await open(folder)).store.add(allow('x'), 'project');
    const user = tempFolder();
    mkdirSync(join(user, 'permissions'));
    make(join(user, 'permissions', basename(fileOf(folder))), join(folder, 'elsewhere.json'));
    const { store, problems } = await open(user);
    expect(problems).toHaveLength(1);
    await expect(store.add(allow('y'), 'project')).rejects.toMatchObject({ code: 'rules_not_kept' });
    expect(readFileSync(join(folder, 'elsewhere.json'), 'utf8')).toBe('{}');
  });

  it('where no folder can be made is said so', async () => {
    const folder = tempFolder({ permissions: 'a file' });
    await expect(open(folder)).rejects.toMatchObject({ code: 'rules_not_kept' });
  });
});
