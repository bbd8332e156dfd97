import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, saidIn, scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { type Terminal, terminal } from './terminal.ts';

const TOUCH = call('bash', { command: 'touch made.txt' });

async function say(screen: Terminal, text: string, answer: string | RegExp): Promise<void> {
  await screen.send(text);
  await screen.waitFor(answer);
  await screen.ready();
}

async function leave(screen: Terminal): Promise<void> {
  screen.press('ctrl+d');
  await screen.ended();
}

function logsOf(folder: string): readonly string[] {
  return readdirSync(join(folder, '.holdover', 'sessions')).filter((name) => name.endsWith('.jsonl'));
}

describe('what is remembered', () => {
  it('p: the next terminal in the folder is not asked, one elsewhere is; /permissions remove takes it back', async () => {
    const model = await scriptedModel([[TOUCH], 'First.', [TOUCH], 'Second.', [TOUCH], 'Third.', [TOUCH], 'Fourth.']);
    const [folder, other] = [workFolder(), workFolder()];
    const env = { ...model.env, XDG_CONFIG_HOME: join(folder, '.config') };
    const first = await terminal({ folder, env });
    await first.send('Make it.');
    await first.answer('p');
    await first.waitFor('First.');
    await first.ready();
    await leave(first);
    expect(existsSync(join(folder, '.holdover', 'permissions'))).toBe(false);

    const elsewhere = await terminal({ folder: other, env });
    await elsewhere.send('Make it.');
    await elsewhere.waitFor('y once');
    await elsewhere.answer('y');
    await elsewhere.waitFor('Second.');
    await leave(elsewhere);

    const again = await terminal({ folder, env });
    await say(again, 'Make it.', 'Third.');
    expect(again.text()).not.toContain('y once');
    await say(again, '/permissions', /^allow +bash\(touch made\.txt\) +project$/m);
    await say(again, '/permissions remove bash(touch made.txt)', 'The rule bash(touch made.txt) is gone.');
    await say(again, '/permissions remove bash(rm *)', 'There is no rule bash(rm *) that can be taken back here');
    await again.send('Make it.');
    await again.answer('n');
    await again.waitFor('Fourth.');
  });

  it('s: a resumed session is not asked, another one is; a refusal with its reason reaches the model', async () => {
    const model = await scriptedModel([[TOUCH], 'First.', [TOUCH], 'Second.', [TOUCH], 'Third.']);
    const folder = workFolder();
    const first = await terminal({ folder, env: model.env });
    await first.send('Make it.');
    await first.answer('s');
    await first.waitFor('First.');
    await first.ready();
    await leave(first);
    const second = await terminal({ folder, env: model.env }, ['--continue']);
    await say(second, 'Make it.', 'Second.');
    expect(second.text()).not.toContain('y once');
    await say(second, '/clear', 'A new session.');
    await second.send('Make it.');
    await second.answer('r');
    await second.waitFor('why not?');
    second.type('it would yield nothing');
    await second.waitFor('it would yield nothing');
    second.press('enter');
    await second.waitFor('Third.');
    expect(saidIn(model, -1)).toContain('The user declined to run bash: it would yield nothing');
  });
});

describe('/export', () => {
  it('writes Markdown and JSON for the owner only, secrets taken out, and leaves files that are there', async () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    const model = await scriptedModel([[call('read_file', { path: 'key.txt' })], 'I saw a key.']);
    const folder = workFolder({ 'key.txt': `key=${secret}\n`, 'there.md': 'mine\n' });
    const screen = await terminal({ folder, env: model.env, columns: 120 });
    await say(screen, `Look at key.txt, and mind ${secret}.`, 'I saw a key.');
    await say(screen, '/export md', /Written to \S+\.md/);
    await say(screen, '/export json out.json', /Written to \S+out\.json/);
    await say(screen, '/export there.md', 'is there already and was left as it is');
    expect(readFileSync(join(folder, 'there.md'), 'utf8')).toBe('mine\n');
    const markdown = readdirSync(folder).find((name) => /^holdover-.*\.md$/.test(name)) ?? '';
    const exported = [markdown, 'out.json'].map((name) => join(folder, name));
    expect(exported.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    const [asMarkdown = '', asJson = ''] = exported.map((path) => readFileSync(path, 'utf8'));
    expect([asMarkdown, asJson].filter((text) => text.includes(secret) || !text.includes('I saw a key.'))).toEqual([]);
    expect(Object.keys(JSON.parse(asJson))).toContain('v');
  });
});

describe('sessions', () => {
  it('/resume goes on with one of the list, the list of tasks with it', async () => {
    const todos = [
      { content: 'Bound the wait', status: 'in_progress' },
      { content: 'Tell the others', status: 'pending' },
    ];
    const model = await scriptedModel([[call('todo_write', { todos })], 'Noted.', 'Another.', 'Gone on.']);
    const hooks = { SessionStart: [{ command: 'cat >> starts.jsonl; echo >> starts.jsonl' }] };
    const folder = workFolder({ '.config/holdover/settings.json': JSON.stringify({ hooks }) });
    const screen = await terminal({ folder, env: model.env, rows: 40 });
    await say(screen, 'Note it.', 'Noted.');
    await say(screen, '/clear', 'A new session.');
    await say(screen, 'Something else.', 'Another.');
    await screen.send('/resume');
    await screen.waitFor('Sessions of this folder');
    expect(screen.screen().find((line) => line.startsWith('→'))).toMatch(/^→ Note it\. +just now · 4 messages/);
    screen.press('enter');
    await screen.waitFor((one) => one.screen().some((line) => line === '  ▸ Bound the wait'));
    await screen.ready();
    picture(screen, 'resumed');
    const shown = screen.screen().join('\n');
    expect(shown).toContain('❯ Note it.');
    expect(shown).not.toContain('Something else.');
    // The meter tells of this session, before anything is sent.
    expect(shown).toMatch(/━┄+ 1% {2}compaction in/);
    await say(screen, 'Go on.', 'Gone on.');
    expect(saidIn(model, -1)).toContain('Note it.');
    expect(saidIn(model, -1)).not.toContain('Something else.');
    const starts = readFileSync(join(folder, 'starts.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(starts.map((line) => (JSON.parse(line) as { source: string }).source)).toEqual([
      'startup',
      'clear',
      'resume',
    ]);
  });

  it('the second terminal on a session goes on in a copy and says so, also after /resume', async () => {
    const model = await scriptedModel(['First.', 'In the copy.']);
    const folder = workFolder();
    const first = await terminal({ folder, env: model.env });
    await say(first, 'Hello.', 'First.');
    const [id = ''] = logsOf(folder).map((name) => name.slice(0, -6));
    const second = await terminal({ folder, env: model.env, columns: 120 }, ['--continue']);
    await second.waitFor(`! session ${id} is open in another process; this goes on in a copy`);
    expect(second.text()).toContain('❯ Hello.');
    await say(second, 'Go on.', 'In the copy.');
    expect(logsOf(folder)).toHaveLength(2);
    await say(second, '/clear', 'A new session.');
    await say(second, `/resume ${id}`, `! session ${id} is open in another process; this goes on in a copy`);
    picture(second, 'copy');
    expect(second.screen().join('\n')).toContain('❯ Hello.');
  });

  it('a session of a newer version opens, shows what it can, says why it cannot go on, and can be exported', async () => {
    const model = await scriptedModel(['First.']);
    const folder = workFolder();
    const first = await terminal({ folder, env: model.env });
    await say(first, 'Hello.', 'First.');
    await leave(first);
    const [log = ''] = logsOf(folder);
    const path = join(folder, '.holdover', 'sessions', log);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    writeFileSync(path, `${[...lines, '{"v":99,"id":"x","parent":null,"type":"dream"}'].join('\n')}\n`);
    const second = await terminal({ folder, env: model.env, rows: 30 }, ['--continue']);
    await second.waitFor('/export writes it to a file, /clear starts a new session');
    picture(second, 'read-only');
    expect(second.text()).toContain('❯ Hello.');
    expect(second.text()).toContain('First.');
    const reason = /! session \S+ [^\n]*/.exec(second.text())?.[0] ?? '';
    expect(reason).toContain('newer');
    await say(second, 'Go on.', '✗ session');
    await say(second, '/pin something', /✗ session[^✗]*✗ session/);
    await say(second, '/context', 'in all');
    await say(second, '/export md out.md', 'Written to');
    expect(readFileSync(join(folder, 'out.md'), 'utf8')).toContain('First.');
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(lines.length + 1);
  });
});

describe('/recall', () => {
  it('gives back what the budget took out, by its address and by its text', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => `row ${index} of the long output`).join('\n');
    const model = await scriptedModel([[call('bash', { command: 'cat long.txt' })], 'Seen.']);
    const folder = workFolder({ 'long.txt': `needle in the first row\n${long}\n` });
    const screen = await terminal({ folder, env: { ...model.env, HOLDOVER_WINDOW: '16000' }, rows: 50 }, [
      '--allow',
      'bash(cat *)',
    ]);
    await say(screen, 'Show it.', 'Seen.');
    const address = /(?:c|h_\d+(?:-\d+|\.\d+))_[0-9a-f]{16}/.exec(saidIn(model, -1))?.[0] ?? '';
    expect(address).not.toBe('');
    await say(screen, `/recall ${address}`, /exactly as it was/);
    expect(screen.text()).toContain('needle in the first row');
    expect(screen.text()).toContain('more lines, Ctrl-O shows them');
    await say(screen, '/recall needle in the first row', /^[ch]_\S+ {2}/m);
    picture(screen, 'recall');
  });
});
