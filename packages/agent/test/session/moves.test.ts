/** Undo, rewind and fork reach the log: what is sent after a restart is what would have been sent without one. */
import { join } from 'node:path';
import { type Agent, type AgentOptions, createAgent, type SessionChoice } from '@holdover/agent';
import { createContext } from '@holdover/engine';
import { fsArchive } from '@holdover/engine/archives/fs';
import { type ScriptedStep, scripted, type Simulator } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { moveRecords } from '../../src/session/moves.ts';
import { openSession } from '../../src/session/open-session.ts';
import { loadSession } from '../../src/session/read-log.ts';
import { RESULTS_FOLDER, sessionPath } from '../../src/session/sessions.ts';
import {
  ECHO,
  echo,
  FORMATS,
  type Format,
  messagesOf,
  openSimulator,
  providerFor,
  quickPorts,
} from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const LOREM = 'lorem ipsum dolor sit amet '.repeat(60);

/** Two compactions with a turn between and one behind; ids of their own, so that two plays send the same bytes. */
const STORY: readonly ScriptedStep[] = [
  [echo(`a ${LOREM}`, 'id_1'), echo(`b ${LOREM}`, 'id_2')],
  'First done.',
  { kind: 'call', name: 'compact', input: {}, id: 'id_3' },
  'Goal: the first summary.',
  'Second done.',
  echo(`c ${LOREM}`, 'id_4'),
  'Third done.',
  { kind: 'call', name: 'compact', input: {}, id: 'id_5' },
  'Goal: the second summary.',
  'Fourth done.',
];
const PROMPTS = ['One, please.', 'Two, please.', 'Three, please.', 'Four, please.'];

type Act = 'undo' | 'redo' | number;
/** What happened behind the story: moves, each followed by a prompt that is answered in a word. */
type Case = readonly [
  name: string,
  acts: readonly (readonly Act[])[],
  shows: readonly string[],
  hides: readonly string[],
];

const CASES: readonly Case[] = [
  ['an undo', [['undo']], ['the first summary', 'Three, please.'], ['the second summary']],
  ['two undos', [['undo', 'undo']], ['First done.', 'Second done.', 'Four, please.'], ['summary']],
  ['an undo and a redo', [['undo', 'redo']], ['the second summary', 'Four, please.'], ['First done.']],
  ['two undos and a redo', [['undo', 'undo', 'redo']], ['the first summary', 'Second done.'], ['the second summary']],
  ['a redo after a restart', [['undo'], ['redo']], ['the second summary', 'Next 0.', 'Next 1.'], ['Second done.']],
  ['a rewind over a compaction', [[8]], ['the first summary', 'Second done.'], ['the second summary', 'Three']],
  ['K07: a rewind over both compactions', [[4]], ['One, please.', 'First done.'], ['summary', 'Two, please.']],
  ['undos after a rewind', [[8, 'undo', 'undo']], ['First done.', 'Second done.'], ['summary', 'Three']],
  ['a rewind after an undo', [['undo', 8]], ['the first summary', 'Second done.'], ['the second summary', 'Three']],
  ['a rewind to nothing', [[0]], ['Next 0.'], ['summary', 'please']],
  ['moves with turns between', [[8], ['undo'], [4]], ['First done.', 'Next 2.'], ['summary', 'Next 0.', 'Next 1.']],
];

interface Place {
  readonly format: Format;
  readonly simulator: Simulator;
  readonly folder: string;
}

function open(
  { format, simulator, folder }: Place,
  session: SessionChoice,
  more: Partial<AgentOptions> = {},
): Promise<Agent> {
  return createAgent({
    workspace: folder,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    session,
    ports: quickPorts(),
    ...more,
  });
}

async function place(format: Format): Promise<Place> {
  const steps = [...STORY, 'Fine 0.', 'Fine 1.', 'Fine 2.'];
  return { format, simulator: await openSimulator(scripted(steps)), folder: tempFolder() };
}

async function told(at: Place): Promise<Agent> {
  const agent = await open(at, { kind: 'new' });
  for (const prompt of PROMPTS) await agent.run(prompt);
  return agent;
}

async function moveIn(context: Agent['context'], act: Act): Promise<void> {
  if (act === 'undo') await context.undo();
  else if (act === 'redo') await context.redo();
  else context.rewind(act);
}

/** Opens the session in a context of its own, moves, logs the move and closes: what a process does that moves and ends. */
async function moveInLog({ format, simulator, folder }: Place, id: string, acts: readonly Act[]): Promise<void> {
  const provider = providerFor(format, simulator);
  const session = await openSession(
    { kind: 'resume', id },
    { root: folder, provider, model: 'sim-1', ports: { now: () => 0, random: () => 0 } },
  );
  const context = createContext<object, object>({
    codec: provider.codec,
    archive: fsArchive(join(folder, RESULTS_FOLDER)),
  });
  await context.restore(session.snapshot, session.messages);
  let { loggedSeq } = session;
  for (const act of acts) {
    await moveIn(context, act);
    const moved = moveRecords(context, typeof act === 'number' ? { loggedSeq, rewoundTo: act } : { loggedSeq });
    await session.log.append(moved.records);
    ({ loggedSeq } = moved);
  }
  await session.log.close();
}

function lastSaid({ simulator, folder }: Place): string {
  const record = simulator.requests.at(-1);
  expect(record?.status).toBe(200);
  return JSON.stringify(messagesOf(record)).replaceAll(folder, 'FOLDER');
}

describe.each(FORMATS)('over %s', (format) => {
  // How many messages a batch of results makes differs between the formats.
  const shift = (acts: readonly Act[]): readonly Act[] =>
    acts.map((act) => (format === 'openai-chat' && typeof act === 'number' && act > 0 ? act + 1 : act));

  it.each(CASES)('%s is the same with and without a restart', async (_, moves, shows, hides) => {
    const whole = await place(format);
    const parted = await place(format);
    const agent = await told(whole);
    const other = await told(parted);
    await other.close();
    for (const [index, acts] of moves.entries()) {
      for (const act of shift(acts)) await moveIn(agent.context, act);
      await agent.run(`Next ${index}.`);
      await moveInLog(parted, other.sessionId, shift(acts));
      const resumed = await open(parted, { kind: 'resume', id: other.sessionId });
      await resumed.run(`Next ${index}.`);
      await resumed.close();
      expect(lastSaid(parted), `move ${index}`).toBe(lastSaid(whole));
    }
    await agent.close();
    const said = lastSaid(parted);
    for (const text of shows) expect(said).toContain(text);
    for (const text of hides) expect(said).not.toContain(text);
  });

  it('K08: a fork that inherits what was compacted later: a copy of the first messages has none of it', async () => {
    const at = await place(format);
    const agent = await told(at);
    await agent.close();
    const [length] = shift([4]);
    const fork = await open(at, { kind: 'fork', id: agent.sessionId, length: Number(length) });
    await fork.run('Another way.');
    const said = lastSaid(at);
    for (const text of ['One, please.', 'First done.', 'Another way.', LOREM.slice(0, 60)])
      expect(said).toContain(text);
    for (const text of ['summary', 'Two, please.']) expect(said).not.toContain(text);
    await fork.close();
    expect(fork.sessionId).not.toBe(agent.sessionId);
    const copy = await loadSession(sessionPath(at.folder, fork.sessionId));
    expect(copy.header.forkedFrom).toBe(agent.sessionId);
    expect(copy.messages).toHaveLength(Number(length) + 2);
    const original = await loadSession(sessionPath(at.folder, agent.sessionId));
    expect(original.messages.length).toBeGreaterThan(copy.messages.length);
    const again = await open(at, { kind: 'resume', id: fork.sessionId });
    expect(again.context.history()).toHaveLength(Number(length) + 2);
    await again.close();
  });

  it('a copy of everything goes on with what the original would have sent', async () => {
    const [one, two] = [await place(format), await place(format)];
    const [agent, original] = [await told(one), await told(two)];
    await agent.run('Next.');
    await agent.close();
    await original.close();
    const fork = await open(two, { kind: 'fork', id: original.sessionId });
    await fork.run('Next.');
    await fork.close();
    expect(lastSaid(two)).toBe(lastSaid(one));
  });
});

describe('a fork', () => {
  it('takes only whole numbers of messages', async () => {
    const at = await place('anthropic');
    const agent = await open(at, { kind: 'new' });
    await agent.close();
    for (const length of [-1, 1.5, Number.NaN])
      await expect(open(at, { kind: 'fork', id: agent.sessionId, length })).rejects.toMatchObject({
        code: 'invalid_option',
      });
  });
});
