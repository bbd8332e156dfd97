import { describe, expect, it } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { call, scriptedModel, slow } from './model.ts';
import { picture } from './screen-svg.ts';
import { pause, type Terminal, terminal } from './terminal.ts';

const LONG = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');

function promptLine(screen: Terminal): string {
  return (
    screen
      .screen()
      .findLast((line) => line.startsWith('❯'))
      ?.trimEnd() ?? ''
  );
}

describe('interrupts and the queue', () => {
  it.each(['ctrl+c', 'escape'] as const)('%s ends the turn and the session goes on', async (key) => {
    const model = await scriptedModel([LONG, (request) => `I see ${request.messages.length} messages.`], [slow(40)]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Count to four hundred.');
    await screen.waitFor('word3');
    screen.press(key);
    await screen.waitFor('interrupted; everything up to here is kept');
    await screen.ready();
    expect(screen.text()).not.toContain('word399');
    await screen.send('What did I ask?');
    await screen.waitFor(/I see [12] messages/);
    const [, second] = model.brain.requests;
    const said = second?.messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
    expect(said?.join('\n')).toContain('Count to four hundred.');
  });

  it('ends a running command at once', async () => {
    const model = await scriptedModel([[call('bash', { command: 'sleep 60' })], 'never']);
    const screen = await terminal({ folder: workFolder(), env: model.env }, ['--allow', 'bash']);
    await screen.send('Sleep.');
    await screen.waitFor('○ bash sleep 60');
    screen.press('ctrl+c');
    await screen.waitFor('● bash sleep 60  failed');
    await screen.waitFor('interrupted; everything up to here is kept');
  });

  it('a second Ctrl-C leaves', async () => {
    const model = await scriptedModel([[call('bash', { command: 'trap "" INT TERM; sleep 60' })]]);
    const screen = await terminal({ folder: workFolder(), env: model.env }, ['--allow', 'bash']);
    await screen.send('Sleep.');
    await screen.waitFor('○ bash');
    screen.press('ctrl+c');
    await pause(100);
    screen.press('ctrl+c');
    expect(await screen.ended()).toBe(0);
    expect(screen.text()).toContain('goes on');
  });

  it('queues what is typed while it works, shows it, and sends it in order', async () => {
    const model = await scriptedModel([LONG.slice(0, 300), 'second answer', 'third answer'], [slow(30)]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('First.');
    await screen.waitFor('word3');
    screen.type('Second.');
    screen.press('enter');
    await screen.waitFor('↳ queued: Second.');
    screen.type('Third.');
    screen.press('enter');
    await screen.waitFor('↳ queued: Third.');
    picture(screen, 'queue');
    await screen.waitFor('third answer');
    const order = screen.all().filter((line) => /^❯ |answer$/.test(line));
    expect(order.slice(0, 5).map((line) => line.trimEnd())).toEqual([
      '❯ First.',
      '❯ Second.',
      'second answer',
      '❯ Third.',
      'third answer',
    ]);
    expect(screen.screen().join('\n')).not.toContain('queued');
  });

  it('Alt-Up takes the last queued message back, an interrupt all of them', async () => {
    const model = await scriptedModel([LONG], [slow(40)]);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('First.');
    await screen.waitFor('word3');
    for (const text of ['Second.', 'Third.']) {
      screen.type(text);
      screen.press('enter');
      await screen.waitFor(`queued: ${text}`);
    }
    screen.press('alt+up');
    await screen.waitFor((one) => promptLine(one) === '❯ Third.');
    expect(screen.screen().filter((line) => line.includes('queued'))).toEqual(['  ↳ queued: Second.']);
    screen.press('escape');
    await screen.waitFor('interrupted; everything');
    await screen.waitFor((one) => promptLine(one) === '❯ Second.');
    const prompt = screen.screen().findIndex((line) => line.startsWith('❯ Second.'));
    expect(screen.screen()[prompt + 1]?.trimEnd()).toBe('  Third.');
  });

  it('Ctrl-C clears a draft, and Up brings it back', async () => {
    const screen = await terminal({ folder: workFolder() });
    screen.type('half a thought');
    await screen.waitFor('half a thought');
    screen.press('ctrl+c');
    await screen.waitFor((one) => promptLine(one) === '❯');
    screen.press('up');
    await screen.waitFor((one) => promptLine(one) === '❯ half a thought');
  });
});
