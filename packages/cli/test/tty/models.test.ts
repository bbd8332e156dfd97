import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workFolder } from '../support/holdover.ts';
import { scriptedModel } from './model.ts';
import { picture } from './screen-svg.ts';
import { Terminal, terminal } from './terminal.ts';

/** What gives a terminal back as it was: no bracketed paste, a cursor. */
const GIVEN_BACK = ['\u001b[?2004l', '\u001b[?25h'] as const;
const TAKEN = '\u001b[?2004h';

describe('/model', () => {
  it('the next request carries the model, and so does the status line', async () => {
    const model = await scriptedModel(['From the first.', 'From the second.']);
    const screen = await terminal({ folder: workFolder(), env: model.env });
    await screen.send('Hello.');
    await screen.waitFor('From the first.');
    await screen.ready();
    await screen.send('/model sim-2');
    await screen.waitFor('The next message goes to sim-2.');
    await screen.waitFor((one) => /sim-2 · [0-9a-f]{8}$/m.test(one.screen().join('\n')));
    await screen.send('And you?');
    await screen.waitFor('From the second.');
    expect(model.brain.requests.map((request) => request.model)).toEqual(['sim-1', 'sim-2']);
    await screen.ready();
    await screen.send('/model');
    await screen.waitFor('/model <id> changes to another one the same server has');
    await screen.send('/model sim-2');
    await screen.waitFor('sim-2 answers already.');
  });

  it("lists the vendor's models with window and price, and refuses another vendor's with the next step", async () => {
    // Nothing is asked of the vendor here: a key that is none will do.
    const env = { ANTHROPIC_API_KEY: 'none' };
    const screen = await terminal({ folder: workFolder(), env });
    await screen.send('/model gpt-6-sol');
    await screen.waitFor('gpt-6-sol is a model of OpenAI, and this session speaks with Anthropic.');
    expect(screen.text().replace(/\s+/g, ' ')).toContain(
      'set OPENAI_API_KEY and start anew: holdover --model gpt-6-sol',
    );
    await screen.send('/model');
    await screen.waitFor('Go on with');
    picture(screen, 'models');
    expect(screen.screen().find((line) => line.startsWith('→'))).toMatch(
      /^→ claude-sonnet-5-5 ✓ +1\.0M window · \$\d+ in, \$\d+ out per million$/,
    );
    screen.press('down', 'enter');
    await screen.waitFor('The next message goes to claude-sonnet-5.');
    await screen.send('/model claude-nobody-9');
    await screen.waitFor(/Nothing sure is known of it: a window\s+of 200,000 tokens is assumed\./);
  });

  it('the built-in model is the only one there', async () => {
    const screen = await terminal({ folder: workFolder() });
    await screen.send('/model claude-opus-5-5');
    await screen.waitFor('The built-in model is the only one here.');
  });
});

describe('what goes wrong at the start', () => {
  it.each([
    [['--base-url', 'http://127.0.0.1:9/v1'], {}, 1, 'no model is named for http://127.0.0.1:9; name one it serves'],
    [['--provider', 'openai'], {}, 1, 'no API key for OpenAI: set OPENAI_API_KEY in the environment'],
    [['--allow', 'bash('], {}, 2, 'bash('],
    [['--continue'], {}, 1, 'to continue; leave --continue out to start one'],
    [['--resume', '20200101-000000-00000000'], {}, 1, 'there is no session 20200101-000000-00000000'],
  ] as const)('%j says so, the terminal given back', async (args, env, status, words) => {
    const started = new Terminal([...args], { folder: workFolder(), env, columns: 160 });
    expect(await started.ended()).toBe(status);
    picture(started, `error-${args.join('').replace(/\W+/g, '-')}`);
    expect(started.text()).toContain(words);
    // What was taken is given back, and nothing of the prompt stays above the words.
    if (started.raw.includes(TAKEN)) expect(GIVEN_BACK.filter((code) => !started.raw.includes(code))).toEqual([]);
    expect(started.text().trimStart()).toMatch(/^holdover: /);
  });

  it('a file where the folder of sessions has to be says so', async () => {
    const started = new Terminal([], { folder: workFolder({ '.holdover': 'in the way\n' }), columns: 160 });
    const status = await started.ended();
    picture(started, 'error-read-only-folder');
    expect(status).toBe(1);
    expect(started.text().trim()).toMatch(/^holdover: .*\.holdover/);
    expect(GIVEN_BACK.filter((code) => !started.raw.includes(code))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('a folder that may not be written to says so', async () => {
    const env = { HOME: workFolder(), XDG_CONFIG_HOME: workFolder() };
    const started = new Terminal([], { folder: '/proc', env, columns: 160 });
    expect(await started.ended()).toBe(1);
    expect(started.text().trim()).toBe(
      'holdover: /proc may not be written to (ENOENT), and sessions are kept in the folder they work in; start in another one',
    );
  });

  it('a key that is refused names the next step, and the session goes on', async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'wrong', HOLDOVER_MODEL: 'sim-1' };
    const screen = await terminal({ folder: workFolder(), env, columns: 120 });
    await screen.send('Hello.');
    await screen.waitFor('✗ invalid x-api-key (status 401); `holdover doctor` says what to do');
    await screen.ready();
    await screen.send('/help');
    await screen.waitFor('fg comes back');
  });

  it('a server that cannot be reached is said in words while it is waited for', async () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'none', HOLDOVER_MODEL: 'sim-1' };
    const screen = await terminal({ folder: workFolder(), env });
    await screen.send('Hello.');
    await screen.waitFor(/↻ the server cannot be reached, again in \d+ s/);
    screen.press('escape');
    await screen.waitFor('interrupted; everything up to here is kept');
  });
});
