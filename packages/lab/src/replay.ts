/**
 * Teacher-forced replay: at each recorded call a policy says which messages it would have sent; nothing is generated, and the history goes on as it
 * was recorded. It shows cost and whether what the model used was there; not whether it would have solved the task.
 */
import type { CachePrices } from '@holdover/engine';
import type { DependencyKind } from './dependencies/find.ts';
import { Presence } from './dependencies/presence.ts';
import type { Figures } from './figures.ts';
import type { Dependency, MeasuredSession } from './measured.ts';
import type { Contestant, Course } from './policies/contestant.ts';
import type { PromptBlock } from './prompt/blocks.ts';
import { PrefixCache } from './prompt/prefix-cache.ts';
import type { RecordedCall } from './session/recorded.ts';

export interface ReplayOptions {
  readonly prices: CachePrices;
  /** The provider's tokens. @default 200_000 */
  readonly windowTokens?: number;
  /** @default 8_000 */
  readonly maxOutputTokens?: number;
  /** Called after every call. */
  readonly onCall?: (done: number, of: number) => void;
}

/** Of the re-fetch penalty, as the metric defines it; the provider's tokens. */
const REFETCH = { sourceTokens: 2_500, frameTokens: 150, replyTokens: 100 } as const;
/** Of one recall's answer, counted tokens. */
const RECALL_TOKENS = 2_000;

/** One prompt and what the cache made of it; the provider's tokens. */
interface Sent {
  readonly prompt: readonly PromptBlock[];
  readonly tokens: number;
  readonly cached: number;
}

function tokensIn(prompt: readonly PromptBlock[], until: number, factor: number): number {
  let sum = 0;
  for (let index = 0; index < until; index += 1) sum += (prompt[index] as PromptBlock).tokens;
  return sum * factor;
}

/** A cache with the prompts of one course of calls. */
class Line {
  readonly #cache: PrefixCache;
  readonly #factor: number;
  last: Sent | undefined;

  constructor(ttlMs: number, factor: number) {
    this.#cache = new PrefixCache(ttlMs);
    this.#factor = factor;
  }

  send(prompt: readonly PromptBlock[], atMs: number): Sent {
    const cached = tokensIn(prompt, this.#cache.send(prompt, atMs), this.#factor);
    this.last = { prompt, tokens: tokensIn(prompt, prompt.length, this.#factor), cached };
    return this.last;
  }
}

function isExtension(prompt: readonly PromptBlock[], before: readonly PromptBlock[]): boolean {
  return before.length <= prompt.length && before.every((block, index) => prompt[index] === block);
}

/** A cliff makes the whole request dearer. */
function timesOf(prices: CachePrices, tokens: number): number {
  return prices.cliffs.findLast(({ aboveTokens }) => tokens > aboveTokens)?.inputTimes ?? 1;
}

/** Rounding keeps sums of floats from telling equal prompts apart. */
function isLess(a: number, b: number): boolean {
  return a < b - 0.5;
}

class Replay {
  readonly #measured: MeasuredSession;
  readonly #prices: CachePrices;
  readonly #course: Course;
  readonly #line: Line;
  readonly #bare: Line;
  readonly #head: PromptBlock;
  readonly #presence: Presence;
  readonly #sums = { bill: 0, penalty: 0, tokens: 0, cached: 0, peak: 0, epochs: 0, breaks: 0, breakCost: 0 };
  readonly #have: Record<DependencyKind, { inView: number; byRecall: number }> = {
    'edit-line': { inView: 0, byRecall: 0 },
    identifier: { inView: 0, byRecall: 0 },
  };
  #steps = 0;
  #refetchSteps = 0;
  #policyMs = 0;

  constructor(measured: MeasuredSession, contestant: Contestant, options: ReplayOptions) {
    const { calibration, table, session, count } = measured;
    const { prices, windowTokens = 200_000, maxOutputTokens = 8_000 } = options;
    const { factor, headTokens } = calibration;
    this.#measured = measured;
    this.#prices = prices;
    this.#course = contestant.start({
      prices,
      windowTokens,
      maxOutputTokens,
      model: session.calls[0]?.model ?? '',
      headTokens,
      count: (text) => factor * count(text),
      tokensOf: (message) => factor * table.blocksOf(message).reduce((sum, { tokens }) => sum + tokens, 0),
    });
    this.#line = new Line(prices.ttlMs, factor);
    this.#bare = new Line(prices.ttlMs, factor);
    this.#head = table.opaque((headTokens + this.#course.extraHeadTokens) / factor);
    this.#presence = new Presence(measured.index);
  }

  #promptOf(messages: readonly object[]): readonly PromptBlock[] {
    const { table } = this.#measured;
    const prompt = [this.#head];
    for (const message of messages) for (const block of table.blocksOf(message)) prompt.push(block);
    return prompt;
  }

  async call(call: RecordedCall, dependencies: readonly Dependency[] | undefined): Promise<void> {
    const { messages } = this.#measured.session;
    const history = messages.slice(0, call.promptLength);
    const startMs = performance.now();
    const view = await this.#course.view({ history, atMs: call.atMs });
    this.#policyMs += performance.now() - startMs;
    const sent = this.#send(view, history, call.atMs);
    await this.#settle(call, sent);
    if (dependencies !== undefined) await this.#check(sent, dependencies);
  }

  #send(view: readonly object[], history: readonly object[], atMs: number): Sent {
    const sums = this.#sums;
    const before = this.#line.last;
    const bareBefore = this.#bare.last;
    const sent = this.#line.send(this.#promptOf(view), atMs);
    const bare = this.#bare.send(this.#promptOf(history), atMs);
    const { readTimes: r, writeTimes: w } = this.#prices;
    const times = timesOf(this.#prices, sent.tokens);
    sums.bill += times * (r * sent.cached + w * (sent.tokens - sent.cached));
    sums.tokens += sent.tokens;
    sums.cached += sent.cached;
    sums.peak = Math.max(sums.peak, sent.tokens);
    if (before === undefined || bareBefore === undefined) return sent;
    if (!isExtension(sent.prompt, before.prompt)) sums.epochs += 1;
    if (isLess(sent.cached, before.tokens) && !isLess(bare.cached, bareBefore.tokens)) {
      sums.breaks += 1;
      sums.breakCost += times * (w - r) * Math.max(0, Math.min(sent.tokens, before.tokens) - sent.cached);
    }
    return sent;
  }

  async #settle({ promptLength, hasReply, usage }: RecordedCall, sent: Sent): Promise<void> {
    const inputTokens = Math.round(sent.tokens);
    const cacheReadTokens = Math.min(inputTokens, Math.round(sent.cached));
    const reply = hasReply ? this.#measured.session.messages[promptLength] : undefined;
    const startMs = performance.now();
    await this.#course.settle(reply, {
      inputTokens,
      cacheReadTokens,
      cacheWriteTokens: inputTokens - cacheReadTokens,
      outputTokens: usage?.outputTokens ?? 0,
    });
    this.#policyMs += performance.now() - startMs;
  }

  async #check(sent: Sent, dependencies: readonly Dependency[]): Promise<void> {
    this.#steps += 1;
    this.#presence.show(sent.prompt);
    const missing = dependencies.filter(({ string }) => !this.#presence.has(string));
    for (const { kind, string } of dependencies) if (this.#presence.has(string)) this.#have[kind].inView += 1;
    if (missing.length === 0) return;
    this.#refetchSteps += 1;
    this.#sums.penalty += this.#penalty(sent, missing);
    await this.#recall(missing);
  }

  #penalty(sent: Sent, missing: readonly Dependency[]): number {
    const { table, session, calibration } = this.#measured;
    const sizes = [...new Set(missing.map(({ source }) => source))].map(
      (source) =>
        calibration.factor *
        table.blocksOf(session.messages[source] as object).reduce((sum, { tokens }) => sum + tokens, 0),
    );
    const source = Math.min(Math.max(...sizes), REFETCH.sourceTokens);
    const { readTimes, writeTimes, outputTimes } = this.#prices;
    return (
      timesOf(this.#prices, sent.tokens) * (readTimes * sent.tokens + writeTimes * (source + REFETCH.frameTokens)) +
      outputTimes * REFETCH.replyTokens
    );
  }

  /** One recall for each text that is missing, at most one for each query. */
  async #recall(missing: readonly Dependency[]): Promise<void> {
    const answers = new Map<string, string>();
    for (const { query, text, kind } of missing) {
      if (this.#course.recall === undefined) return;
      const answer = answers.get(query) ?? this.#capped(await this.#course.recall(query));
      answers.set(query, answer);
      if (answer.includes(text)) this.#have[kind].byRecall += 1;
    }
  }

  #capped(text: string): string {
    const tokens = this.#measured.count(text);
    return tokens <= RECALL_TOKENS ? text : text.slice(0, Math.floor((text.length * RECALL_TOKENS) / tokens));
  }

  figures(policy: string): Figures {
    const { penalty, tokens, cached, peak, epochs, breaks, breakCost } = this.#sums;
    const calls = this.#measured.session.calls.length;
    const ownCost = this.#course.ownCost?.() ?? 0;
    const bill = this.#sums.bill + ownCost;
    const available = (kind: DependencyKind): { found: number; inView: number; byRecall: number } => {
      const { inView, byRecall } = this.#have[kind];
      return { found: this.#measured.found[kind], inView, byRecall: inView + byRecall };
    };
    return {
      policy,
      calls,
      bill,
      ownCost,
      penalty,
      score: bill + penalty,
      peakTokens: peak,
      meanTokens: calls === 0 ? 0 : tokens / calls,
      hitRatio: tokens === 0 ? 0 : cached / tokens,
      epochs,
      breaks,
      breakCost,
      steps: this.#steps,
      refetchSteps: this.#refetchSteps,
      availability: { 'edit-line': available('edit-line'), identifier: available('identifier') },
      policyMs: this.#policyMs,
    };
  }
}

/** Replays a session under one policy. Rejects with what the policy throws, as where a window is exhausted. */
export async function replay(
  measured: MeasuredSession,
  contestant: Contestant,
  options: ReplayOptions,
): Promise<Figures> {
  const run = new Replay(measured, contestant, options);
  const { calls } = measured.session;
  for (const [index, call] of calls.entries()) {
    await run.call(call, measured.dependencies[index]);
    options.onCall?.(index + 1, calls.length);
  }
  return run.figures(contestant.name);
}
