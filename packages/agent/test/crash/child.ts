/** The process that is killed: a real agent on a session in a folder, until its operations are done or somebody ends it. */
import { writeSync } from 'node:fs';
import {
  type Agent,
  createAgent,
  defineTool,
  listSessions,
  objectSchema,
  type SessionChoice,
  success,
} from '@holdover/agent';
import * as v from 'valibot';
import { createRandom, prose, type Random } from '../soak/random.ts';
import { digestOf } from './digests.ts';
import { seededProvider } from './model.ts';
import { settingsFor } from './settings.ts';
import type { Beginning, OpName, Part, Saying } from './protocol.ts';

/** At once, and past every buffer of this process: what was said before a kill is heard. */
const say = (saying: Saying): void => void writeSync(1, `${JSON.stringify(saying)}\n`);

const ECHO = defineTool({
  name: 'echo',
  description: 'Says the text back.',
  inputSchema: objectSchema({ text: { type: 'string' } }, ['text']),
  schema: v.object({ text: v.string('a string') }),
  access: () => [{ kind: 'none' }],
  run: async ({ text }) => success(text),
});

/** Operations that do not succeed before everything earlier is written. */
const WRITES: ReadonlySet<OpName> = new Set(['run', 'compact', 'rewind', 'pin']);

/** What was decided and not written goes with the next write: until then nothing more is said to be held. */
const behind = { is: false };

function sayHolding({ context, sessionId }: Agent): void {
  if (behind.is) return;
  const history = context.history();
  const seq = context.groups().at(-1)?.seq ?? 0;
  const pins = context.pins().map((pin) => pin.text);
  say({ say: 'holds', holding: { sessionId, length: history.length, digest: digestOf(history), seq, pins } });
}

type Step = (agent: Agent, random: Random) => { readonly rewoundTo?: Beginning; readonly run: () => Promise<unknown> };

const STEPS: Readonly<Record<OpName, Step>> = {
  run: (agent, random) => ({ run: () => agent.run(prose(random, random.int(2, 120))) }),
  compact: (agent) => ({ run: () => agent.compact() }),
  undo: (agent) => ({ run: () => agent.undo() }),
  rewind: (agent, random) => {
    const history = agent.context.history();
    const length = random.int(Math.max(0, history.length - 12), history.length);
    return { rewoundTo: { length, digest: digestOf(history.slice(0, length)) }, run: () => agent.rewind(length) };
  },
  pin: (agent, random) => ({ run: () => agent.pin(prose(random, 12)) }),
  unpin: (agent) => ({ run: () => agent.unpin(agent.context.pins()[0]?.id ?? 1) }),
};

async function play(agent: Agent, random: Random, ops: number): Promise<void> {
  for (let op = 0; op < ops; op += 1) {
    const name = random.weighted({ run: 12, compact: 1.5, undo: 1.5, rewind: 2, pin: 1, unpin: 0.5 });
    const { run, ...more } = STEPS[name](agent, random);
    say({ say: 'will', op: name, ...more });
    try {
      await run();
    } catch (error) {
      const { code = 'none', message } = error as Error & { code?: string };
      say({ say: 'failed', op: name, code, message });
      if (code !== 'WINDOW_EXHAUSTED') behind.is = true;
      continue;
    }
    if (WRITES.has(name)) behind.is = false;
    sayHolding(agent);
  }
}

async function choiceOf(folder: string, id: string | undefined): Promise<SessionChoice> {
  if (id !== undefined) return { kind: 'resume', id };
  return { kind: (await listSessions(folder)).length > 0 ? 'continue' : 'new' };
}

async function main(): Promise<void> {
  const { folder, format, policy, archive, seed, ops, id } = JSON.parse(process.argv[2] ?? '') as Part;
  const random = createRandom(seed);
  let agent: Agent | undefined;
  // Everything in the history has been written when the next request goes out.
  const onSend = (): void => {
    if (agent !== undefined) sayHolding(agent);
  };
  try {
    agent = await createAgent({
      workspace: folder,
      provider: seededProvider(format, { random, tag: seed.replaceAll(/\W/g, '_'), onSend }),
      model: 'seeded',
      context: settingsFor({ policy, archive }),
      tools: [ECHO],
      session: await choiceOf(folder, id),
    });
  } catch (error) {
    const { code = 'none', message } = error as Error & { code?: string };
    say({ say: 'failed', op: 'open', code, message });
    process.exitCode = 3;
    return;
  }
  say({ say: 'open' });
  sayHolding(agent);
  await play(agent, random, ops);
  await agent.close();
  say({ say: 'end' });
}

await main();
