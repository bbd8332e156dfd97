import { mkdirSync, symlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { pause, type Terminal, terminal } from './terminal.ts';

/** The editor's lines, from the mark to the status. */
function draft(screen: Terminal): readonly string[] {
  const lines = screen.screen();
  const from = lines.findLastIndex((line) => line.startsWith('❯'));
  const to = lines.findIndex((line, row) => row > from && /┄|━/.test(line));
  return lines.slice(from, to).map((line) => line.slice(2).trimEnd());
}

function wordsSent(
  request: { readonly messages: readonly { readonly parts: readonly object[] }[] } | undefined,
): string {
  const parts = request?.messages.flatMap((message) => message.parts) ?? [];
  return parts.flatMap((part) => ('text' in part ? [String(part.text)] : [])).join('\n');
}

describe('the prompt', () => {
  it('takes several lines: Shift-Enter, a backslash before Enter, a paste', async () => {
    const model = await scriptedModel(['Thank you.']);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    screen.type('one');
    screen.press('shift+enter');
    screen.type('two\\');
    screen.press('enter');
    screen.paste('three\nfour');
    await screen.waitFor('four');
    expect(draft(screen)).toEqual(['one', 'two', 'three', 'four']);
    screen.press('enter');
    await screen.waitFor('Thank you.');
    expect(wordsSent(model.brain.requests[0])).toContain('one\ntwo\nthree\nfour');
  });

  it('sends a long paste whole and shows it as one mark', async () => {
    const model = await scriptedModel(['Thank you.']);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    screen.paste(lines.join('\n'));
    await screen.waitFor('[paste #1 +30 lines]');
    screen.press('enter');
    await screen.waitFor('Thank you.');
    expect(wordsSent(model.brain.requests[0])).toContain(lines.join('\n'));
  });

  it('keeps prompts over sessions, for the owner only', async () => {
    const folder = workFolder();
    const first = await terminal({ folder });
    await first.send('/cost');
    await first.waitFor('model calls');
    await first.send('/permissions');
    await first.waitFor('No rules.');
    first.press('ctrl+d');
    await first.ended();
    expect(statSync(join(folder, '.config', 'holdover', 'prompts.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.config', 'holdover')).mode & 0o777).toBe(0o700);
    const second = await terminal({ folder });
    second.press('up', 'up');
    await second.waitFor((screen) => draft(screen)[0] === '/cost');
    second.press('down');
    await second.waitFor((screen) => draft(screen)[0] === '/permissions');
  });

  it('completes commands behind / and names the nearest to one there is not', async () => {
    const screen = await terminal({ folder: workFolder() });
    screen.type('/co');
    await screen.waitFor('what fills the context window');
    picture(screen, 'complete-commands');
    const offered = screen.screen().flatMap((line) => /^(?:  →|   ) (\/\S+)/.exec(line)?.[1] ?? []);
    expect(offered).toEqual(['/context', '/compact', '/cost']);
    screen.press('down', 'tab');
    await screen.waitFor((one) => draft(one)[0] === '/compact');
    screen.press('ctrl+u');
    await screen.send('/contxt');
    await screen.waitFor('There is no command /contxt; the nearest is /context.');
  });

  it('completes files behind @ and leaves ignored folders out', async () => {
    const folder = workFolder({
      'src/client.ts': 'x\n',
      'src/clock.ts': 'x\n',
      'node_modules/client/index.js': 'x\n',
      'out/client.js': 'x\n',
      '.gitignore': 'out/\n',
    });
    const screen = await terminal({ folder });
    screen.type('Look at @cli');
    await screen.waitFor('→ src/client.ts');
    picture(screen, 'complete-files');
    expect(screen.text()).not.toContain('node_modules');
    expect(screen.text()).not.toContain('out/client.js');
    screen.press('tab');
    await screen.waitFor((one) => draft(one)[0] === 'Look at @src/client.ts');
  });

  it('completes a path at Tab', async () => {
    const screen = await terminal({ folder: workFolder({ 'src/client.ts': 'x\n' }) });
    screen.type('Read src/cl');
    await screen.waitFor('src/cl');
    screen.press('tab');
    await screen.waitFor((one) => draft(one)[0] === 'Read src/client.ts');
  });

  it('sends the text of a file named behind @ along, and no file outside the folder', async () => {
    const folder = workFolder({ 'work/src/a.ts': 'const secret = 42;\n', 'key.txt': 'do not send\n' });
    const model = await scriptedModel(['Read it.']);
    const screen = await terminal({ folder: join(folder, 'work'), env: { ...model.env, HOME: folder } });
    await screen.send('Explain @src/a.ts and @../key.txt, please; mail me@example.com');
    await screen.waitFor('Read it.');
    expect(screen.text()).toContain('@src/a.ts  1 line');
    expect(screen.text()).toContain('@../key.txt  lies outside the folder; only its name goes along');
    const sent = wordsSent(model.brain.requests[0]);
    expect(sent).toContain('<file path="src/a.ts">\nconst secret = 42;\n\n</file>');
    expect(sent).not.toContain('do not send');
  });

  it('sends a picture by what it holds, and nothing that the rules keep from being read, behind a link either', async () => {
    const folder = workFolder({ 'secrets/key.txt': 'do not send\n', 'fake.png': 'no picture\n', '.env': 'TOKEN=1\n' });
    symlinkSync('secrets/key.txt', join(folder, 'plain.txt'));
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(join(folder, 'dot.png'), Buffer.from(dot, 'base64'));
    const model = await scriptedModel(['Seen.']);
    const rules = ['--deny', 'read_file(secrets/**)', '--ask', 'read_file(.env)'];
    const screen = await terminal({ folder, env: model.env, columns: 120 }, rules);
    await screen.send('Look at @dot.png @fake.png @plain.txt @secrets/key.txt @.env now');
    await screen.waitFor('Seen.');
    const kept = 'may not be read without asking, by your rules; only its name goes along';
    expect(screen.all().filter((line) => line.startsWith('  @'))).toEqual([
      '  @dot.png  picture, 70 B',
      '  @fake.png  only its name goes along: "fake.png" is no PNG, JPEG, GIF or WebP image',
      `  @plain.txt  ${kept}`,
      `  @secrets/key.txt  ${kept}`,
      `  @.env  ${kept}`,
    ]);
    const parts = (model.brain.requests[0]?.messages ?? []).flatMap((message) => message.parts);
    expect(parts.filter(({ kind }) => kind === 'media')).toEqual([{ kind: 'media', mediaType: 'image/png' }]);
    expect(wordsSent(model.brain.requests[0])).not.toMatch(/do not send|TOKEN/);
  });

  it('counts wide characters as two columns', async () => {
    const screen = await terminal({ folder: workFolder(), columns: 40 });
    screen.type('漢字'.repeat(14));
    await pause(300);
    await screen.waitFor((one) => draft(one).length === 2);
    expect(draft(screen)).toEqual(['漢字'.repeat(9), '漢字'.repeat(5)]);
    screen.press('backspace');
    await screen.waitFor((one) => draft(one)[1] === `${'漢字'.repeat(4)}漢`);
  });

  it('does not take a path for a command', async () => {
    const model = await scriptedModel(['It is a path.']);
    const folder = workFolder();
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'hosts'), 'x\n');
    const screen = await terminal({ folder, env: model.env });
    await screen.send('/etc/hosts is wrong');
    await screen.waitFor('It is a path.');
  });
});
