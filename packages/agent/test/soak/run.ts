/** One session's soak, in a process of its own: plays the turns, checks, and tells its parent what it came to. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  describeSessions,
  exportSession,
  failureLine,
  locateSession,
  SESSIONS_FOLDER,
  verifySession,
} from '@holdover/agent';
import { redactSecrets } from '@holdover/engine';
import { checkAddresses } from './addresses.ts';
import { Growth, LogMeter, median } from './growth.ts';
import { limitMb, type MemorySample, sampleMemory } from './memory.ts';
import { marked, newMark } from './orphans.ts';
import { Player } from './player.ts';
import type { RunOptions, RunReport } from './protocol.ts';
import { createRandom } from './random.ts';
import { surround } from './session.ts';
import { type SimulatorProcess, startSimulator } from './simulator-client.ts';
import { createFolderModel, type FolderModel, makeWorkspace } from './workspace.ts';

const FOLDER_EVERY = 20;
const ADDRESSES_EVERY = 10;
const ADDRESSES_AT_ONCE = 10;
const MEMORY_EVERY = 50;
const LINE_EVERY = 100;
/** More lines of one kind of failure help nobody. */
const MAX_FAILURES = 40;
/** Idle connections are kept for a few seconds. */
const SETTLE_MS = 10_000;

type Counts = Record<string, number>;

const bump = (counts: Counts, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Whether `isTrue` becomes true in time. */
async function within(ms: number, isTrue: () => boolean): Promise<boolean> {
  for (const started = Date.now(); Date.now() - started < ms; ) {
    if (isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return isTrue();
}

function handles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** What is open now and was not at the beginning. */
function handlesOver(baseline: ReadonlyMap<string, number>): readonly string[] {
  return [...handles()].flatMap(([name, count]) => {
    const more = count - (baseline.get(name) ?? 0);
    return more > 0 ? [`${more} x ${name}`] : [];
  });
}

class Soak {
  readonly #options: RunOptions;
  readonly #simulator: SimulatorProcess;
  readonly #folder: string;
  readonly #model: FolderModel;
  readonly #mark = newMark();
  readonly #started = Date.now();
  readonly #failures: string[] = [];
  readonly #expected: Counts = {};
  readonly #counts: Counts = {};
  readonly #turnMs: number[] = [];
  readonly #growth: Growth;
  readonly #log = new LogMeter();
  #peak: MemorySample = { rssMb: 0, heapMb: 0, historyMb: 0 };
  #memoryShare = 0;
  #memoryLimitMb = limitMb(0);
  #orphans = 0;
  #addresses = 0;
  #provedTurns = 0;
  #turn = 0;

  constructor(options: RunOptions, simulator: SimulatorProcess, folder: string) {
    this.#options = options;
    this.#simulator = simulator;
    this.#folder = folder;
    this.#model = createFolderModel(folder);
    this.#growth = new Growth(options.turns);
  }

  get #name(): string {
    return `${this.#options.format}, ${this.#options.policy}`;
  }

  readonly #fail = (what: string): void => {
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(`turn ${this.#turn}: ${what}`);
    process.stdout.write(`FAILED ${this.#name}, turn ${this.#turn}: ${what}\n`);
  };

  async run(baseline: ReadonlyMap<string, number>): Promise<RunReport> {
    const { format, policy, turns } = this.#options;
    const seed = `${this.#options.seed}/${format}`;
    const surrounded = surround({
      format,
      policy,
      seed,
      folder: this.#folder,
      mark: this.#mark,
      url: this.#simulator.url,
      onEvent: (event) => {
        this.#model.onEvent(event);
        bump(this.#counts, `event ${event.type === 'context' ? `context ${event.event.type}` : event.type}`);
        if (event.type === 'tool-end') bump(this.#counts, `tool ${event.name}${event.isError ? ' (error)' : ''}`);
        if (event.type === 'notice') bump(this.#counts, `notice ${event.text.replaceAll(/\d+/g, 'N').slice(0, 80)}`);
      },
      onHook: (name) => bump(this.#counts, `hook ${name}`),
      onPrepare: (ms) => this.#growth.prepared(this.#turn, ms),
    });
    process.on('warning', ({ name, message }) => this.#fail(`${name}: ${message}`));
    process.on('unhandledRejection', (error) => this.#fail(`a rejection nobody handles: ${String(error)}`));
    process.on('uncaughtException', (error) => this.#fail(`an error nobody catches: ${error.stack ?? error.message}`));
    const player = await Player.begin({
      surrounded,
      seed,
      fail: this.#fail,
      count: (what) => bump(this.#counts, what),
      expect: (name) => bump(this.#expected, name),
    });
    const { rssMb: baseRssMb } = await sampleMemory([]);
    for (this.#turn = 1; this.#turn <= turns; this.#turn += 1) {
      const ms = await player.turn(this.#turn);
      if (ms !== undefined) this.#turnMs.push(ms);
      await this.#check(player);
    }
    return this.#end(player, { baseline, baseRssMb });
  }

  async #check(player: Player): Promise<void> {
    const turn = this.#turn;
    this.#noteGrowth(player);
    const { refusals, unseen } = await this.#simulator.report();
    for (const refusal of refusals) this.#fail(refusal);
    if (unseen > 0) this.#fail(`${unseen} requests were not looked at`);
    if (turn % ADDRESSES_EVERY === 0) await this.#checkAddresses(player, ADDRESSES_AT_ONCE);
    if (turn % FOLDER_EVERY === 0) this.#checkFolder();
    const sample = turn % MEMORY_EVERY === 0 ? await this.#sample(player) : undefined;
    if (sample !== undefined && turn % LINE_EVERY === 0) this.#line(player, sample);
  }

  #noteGrowth({ agent }: Player): void {
    const path = join(this.#folder, SESSIONS_FOLDER, `${agent.sessionId}.jsonl`);
    this.#growth.logged(this.#turn, this.#log.added(path), agent.context.history().length);
  }

  async #checkAddresses({ agent }: Player, count: number): Promise<void> {
    const random = createRandom(`${this.#options.seed}/addresses/${this.#turn}`);
    const { checked, problems } = await checkAddresses(agent, random, count);
    this.#addresses += checked;
    for (const problem of problems) this.#fail(problem);
  }

  #checkFolder(): void {
    for (const problem of this.#model.check()) this.#fail(problem);
    // Only the MCP server may run between two turns.
    const running = marked(this.#mark).filter((line) => !line.includes('mcp-server.mjs'));
    this.#orphans += running.length;
    for (const line of running) this.#fail(`left running between turns: ${line}`);
  }

  async #verify(sessionId: string): Promise<void> {
    const { failures, turns } = await verifySession(locateSession(this.#folder, sessionId));
    this.#provedTurns += turns;
    for (const failure of failures) this.#fail(`session ${sessionId} is not proved: ${failureLine(failure)}`);
  }

  /** Every session that was ever opened here can still be listed, read and proved. */
  async #checkSessions(): Promise<void> {
    for (const { id } of await describeSessions(this.#folder)) {
      await this.#verify(id);
      const text = await exportSession(this.#folder, id, {
        format: 'json',
        redact: (text) => redactSecrets(text).text,
      }).catch((error: unknown) => String(error));
      if (!text.startsWith('{')) this.#fail(`session ${id} cannot be exported: ${text.slice(0, 200)}`);
    }
    const kept = (await describeSessions(this.#folder)).length;
    const files = readdirSync(join(this.#folder, SESSIONS_FOLDER)).filter((name) => !name.startsWith('.'));
    const logs = files.filter((name) => name.endsWith('.jsonl'));
    if (logs.length !== kept) this.#fail(`${logs.length} session logs, ${kept} listed`);
    const left = files.filter((name) => !name.endsWith('.jsonl'));
    if (left.length > 0) this.#fail(`left beside the logs: ${left.join(', ')}`);
  }

  async #sample({ agent }: Player): Promise<MemorySample> {
    const sample = await sampleMemory(agent.context.history());
    this.#growth.sampled(Math.min(this.#turn, this.#options.turns), sample.rssMb);
    const share = sample.rssMb / limitMb(sample.historyMb);
    if (share > this.#memoryShare) {
      this.#memoryShare = share;
      this.#memoryLimitMb = limitMb(sample.historyMb);
    }
    this.#peak = {
      rssMb: Math.max(this.#peak.rssMb, sample.rssMb),
      heapMb: Math.max(this.#peak.heapMb, sample.heapMb),
      historyMb: sample.historyMb,
    };
    return sample;
  }

  #line({ agent }: Player, { rssMb, heapMb, historyMb }: MemorySample): void {
    const seconds = ((Date.now() - this.#started) / 1_000).toFixed(0);
    process.stdout.write(
      `${this.#name} ${this.#turn}/${this.#options.turns}: ${seconds} s, ${agent.context.history().length} messages, ` +
        `${historyMb.toFixed(1)} MB of history, rss ${rssMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB, ` +
        `${median(this.#turnMs.slice(-LINE_EVERY)).toFixed(0)} processor ms a turn, ${this.#failures.length} failures\n`,
    );
  }

  async #end(
    player: Player,
    { baseline, baseRssMb }: { readonly baseline: ReadonlyMap<string, number>; readonly baseRssMb: number },
  ): Promise<RunReport> {
    const { format, policy, turns } = this.#options;
    await this.#checkAddresses(player, Number.POSITIVE_INFINITY);
    await this.#sample(player);
    const historyMessages = player.agent.context.history().length;
    await player.close();
    await this.#checkSessions();
    this.#checkFolder();
    for (const line of marked(this.#mark)) {
      this.#orphans += 1;
      this.#fail(`left running after close: ${line}`);
    }
    const { faults, requests, overflows } = await this.#simulator.report();
    await within(SETTLE_MS, () => handlesOver(baseline).length === 0);
    const handlesLeft = handlesOver(baseline);
    const quarter = Math.max(1, Math.floor(this.#turnMs.length / 4));
    return {
      format,
      policy,
      turns,
      seconds: (Date.now() - this.#started) / 1_000,
      failures: this.#failures,
      expected: this.#expected,
      counts: this.#counts,
      faults,
      requests,
      overflows,
      addressesChecked: this.#addresses,
      provedTurns: this.#provedTurns,
      filesChecked: this.#model.checked(),
      peakRssMb: this.#peak.rssMb,
      peakHeapMb: this.#peak.heapMb,
      baseRssMb,
      memoryLimitMb: this.#memoryLimitMb,
      memoryShare: this.#memoryShare,
      historyMb: this.#peak.historyMb,
      historyMessages,
      tenths: this.#growth.tenths(),
      turnMsFirst: median(this.#turnMs.slice(0, quarter)),
      turnMsLast: median(this.#turnMs.slice(-quarter)),
      orphans: this.#orphans,
      handlesLeft,
    };
  }
}

async function main(options: RunOptions): Promise<void> {
  // Opened with the first look at them, and no business of the agent's.
  process.stdout.write('');
  process.stderr.write('');
  const folder = makeWorkspace();
  const simulator = await startSimulator(`${options.seed}/${options.format}`);
  try {
    const report = await new Soak(options, simulator, folder).run(handles());
    process.send?.(report);
  } finally {
    await simulator.stop();
    if (process.env['SOAK_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true });
    else process.stdout.write(`kept ${folder}\n`);
    process.disconnect();
  }
}

process.once('message', (options: RunOptions) => void main(options));
