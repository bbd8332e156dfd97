/** The user of a soak: says something each turn, and does something else between two turns now and then. */
import { type Agent, rewindPoints, type SessionChoice } from '@holdover/agent';
import { SLOW_WORD } from './brain.ts';
import { errorName } from './expected.ts';
import { MODELS } from './protocol.ts';
import { createRandom, prose, type Random } from './random.ts';
import type { Surrounded } from './session.ts';

export interface PlayerOptions {
  readonly surrounded: Surrounded;
  readonly seed: string;
  readonly fail: (what: string) => void;
  readonly count: (what: string) => void;
  /** An error that a user has to live with. */
  readonly expect: (name: string) => void;
}

interface Moment {
  readonly random: Random;
  readonly turn: number;
}

/** Of the user's older words a summary carries at least so many characters. */
const SHOWN_CHARS = 60;
/** Longer than anything a soak does on purpose. */
const HUNG_MS = 60_000;

const WEIGHTS = {
  nothing: 60,
  compact: 3,
  undo: 3,
  redo: 2,
  rewind: 3,
  rewindFar: 0.4,
  pin: 3,
  unpin: 2,
  setModel: 5,
  resume: 3,
  resumeHeld: 0.5,
  fork: 1,
  forkAt: 0.5,
  breakdown: 3,
} as const;
type Deed = keyof typeof WEIGHTS;

/** Deeds that read or copy the whole session: they get rarer as it grows, so that what they take grows with the turns and not with their square. */
const WHOLE_DEEDS: ReadonlySet<Deed> = new Set(['resume', 'resumeHeld', 'fork', 'forkAt']);
/** Up to this turn they are as frequent as others. */
const OFTEN_TURNS = 500;

/** What a resume has to give back. */
interface Standing {
  readonly history: readonly string[];
  readonly view: string;
  readonly pins: string;
  readonly todos: string;
  readonly cost: string;
}

function viewOf({ context }: Agent): string {
  return JSON.stringify(
    context
      .view()
      .entries.map(({ from, to, range, patches, notes }) => [
        from,
        to,
        range?.pieces,
        [...(patches ?? [])].map(([part, { text }]) => [part, text]),
        notes?.map(({ text }) => text),
      ]),
  );
}

function standingOf(agent: Agent): Standing {
  return {
    history: agent.context.history().map((message) => JSON.stringify(message)),
    view: viewOf(agent),
    pins: JSON.stringify(agent.context.pins()),
    todos: JSON.stringify(agent.todos.items),
    cost: JSON.stringify(agent.cost()),
  };
}

function differences(before: Standing, agent: Agent): readonly string[] {
  const after = standingOf(agent);
  const kept = after.history.slice(0, before.history.length);
  const lost = before.history.findIndex((message, index) => message !== kept[index]);
  const isSame = before.history.length === after.history.length;
  return [
    ...(lost === -1 ? [] : [`message ${lost} of ${before.history.length} is another one`]),
    ...(isSame && before.view !== after.view
      ? [`the view is another one: ${firstDifference(before.view, after.view)}`]
      : []),
    ...(before.pins === after.pins ? [] : ['the pins are others']),
    ...(before.todos === after.todos ? [] : ['the task list is another one']),
    ...(before.cost === after.cost ? [] : [`the cost is another one: ${before.cost} / ${after.cost}`]),
  ];
}

function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((char, index) => char !== other[index]);
  return `${JSON.stringify(one.slice(Math.max(0, at - 60), at + 60))} / ${JSON.stringify(other.slice(Math.max(0, at - 60), at + 60))}`;
}

/** What a message still says itself: a part that is replaced shows other words, the others stand. */
function unpatched(message: object | undefined, patches: ReadonlyMap<number, unknown> | undefined): object | undefined {
  if (patches === undefined) return message;
  const { content } = message as { readonly content?: unknown };
  return Array.isArray(content) ? content.filter((_, part) => !patches.has(part)) : undefined;
}

/** What stands in view where the newest message that says `text` is. */
function whereabouts(context: Agent['context'], text: string): string {
  const words = JSON.stringify(text).slice(1, -1);
  const at = context.history().findLastIndex((message) => JSON.stringify(message).includes(words));
  const entry = context.view().entries.find(({ from, to }) => from <= at && at < to);
  const layers = [...(entry?.patches?.values() ?? [])].map(({ layer }) => layer);
  return `message ${at} of ${text.length} characters under ${entry?.range?.layer ?? (layers.join(', ') || 'nothing')}`;
}

export class Player {
  readonly #options: PlayerOptions;
  #agent: Agent;

  private constructor(options: PlayerOptions, agent: Agent) {
    this.#options = options;
    this.#agent = agent;
  }

  static async begin(options: PlayerOptions): Promise<Player> {
    return new Player(options, await options.surrounded.open({ kind: 'new' }));
  }

  get agent(): Agent {
    return this.#agent;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Resolves to the processor's milliseconds of the run, which a busy machine does not stretch; undefined where it was interrupted. */
  async turn(turn: number): Promise<number | undefined> {
    const random = createRandom(`${this.#options.seed}/turn/${turn}`);
    await this.#between({ random, turn });
    const isInterrupted = random.chance(0.1);
    const words = random.chance(0.03) ? 1_200 : random.int(4, 80);
    const text = `Turn ${turn}: ${isInterrupted ? `${SLOW_WORD}, ` : ''}${prose(random, words)}`;
    const before = process.cpuUsage();
    if (isInterrupted) await this.#interrupted(text, random);
    else await this.#run(text, random);
    const { user, system } = process.cpuUsage(before);
    return isInterrupted ? undefined : (user + system) / 1_000;
  }

  async #run(text: string, random: Random): Promise<void> {
    const running = this.#agent.run(text);
    if (random.chance(0.02)) await this.#overlap();
    const result = await this.#attempt('run', () => running);
    if (result !== undefined) this.#checkView(text);
  }

  /** What the user said and what is pinned stand in the view word for word. */
  #checkView(text: string): void {
    const { context } = this.#agent;
    const history = context.history();
    const shown = context
      .view()
      .entries.flatMap(({ from, range, patches, notes = [] }) => [
        ...(range === undefined ? [unpatched(history[from], patches)] : range.pieces).map((piece) =>
          typeof piece === 'object' && 'entry' in piece ? history[piece.entry] : piece,
        ),
        ...notes.map((note) => note.text),
      ]);
    const view = JSON.stringify(shown);
    const isShown = (words: string): boolean => view.includes(JSON.stringify(words).slice(1, -1));
    if (!isShown(text)) {
      const newest = rewindPoints(history, this.#options.surrounded.provider).at(-1)?.text ?? '';
      const begins = isShown(text.slice(0, SHOWN_CHARS));
      // What a Stop hook or the loop itself says counts as the newest message of the user; the engine carries that one whole, and older ones cut.
      if (!newest.startsWith('Turn ') && begins) this.#options.expect('words cut behind a message of the harness');
      else
        this.#options.fail(
          `the user's words ${begins ? 'only begin in' : 'are not in'} the view, ${whereabouts(context, text)}, the newest: ${newest}`,
        );
    }
    for (const pin of context.pins()) if (!isShown(pin.text)) this.#options.fail(`pin ${pin.id} is not in the view`);
  }

  async #overlap(): Promise<void> {
    const second = await this.#agent.compact().then(
      () => 'nothing',
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
    this.#options.count('overlap refused');
    if (second !== 'run_in_progress') this.#options.fail(`a compaction beside a run: ${second}`);
  }

  async #interrupted(text: string, random: Random): Promise<void> {
    const controller = new AbortController();
    const reason = new Error('interrupted by the soak');
    const timer = setTimeout(() => controller.abort(reason), random.chance(0.1) ? 0 : random.int(1, 250));
    await this.#attempt('run', () => this.#agent.run(text, { signal: controller.signal }), reason);
    clearTimeout(timer);
  }

  /** Anything but success and what is expected is a failure. */
  async #attempt<T>(what: string, work: () => Promise<T>, reason?: Error): Promise<T | undefined> {
    const { fail, count, expect } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const hung = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} took over ${HUNG_MS} ms`)), HUNG_MS);
    });
    try {
      const value = await Promise.race([work(), hung]);
      count(what);
      return value;
    } catch (error) {
      const name = error === reason ? 'interrupted' : errorName(error);
      if (name === undefined)
        fail(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      else expect(`${what}: ${name}`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #between(moment: Moment): Promise<void> {
    const deed: Deed = moment.random.weighted(WEIGHTS);
    const isRare = WHOLE_DEEDS.has(deed) && moment.turn > OFTEN_TURNS;
    if (isRare && !moment.random.chance(OFTEN_TURNS / moment.turn)) return;
    if (deed !== 'nothing') await this.#deeds[deed](moment);
  }

  async #turnBack(what: 'undo' | 'redo'): Promise<void> {
    const before = this.#agent.context.history().length;
    const isDone = await this.#attempt(what, () => this.#agent[what]());
    if (isDone === true) this.#options.count(what === 'undo' ? 'undone' : 'redone');
    if (this.#agent.context.history().length !== before) this.#options.fail(`${what} changed the history`);
  }

  readonly #deeds: { readonly [Name in Exclude<Deed, 'nothing'>]: (moment: Moment) => Promise<void> } = {
    compact: async ({ random }) => {
      const controller = new AbortController();
      const reason = new Error('interrupted by the soak');
      const timer = random.chance(0.2) ? setTimeout(() => controller.abort(reason), random.int(0, 10)) : undefined;
      const options = random.chance(0.3) ? { focus: 'the open questions' } : {};
      await this.#attempt('compact', () => this.#agent.compact({ ...options, signal: controller.signal }), reason);
      clearTimeout(timer);
    },
    undo: () => this.#turnBack('undo'),
    redo: () => this.#turnBack('redo'),
    rewind: (moment) => this.#rewind(moment, 4),
    rewindFar: (moment) => this.#rewind(moment, 40),
    pin: async ({ turn, random }) => {
      await this.#attempt('pin', () => this.#agent.pin(`Remember from turn ${turn}: ${prose(random, 12)}`));
    },
    unpin: async ({ random }) => {
      const pins = this.#agent.context.pins();
      if (pins.length === 0) return;
      const { id } = random.pick(pins);
      const isGone = await this.#attempt('unpin', () => this.#agent.unpin(id));
      if (isGone !== true) this.#options.fail(`pin ${id} could not be taken off`);
    },
    setModel: async ({ random }) => {
      this.#agent.setModel(random.pick(Object.keys(MODELS)));
      this.#options.count('setModel');
    },
    resume: async () => {
      const { sessionId } = this.#agent;
      const standing = standingOf(this.#agent);
      await this.#agent.close();
      await this.#open('resume', { kind: 'resume', id: sessionId }, standing);
      if (this.#agent.sessionId !== sessionId) this.#options.fail('a session that was closed came back as a copy');
    },
    resumeHeld: async () => {
      const held = this.#agent;
      await this.#open('resume of a held session', { kind: 'resume', id: held.sessionId }, standingOf(held));
      if (this.#agent.sessionId === held.sessionId) this.#options.fail('two agents write one session');
      await held.close();
    },
    fork: async () => {
      const old = this.#agent;
      await this.#open('fork', { kind: 'fork', id: old.sessionId }, standingOf(old));
      await old.close();
    },
    forkAt: async ({ random }) => {
      const old = this.#agent;
      const length = this.#pointBefore(random, 4);
      if (length === undefined) return;
      await this.#open('fork at a message', { kind: 'fork', id: old.sessionId, length });
      if (this.#agent.context.history().length !== length)
        this.#options.fail(`a fork of ${length} messages has ${this.#agent.context.history().length}`);
      await old.close();
    },
    breakdown: async () => {
      const { totalTokens, categories } = this.#agent.breakdown();
      const sum = categories.reduce((total, { tokens }) => total + tokens, 0);
      this.#options.count('breakdown');
      if (sum !== totalTokens) this.#options.fail(`the breakdown adds up to ${sum}, not ${totalTokens}`);
    },
  };

  async #open(what: string, choice: SessionChoice, standing?: Standing): Promise<void> {
    const { model } = this.#agent;
    const opened = await this.#attempt(what, () => this.#options.surrounded.open(choice));
    if (opened === undefined) throw new Error(`${what} failed: there is no agent to go on with`);
    this.#agent = opened;
    opened.setModel(model);
    if (standing === undefined) return;
    for (const difference of differences(standing, opened)) this.#options.fail(`${what}: ${difference}`);
  }

  /** Length of the history in front of something the user said, at most `most` messages of theirs back. */
  #pointBefore(random: Random, most: number): number | undefined {
    const points = rewindPoints(this.#agent.context.history(), this.#options.surrounded.provider);
    return points.length === 0 ? undefined : random.pick(points.slice(-most)).length;
  }

  async #rewind({ random }: Moment, most: number): Promise<void> {
    const length = this.#pointBefore(random, most);
    if (length === undefined) return;
    await this.#attempt('rewind', () => this.#agent.rewind(length));
    const now = this.#agent.context.history().length;
    if (now !== length) this.#options.fail(`a rewind to ${length} messages left ${now}`);
  }
}
