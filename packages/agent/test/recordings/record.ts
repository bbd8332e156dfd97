/** Records a session: our own agent works on a script's world, on the simulator, with a window so large that nothing is compacted. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, anthropicProvider, createAgent, locateSession } from '@holdover/agent';
import { classic, type Policy } from '@holdover/engine';
import { type Brain, createSimulator, type SimRequest } from '@holdover/simulator';
import { createRandom, type Random } from '../soak/random.ts';
import { Coder, type Style } from './coder.ts';
import { createShell, type Program } from './shell.ts';
import { type Clock, createClock, type Script, type Seen, type Step } from './steps.ts';
import { createWorld, type World } from './world.ts';

/** A world that is set up, and what happens in it. */
export interface Scene {
  readonly programs: readonly Program[];
  readonly script: (coder: Coder) => Script;
}

export interface SessionPlan {
  /** Names the file; letters and `-`. */
  readonly name: string;
  readonly about: string;
  readonly use: 'tune' | 'held-out';
  readonly startsAt: string;
  readonly style: Style;
  /** Writes the world's files. */
  readonly build: (world: World, random: Random) => Scene;
}

const WINDOW_TOKENS = 2_000_000;
const NOTHING_COMPACTED: Policy = { ...classic, name: 'append-only', layers: [] };

/** A model takes this long to begin, and so many characters a second. */
const THINKS_MS = 1_800;
const CHARS_PER_SECOND = 240;

function resultsOf({ messages }: SimRequest): readonly Seen[] {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.kind === 'result' ? [{ text: part.text, isError: part.isError }] : []));
}

class Stage {
  readonly #script: Script;
  readonly #clock: Clock;
  readonly #random: Random;
  #controller = new AbortController();

  constructor(script: Script, clock: Clock, random: Random) {
    this.#script = script;
    this.#clock = clock;
    this.#random = random;
  }

  readonly interrupt = (): void => this.#controller.abort(new Error('stopped by the user'));

  #next(results: readonly Seen[]): Step | undefined {
    const { value, done } = this.#script.next(results);
    return done === true ? undefined : value;
  }

  readonly brain: Brain = {
    name: 'recording',
    reply: (request) => {
      const step = this.#next(resultsOf(request));
      if (step?.kind === 'interrupt') {
        this.#clock.pass(this.#random.int(1_000, 9_000));
        this.interrupt();
        throw new Error('stopped by the user');
      }
      if (step?.kind !== 'reply')
        throw new Error(`the model was asked, and the script says ${step?.kind ?? 'nothing'}`);
      const chars = JSON.stringify(step.parts).length;
      this.#clock.pass(THINKS_MS + this.#random.int(0, 2_500) + (chars / CHARS_PER_SECOND) * 1_000);
      return { parts: step.parts };
    },
  };

  async play(agent: Agent): Promise<void> {
    for (let step = this.#next([]); step !== undefined; step = this.#next([])) {
      if (step.kind !== 'user') throw new Error(`the user's turn, and the script says ${step.kind}`);
      this.#clock.pass(step.pauseMs);
      this.#controller = new AbortController();
      const { signal } = this.#controller;
      await agent.run(step.text, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The log without what is told of requests (ledger, state, cost, usage, seals): the messages and when they came. What is left changes only where the
 * agent's own words do.
 */
function messagesOnly(log: string, title: string): string {
  const records = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);
  const kept = records.flatMap(({ type, message, at, ...record }): readonly Fields[] => {
    if (type === 'session') {
      const { sessionId, createdAt, provider, model } = record;
      return [
        { type, sessionId, createdAt, provider, model },
        { type: 'fact', name: 'title', value: title },
      ];
    }
    return type === 'message' ? [{ type, message, at }] : [];
  });
  const lines = kept.map((record, index) =>
    JSON.stringify({ v: 1, id: `r${index + 1}`, parent: index === 0 ? null : `r${index}`, ...record }),
  );
  return `${lines.join('\n')}\n`;
}

/** The session's log: the same bytes on every machine. */
export async function record(plan: SessionPlan): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdover-record-')));
  const clock = createClock(Date.parse(plan.startsAt));
  const random = createRandom(plan.name);
  const world = createWorld(folder);
  const { programs, script } = plan.build(world, random);
  world.mark();
  const stage = new Stage(script(new Coder(world, random, plan.style)), clock, random);
  const simulator = await createSimulator({
    brain: stage.brain,
    windowTokens: WINDOW_TOKENS,
    now: clock.now,
    countTokens: (text) => Math.ceil(text.length / 4),
    keepRequests: 0,
  });
  try {
    const agent = await createAgent({
      workspace: folder,
      provider: anthropicProvider({ baseUrl: simulator.url, apiKey: 'none' }),
      model: 'recorded-1',
      context: { policy: NOTHING_COMPACTED, windowTokens: WINDOW_TOKENS, maxOutputTokens: 32_000 },
      maxRounds: 1_000,
      rules: { allow: ['bash', 'write_file', 'edit_file'] },
      tools: [createShell({ world, clock, programs, interrupt: stage.interrupt })],
      ports: { now: clock.now, random: () => random.next(), sleep: async () => undefined },
    });
    await stage.play(agent);
    await agent.close();
    const log = readFileSync(locateSession(folder, agent.sessionId).path, 'utf8');
    if (log.includes(folder)) throw new Error(`${plan.name} tells where it was recorded`);
    return messagesOnly(log, `Generated: ${plan.about}`);
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
