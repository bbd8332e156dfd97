import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel } from './model.ts';
import { terminal } from './terminal.ts';

const ESC = '\u001b';
/** Clipboard, title, link, alternate screen, clear, cursor home, reset, an 8-bit title, a picture. */
const ATTACKS = [
  `${ESC}]52;c;cm0gLXJmIC8=\u0007`,
  `${ESC}]0;owned\u0007`,
  `${ESC}]8;;https://evil.example\u0007click${ESC}]8;;\u0007`,
  `${ESC}[?1049h`,
  `${ESC}[2J`,
  `${ESC}[1;1H`,
  `${ESC}c`,
  '\u009d0;owned\u009c',
  `${ESC}_Gf=100;AAAA${ESC}\\`,
].join('');

/** What of the attacks would be in the raw output if one got through; the library's own writes have none of these. */
const TRACES = [']52', ']0;', 'evil.example\u0007', '?1049', `${ESC}c`, '\u009d', `${ESC}_G`, 'owned'];

describe('what others say cannot drive the terminal', () => {
  it.each([
    ['a reply', [`before ${ATTACKS}after`]],
    ['a result', [[call('bash', { command: 'cat attack.txt' })], 'Done.']],
    ['a call', [[call('read_file', { path: `x${ATTACKS}.txt` })], 'Done.']],
  ] as const)('in %s', async (_where, steps) => {
    const model = await scriptedModel(steps);
    const folder = workFolder({ 'attack.txt': `before ${ATTACKS}after\n` });
    const screen = await terminal({ folder, env: model.env }, ['--allow', 'bash(cat *)']);
    await screen.send('Go on.');
    await screen.waitFor(/after|Done\./);
    await screen.ready();
    screen.press('ctrl+o');
    await screen.waitFor((one) => !one.screen().join('\n').includes('interrupts'));
    expect(TRACES.filter((trace) => screen.raw.includes(trace))).toEqual([]);
  });

  it('in a question', async () => {
    const model = await scriptedModel([[call('bash', { command: `rm x # ${ATTACKS}\u202e harmless` })], 'Done.']);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Go on.');
    await screen.waitFor('y once');
    expect(TRACES.filter((trace) => screen.raw.includes(trace))).toEqual([]);
    expect(screen.text()).toContain('? bash rm x # click<U+202E> harmless');
  });

  it('in Markdown: entities are not decoded into escapes, links are words', async () => {
    const model = await scriptedModel(['before &#27;]0;x&#7; [click](https://evil.example) after']);
    const screen = await terminal({ folder: workFolder(), env: { ...model.env, TERM_PROGRAM: 'ghostty' } });
    await screen.send('Go on.');
    await screen.waitFor('after');
    expect(screen.raw).not.toContain(`${ESC}]0;`);
    expect(screen.raw).not.toContain(']8;;https');
    expect(screen.text()).toContain('click (https://evil.example)');
  });
});
