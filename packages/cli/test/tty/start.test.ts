import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, workFolder } from '../support/holdover.ts';
import { picture } from './screen-svg.ts';
import { Terminal, terminal } from './terminal.ts';

/** What gives a terminal back as it was: no bracketed paste, a cursor. */
const GIVEN_BACK = ['\u001b[?2004l', '\u001b[?25h'] as const;

describe('starting and leaving', () => {
  it('shows what it is, a prompt and one line of status', async () => {
    const started = await terminal({ folder: workFolder() });
    picture(started, 'start');
    const [first, second, third, , prompt, status] = started.screen();
    expect([first, second, third]).toEqual([
      '',
      '◆ Holdover in ~',
      '  built-in model, no key needed · /help for commands and keys',
    ]);
    expect(prompt?.trimEnd()).toBe('❯');
    expect(status?.replace(/[0-9a-f]{8}$/, 'ID')).toMatch(/^ {2}┄{16} {2}context empty +rules-1 · ID$/);
  });

  it.each([['ctrl+d'], ['ctrl+c', 'ctrl+c']] as const)(
    'leaves at %s %s with status 0 and gives the terminal back',
    async (...keys) => {
      const started = await terminal({ folder: workFolder() });
      for (const key of keys) {
        started.press(key);
        if (keys.length > 1 && key !== keys.at(-1)) await started.waitFor('Ctrl-C again leaves');
      }
      expect(await started.ended()).toBe(0);
      const end = started.raw.slice(-200);
      expect(GIVEN_BACK.filter((code) => !end.includes(code))).toEqual([]);
    },
  );

  it('leaves at /quit and says how to go on', async () => {
    const folder = workFolder({ 'a.txt': 'one\n' });
    const started = await terminal({ folder });
    await started.send('Read the file a.txt.');
    await started.waitFor('done: 1 of 1');
    await started.ready();
    await started.send('/quit');
    expect(await started.ended()).toBe(0);
    const [log] = readdirSync(join(folder, '.holdover', 'sessions')).filter((name) => name.endsWith('.jsonl'));
    expect(started.text()).toContain(`holdover --resume ${log?.slice(0, -6)} goes on`);
  });

  it('takes a prompt that was typed before anything is loaded', async () => {
    const started = new Terminal([], { folder: workFolder({ 'a.txt': 'one\n' }) });
    await started.waitFor('❯');
    started.type('Read the file a.txt.');
    started.press('enter');
    await started.waitFor('done: 1 of 1');
    started.kill();
  });

  it('says what is wrong with the settings, the terminal given back', async () => {
    const folder = workFolder({ '.config/holdover/settings.json': '{"windowTokens": 12}' });
    const started = new Terminal([], { folder });
    expect(await started.ended()).toBe(2);
    expect(started.text()).toContain('holdover: windowTokens is 12');
    expect(GIVEN_BACK.filter((code) => !started.raw.includes(code))).toEqual([]);
  });

  it('goes on with the newest session, what was said in sight', async () => {
    const folder = workFolder({ 'a.txt': 'one\ntwo\n' });
    const first = await terminal({ folder });
    await first.send('Read the file a.txt.');
    await first.waitFor('done: 1 of 1');
    await first.ready();
    first.press('ctrl+d');
    await first.ended();
    const second = await terminal({ folder }, ['--continue']);
    expect(second.text()).toContain('❯ Read the file a.txt.');
    expect(second.text()).toContain('● read_file a.txt  2 lines');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends at %s with status %i and gives the terminal back', async (signal, status) => {
    const started = await terminal({ folder: workFolder() });
    process.kill(started.pid, signal);
    expect(await started.ended()).toBe(status);
    expect(GIVEN_BACK.filter((code) => !started.raw.slice(-200).includes(code))).toEqual([]);
  });

  it('suspends at Ctrl-Z and comes back', async () => {
    const command = ['bash', '--norc', '-i'] as const;
    const shell = new Terminal([], { folder: workFolder(), command: [...command], env: { PS1: 'shell> ' } });
    await shell.waitFor('shell>');
    shell.type(`"${process.execPath}" "${BINARY}"\r`);
    await shell.waitFor('no key needed');
    shell.type('half a thought');
    await shell.waitFor('half a thought');
    shell.press('ctrl+z');
    await shell.waitFor('Stopped');
    shell.type('fg\r');
    await shell.waitFor((one) => one.screen().some((line) => line.startsWith('❯ half a thought')));
    shell.type(', whole');
    await shell.waitFor('half a thought, whole');
    shell.kill();
  });
});
