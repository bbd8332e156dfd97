/** A session told step by step, with the master property checked of every request; and the policies and formats every test runs over. */
import { expect } from 'vitest';
import { isEpoch } from '../../../src/core/edit.ts';
import { micro } from '../../../src/core/layers/micro.ts';
import { isUserWords } from '../../../src/core/entry.ts';
import { classic } from '../../../src/core/policies/classic.ts';
import { economic } from '../../../src/core/policies/economic.ts';
import type { Policy } from '../../../src/core/policy.ts';
import type { Receipt } from '../../../src/core/receipt.ts';
import type { Writer, WriterReply, WriterRequest } from '../../../src/core/summary/writer.ts';
import { verifyView } from '../../../src/core/verify.ts';
import type { Turn } from '../../../src/hub/turn.ts';
import { type ReplySpec, type WireBuilder, wireBuilders } from '../../../src/testing/wire-builder.ts';
import { historyOf } from '../../core/support.ts';
import { messagesOf, type Options, TestSession, textsOf } from '../../golden/session.ts';
import { expectMaster, said, textsIn } from './master.ts';

/** A policy that is to keep every promise gets a line here. */
export const POLICIES: readonly Policy[] = [classic, economic];

export interface Scene {
  readonly name: string;
  readonly builder: WireBuilder;
  readonly policy: Policy;
}

/** Every policy in every wire format. */
export const SCENES: readonly Scene[] = POLICIES.flatMap((policy) =>
  wireBuilders.map((builder) => ({ name: `${policy.name}, ${builder.name}`, builder, policy })),
);

/**
 * The scene with a policy that waits for its threshold: nothing is shaped on arrival and no schedule is asked, so that a request can be as large as a
 * test wants it.
 */
export function still(scene: Scene): Scene {
  const { rhythm: _, ...policy } = scene.policy;
  return { ...scene, policy: { ...policy, layers: policy.layers.filter(({ name }) => name !== 'arrival') } };
}

/** The same with the layer that makes one line of every result but the newest three. */
export function pruning(scene: Scene): Scene {
  const quiet = still(scene);
  return { ...quiet, policy: { ...quiet.policy, layers: [micro()] } };
}

export type Turned = Turn<object, object>;

export const TOOLS: readonly string[] = ['bash', 'recall'];

export class Story extends TestSession {
  readonly policy: Policy;
  #history: readonly string[] = [];
  #besideBytes = 0;

  constructor(scene: Scene, options: Options = {}) {
    super({ builder: scene.builder, policy: scene.policy, ...options });
    this.policy = options.policy ?? scene.policy;
  }

  /** Messages in turn, `chars` long on average: the user's are short, since policies may keep those verbatim. */
  override talk(messages: number, chars = 400): this {
    const short = Math.min(chars, 60);
    for (let i = 0; i < messages; i += 1)
      if (i % 2 === 0) this.user(`${i} `.padEnd(short, 'the '));
      else this.assistant(`${i} `.padEnd(2 * chars - short, 'the '));
    return this;
  }

  attach(text: string): this {
    this.#besideBytes += Buffer.byteLength(JSON.stringify(text)) + 100;
    this.context.attach(text);
    return this;
  }

  /** State the host gives beside summaries, bytes. */
  allow(bytes: number): this {
    this.#besideBytes += bytes;
    return this;
  }

  rewind(length: number): this {
    this.context.rewind(length);
    this.#history = this.#history.slice(0, length);
    return this;
  }

  /** The next turn, whose request keeps the master property; asked for twice, it is the same bytes. */
  async ask(toolNames: readonly string[] = TOOLS): Promise<Turned> {
    const first = await this.prepare(toolNames);
    const turn = await this.prepare(toolNames);
    expect(JSON.stringify(turn.request), 'a second prepare').toBe(JSON.stringify(first.request));
    await this.check(turn);
    return turn;
  }

  /** The master property of a turn that is there already, such as one after an overflow. */
  async check(turn: Turned): Promise<Turned> {
    const { builder, context } = this;
    const history = context.history();
    const now = history.map((message) => JSON.stringify(message));
    expect(now.slice(0, this.#history.length), 'the history as it was').toEqual(this.#history);
    this.#history = now;
    const edits = context.groups().flatMap((group) => (isEpoch(group) ? group.edits : []));
    const repaired = turn.receipt.layers.find(({ layer }) => layer === 'repair')?.edits ?? 0;
    await expectMaster({
      builder,
      request: turn.request,
      history,
      pins: context.pins().map(({ text }) => text),
      besideBytes: this.#besideBytes,
      repairs: repaired + edits.filter(({ layer }) => layer === 'repair').length,
      areWordsCut: this.#areWordsCut(turn),
    });
    return turn;
  }

  /** Words over half of the window stand as head, tail and address. */
  #areWordsCut({ receipt }: Turned): boolean {
    const count = this.policy.count ?? ((text: string) => text.length / 4);
    const message = this.context.history().findLast((one) => {
      const { origin, parts } = this.builder.codec.decode(one);
      return origin === 'user' && parts.some(isUserWords);
    });
    const words = textsOf(message).reduce((sum, text) => sum + count(text), 0);
    return words > receipt.window.windowTokens / 2;
  }

  /** Sends and takes in a reply; the view that stands then is proved. */
  async say(reply: ReplySpec = { text: 'Done.' }, toolNames: readonly string[] = TOOLS): Promise<Receipt> {
    return this.settle(await this.ask(toolNames), reply);
  }

  async settle(turn: Turned, reply: ReplySpec = { text: 'Done.' }): Promise<Receipt> {
    const receipt = await turn.accept(this.builder.reply(reply));
    this.proveView();
    return receipt;
  }

  /** The engine's own verifier; a call that still waits for its result may. */
  proveView(): void {
    const failures = verifyView(this.context.view(), historyOf(this.context.history(), this.builder));
    expect(
      failures.filter((failure) => !failure.startsWith('unanswered-call')),
      'the view',
    ).toEqual([]);
  }

  /** The turn after the provider's refusal, which keeps the property too and is smaller. */
  async afterRefusal(turn: Turned, error: unknown): Promise<Turned> {
    const next = await turn.fail(error);
    if (next === undefined) throw new Error('the refusal was not taken for one about size');
    expect(JSON.stringify(next.request).length, 'bytes after a refusal').toBeLessThan(
      JSON.stringify(turn.request).length,
    );
    return this.check(next);
  }

  /** Everything a turn shows the model, as one text. */
  shown(turn: Turned): string {
    return messagesOf(turn, this.builder).flatMap(textsIn).join('\n');
  }

  said(turn: Turned): string {
    return said(this.builder, turn.request);
  }

  call(...ids: readonly string[]): this {
    return this.calls({ ids });
  }

  /** A message of the model's with calls, which have no results yet. */
  calls({ ids, text, thought }: { ids: readonly string[]; text?: string; thought?: string }): this {
    const calls = ids.map((id) => ({ id, name: 'bash', input: { command: `run ${id}` } }));
    const extra = { ...(text === undefined ? {} : { text }), ...(thought === undefined ? {} : { thought }) };
    this.context.append([this.builder.assistant({ ...extra, calls })]);
    return this;
  }

  results(...results: readonly (readonly [id: string, text: string])[]): this {
    this.context.append(this.builder.results(results.map(([callId, text]) => ({ callId, text }))));
    return this;
  }
}

/** Results of calls in a request, by id, in order. */
export function resultIds(builder: WireBuilder, turn: Turned): readonly string[] {
  return partsIn(builder, turn).flatMap((part) => (part.kind === 'result' ? [part.callId] : []));
}

export function callIds(builder: WireBuilder, turn: Turned): readonly string[] {
  return partsIn(builder, turn).flatMap((part) => (part.kind === 'call' ? [part.id] : []));
}

export function partsIn(builder: WireBuilder, turn: Turned): ReturnType<WireBuilder['codec']['decode']>['parts'] {
  return messagesOf(turn, builder).flatMap((message) => builder.codec.decode(message).parts);
}

export type Answer = WriterReply | string | Error | ((request: WriterRequest, call: number) => WriterReply | string);

export interface Sum extends Writer {
  readonly requests: WriterRequest[];
  readonly prompts: readonly string[];
}

/** A writer that answers as it is told and keeps what it was asked. */
export function sum(answer: Answer = 'Goal: to go on.'): Sum {
  const requests: WriterRequest[] = [];
  return {
    name: 'stub',
    requests,
    get prompts() {
      return requests.map(({ prompt }) => prompt);
    },
    async write(request) {
      requests.push(request);
      const given = typeof answer === 'function' ? answer(request, requests.length) : answer;
      if (given instanceof Error) throw given;
      return typeof given === 'string' ? { text: given, stop: 'end' } : given;
    },
  };
}

/** Errors as providers word them. */
export function tooLong(requested?: number, limit?: number): Error {
  const numbers = requested === undefined ? '' : `: ${requested} tokens > ${limit} maximum`;
  return Object.assign(new Error(`400 prompt is too long${numbers}`), { status: 400 });
}

export function refusedBytes(): Error {
  const error = { type: 'request_too_large', message: 'Request exceeds the maximum size' };
  return Object.assign(new Error('413 Request exceeds the maximum size'), { status: 413, error: { error } });
}

/** `chars` characters that begin with `tag`. */
export const filler = (tag: string, chars: number): string => `${tag} `.padEnd(chars, 'lor ips dol ');
