/**
 * Teacher-forced replay: at each recorded call a policy says which messages it would have sent; nothing is generated, and the history goes on as it
 * was recorded. It shows cost and whether what the model used was there; not whether it would have solved the task.
 */
import type { CachePrices } from '@holdover/engine';
import { Bill, type Sent } from './bill.ts';
import { Presence } from './dependencies/presence.ts';
import type { Figures } from './figures.ts';
import type { MeasuredSession } from './measured.ts';
import { Needs } from './needs.ts';
import type { Contestant, Course } from './policies/contestant.ts';
import { Prober } from './probing.ts';
import type { PromptBlock } from './prompt/blocks.ts';
import type { RecordedCall } from './session/recorded.ts';

export interface ReplayOptions {
  readonly prices: CachePrices;
  /** The provider's tokens. @default 200_000 */
  readonly windowTokens?: number;
  /** @default 8_000 */
  readonly maxOutputTokens?: number;
  /** Asks the probes at the first, third and tenth compaction and at the last prompt; takes some seconds. @default false */
  readonly probes?: boolean;
  /** Called after every call. */
  readonly onCall?: (done: number, of: number) => void;
}

class Replay {
  readonly #measured: MeasuredSession;
  readonly #course: Course;
  readonly #head: PromptBlock;
  readonly #presence: Presence;
  readonly #bill: Bill;
  readonly #needs: Needs;
  readonly #prober: Prober | undefined;
  #policyMs = 0;

  constructor(measured: MeasuredSession, contestant: Contestant, options: ReplayOptions) {
    const { calibration, table, session, count, index } = measured;
    const { prices, windowTokens = 200_000, maxOutputTokens = 8_000, probes = false } = options;
    const { factor, headTokens } = calibration;
    const course = contestant.start({
      format: session.format,
      prices,
      windowTokens,
      maxOutputTokens,
      model: session.calls[0]?.model ?? '',
      headTokens,
      count: (text) => factor * count(text),
      tokensOf: (message) => factor * table.tokensOf(message),
    });
    const presence = new Presence(index);
    this.#measured = measured;
    this.#course = course;
    this.#presence = presence;
    this.#head = table.opaque((headTokens + course.extraHeadTokens) / factor);
    this.#bill = new Bill(prices, factor);
    this.#needs = new Needs({ measured, presence, course, prices });
    this.#prober = probes ? new Prober({ measured, presence, course }) : undefined;
  }

  #promptOf(messages: readonly object[]): readonly PromptBlock[] {
    const { table } = this.#measured;
    const prompt = [this.#head];
    for (const message of messages) for (const block of table.blocksOf(message)) prompt.push(block);
    return prompt;
  }

  async #timed<T>(work: Promise<T>): Promise<T> {
    const startMs = performance.now();
    const done = await work;
    this.#policyMs += performance.now() - startMs;
    return done;
  }

  /** One call, by its number. */
  async call(number: number): Promise<void> {
    const { session } = this.#measured;
    const call = session.calls[number] as RecordedCall;
    const history = session.messages.slice(0, call.promptLength);
    const before = this.#bill.last;
    const view = await this.#timed(this.#course.view({ history, atMs: call.atMs }));
    const prompts = { prompt: this.#promptOf(view), bare: this.#promptOf(history), atMs: call.atMs };
    const sent = this.#bill.send(prompts);
    // Before the reply is in: it says itself what it depends on.
    await this.#look(number, sent, sent.isEpoch && before !== undefined && sent.tokens < before.tokens);
    await this.#settle(call, sent);
  }

  /** What of a call's needs, and of the probes, is in the prompt or one recall away. */
  async #look(number: number, sent: Sent, isCompaction: boolean): Promise<void> {
    const { session, dependencies } = this.#measured;
    const needs = dependencies[number];
    if (needs === undefined && this.#prober === undefined) return;
    this.#presence.show(sent.prompt);
    if (needs !== undefined) await this.#needs.check(sent, needs);
    const { promptLength } = session.calls[number] as RecordedCall;
    await this.#prober?.prompt(promptLength, { isCompaction, isLast: number === session.calls.length - 1 });
  }

  async #settle({ promptLength, hasReply, usage }: RecordedCall, sent: Sent): Promise<void> {
    const inputTokens = Math.round(sent.tokens);
    const cacheReadTokens = Math.min(inputTokens, Math.round(sent.cached));
    const reply = hasReply ? this.#measured.session.messages[promptLength] : undefined;
    const billed = {
      inputTokens,
      cacheReadTokens,
      cacheWriteTokens: inputTokens - cacheReadTokens,
      outputTokens: usage?.outputTokens ?? 0,
    };
    await this.#timed(this.#course.settle(reply, billed));
  }

  figures(policy: string): Figures {
    const { calls, tokens, cached, peak, epochs, breaks, breakCost, ...sums } = this.#bill.sums;
    const { penalty, steps, refetchSteps } = this.#needs;
    const ownCost = this.#course.ownCost?.() ?? 0;
    const bill = sums.bill + ownCost;
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
      steps,
      refetchSteps,
      availability: {
        'edit-line': this.#needs.availability('edit-line'),
        identifier: this.#needs.availability('identifier'),
      },
      probes: this.#prober?.scores ?? [],
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
  const { length } = measured.session.calls;
  for (let number = 0; number < length; number += 1) {
    await run.call(number);
    options.onCall?.(number + 1, length);
  }
  return run.figures(contestant.name);
}
