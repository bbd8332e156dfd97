/** Two processes of the built package on one session: each has a whole log of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scripted } from '@holdover/simulator';
import { expect, it, onTestFinished } from 'vitest';
import { loadSession } from '../../src/session/read-log.ts';
import { sessionPath } from '../../src/session/sessions.ts';
import { openSimulator } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** Opens the session, says what it is, then answers each line it is given. */
const PROGRAM = `
import { createInterface } from 'node:readline';
import { anthropicProvider, createAgent } from '@holdover/agent';
const [workspace, baseUrl, session] = process.argv.slice(1);
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const agent = await createAgent({
  workspace,
  provider: anthropicProvider({ baseUrl, apiKey: 'none' }),
  model: 'sim-1',
  session: JSON.parse(session),
  onEvent: (event) => { if (event.type === 'session-start') say(event); },
});
for await (const line of createInterface({ input: process.stdin })) say((await agent.run(line)).text);
await agent.close();
`;

interface Running {
  readonly child: ChildProcess;
  /** The next line it says. */
  hear(): Promise<unknown>;
  tell(prompt: string): Promise<unknown>;
}

function start(folder: string, url: string, session: object): Running {
  const args = ['--input-type=module', '-e', PROGRAM, folder, url, JSON.stringify(session)];
  const child = spawn(process.execPath, args, { cwd: PACKAGE, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value)) as unknown;
  return {
    child,
    hear,
    tell(prompt) {
      child.stdin.write(`${prompt}\n`);
      return hear();
    },
  };
}

async function end({ child }: Running): Promise<void> {
  child.stdin?.end();
  await once(child, 'exit');
}

it('the second of two processes goes on in a copy and says so; after a crash the session is free', async () => {
  const folder = tempFolder();
  const simulator = await openSimulator(scripted(['One.', 'Mine.', 'Theirs.', 'Mine again.', 'After the crash.']));
  const first = start(folder, simulator.url, { kind: 'new' });
  const { sessionId } = (await first.hear()) as { sessionId: string };
  expect(await first.tell('Start.')).toBe('One.');
  const second = start(folder, simulator.url, { kind: 'continue' });
  const said = (await second.hear()) as { sessionId: string };
  expect(said).toMatchObject({ isResumed: true, forkedFrom: sessionId });
  expect(said.sessionId).not.toBe(sessionId);
  expect(await first.tell('I go on.')).toBe('Mine.');
  expect(await second.tell('Me too.')).toBe('Theirs.');
  expect(await first.tell('And on.')).toBe('Mine again.');
  await end(second);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const third = start(folder, simulator.url, { kind: 'resume', id: sessionId });
  const opened = (await third.hear()) as { sessionId: string; forkedFrom?: string };
  expect([opened.sessionId, opened.forkedFrom]).toEqual([sessionId, undefined]);
  expect(await third.tell('Anybody there?')).toBe('After the crash.');
  await end(third);
  const texts = async (id: string): Promise<readonly string[]> =>
    (await loadSession(sessionPath(folder, id))).messages.map((message) => {
      const [block] = (message as { content: readonly { text: string }[] }).content;
      return block?.text ?? '';
    });
  expect(await texts(sessionId)).toEqual([
    'Start.',
    'One.',
    'I go on.',
    'Mine.',
    'And on.',
    'Mine again.',
    'Anybody there?',
    'After the crash.',
  ]);
  expect(await texts(said.sessionId)).toEqual(['Start.', 'One.', 'Me too.', 'Theirs.']);
});
