/** Turns: one open at a time, settled by the reply or the error of the provider. */
import type { Head } from '../core/codec.ts';
import { ContextError } from '../core/errors.ts';
import type { Receipt } from '../core/receipt.ts';
import type { Trigger } from '../core/step-parts.ts';
import type { View } from '../core/view.ts';
import { commit, commitKept } from './commit.ts';
import { type DraftOptions, draftTurn, type TurnDeps } from './draft.ts';
import { assertSmaller, lowerCap, noteOverflow, type Overflow, pressureTrigger } from './overflow.ts';
import { commitRewind, type Standing, standingOf } from './session.ts';
import { syncMessages } from './sync.ts';
import type { Draft, Turn } from './turn.ts';

/** Texts of heads whose size is remembered; they hardly change over a session. */
const MAX_HEAD_TEXTS = 4_096;

/** What asks for a summary of the next request besides the threshold. */
export function triggerOf(
  deps: Pick<TurnDeps, 'session' | 'windowFor'>,
  head: Head,
  headTokens: () => number,
): Trigger | undefined {
  const { session, windowFor } = deps;
  if (session.manual !== undefined) return { kind: 'manual', ...session.manual };
  if (session.pressedModel !== head.model) return undefined;
  return pressureTrigger(deps, windowFor(head), headTokens());
}

export class Turns {
  readonly #deps: TurnDeps;
  readonly #headSizes = new Map<string, number>();
  #open: Draft | undefined;
  /** What stood before the open turn's messages took another course. */
  #before: Standing | undefined;
  #turnNumber = 0;
  /** How often the open turn was forgotten from outside, which a turn being prepared has to notice. */
  #drops = 0;

  constructor(deps: TurnDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** What the open turn sends: what the model sees, whatever comes of the turn. */
  get openView(): View | undefined {
    return this.#open?.view;
  }

  /** Forgets the open turn. */
  drop(): void {
    this.#drops += 1;
    this.#forget();
  }

  /** Forgets the open turn; a course of the history that was only its own goes with it. */
  #forget(): void {
    this.#open = undefined;
    if (this.#before !== undefined) Object.assign(this.#deps.session, this.#before);
    this.#before = undefined;
  }

  /** Makes the course a dropped turn's messages took the session's own. */
  keepCourse(): void {
    this.#before = undefined;
    commitRewind(this.#deps.session);
  }

  headTokens(head: Head): number {
    if (this.#headSizes.size > MAX_HEAD_TEXTS) this.#headSizes.clear();
    return head.texts.reduce((sum, text) => sum + this.#headSize(text), 0);
  }

  #headSize(text: string): number {
    const known = this.#headSizes.get(text);
    if (known !== undefined) return known;
    const size = this.#deps.count(text);
    this.#headSizes.set(text, size);
    return size;
  }

  /** `head`: the request's own. */
  async prepare(request: object, head: Head, signal: AbortSignal | undefined): Promise<Turn<object, object>> {
    const { session, codec, flush } = this.#deps;
    const messages = codec.messages(request);
    // A host that hands in no messages relies on what the context holds, a course of a dropped turn included.
    if (messages.length === 0) this.#open = undefined;
    else this.#forget();
    flush();
    const before = this.#before ?? standingOf(session);
    try {
      if (messages.length > 0) syncMessages(session, messages, this.#deps);
      if (session.history !== before.history) this.#before = before;
      const { manual, snip } = session;
      return this.#started(
        await this.#build({ request, head, trigger: this.#triggerOf(head), manual, snip, attempt: 0, signal }),
      );
    } catch (error) {
      if (messages.length > 0) this.#forget();
      throw error;
    }
  }

  #triggerOf(head: Head): Trigger | undefined {
    return triggerOf(this.#deps, head, () => this.headTokens(head));
  }

  async #build(options: Omit<DraftOptions, 'id' | 'headTokens'>): Promise<Draft> {
    this.#turnNumber += 1;
    const { request, head, trigger, manual, snip, attempt, signal } = options;
    const drops = this.#drops;
    const asking = { id: `t${this.#turnNumber}`, request, head, headTokens: this.headTokens(head) };
    const draft = await this.#drafted({ ...asking, trigger, manual, snip, attempt, signal }, drops);
    this.#open = draft;
    return draft;
  }

  /** A draft; whatever came of it, a session that moved on meanwhile is the reason to stop. */
  async #drafted(options: DraftOptions, drops: number): Promise<Draft> {
    const moved = (): ContextError =>
      new ContextError('TURN_SETTLED', `the session was rewound while turn ${options.id} was prepared; prepare again`);
    try {
      const draft = await draftTurn(this.#deps, options);
      if (drops !== this.#drops) throw moved();
      return draft;
    } catch (error) {
      throw drops === this.#drops ? error : moved();
    }
  }

  #started(draft: Draft): Turn<object, object> {
    const { emit, serial } = this.#deps;
    emit({ type: 'turn-start', ...draft.ids, receipt: draft.receipt });
    return {
      id: draft.id,
      request: draft.request,
      receipt: draft.receipt,
      accept: (reply) =>
        serial(async () => this.#settled(draft, () => commit(this.#deps, draft, this.#deps.codec.reply(reply)))),
      keep: () => serial(async () => this.#settled(draft, () => commitKept(this.#deps, draft))),
      fail: (error) => serial(() => this.#fail(draft, error)),
      cut: (reply) => serial(() => this.#cut(draft, reply)),
    };
  }

  /** Puts `draft` in force by `work`, which changes nothing where it throws; its course of the history is the session's then. */
  #settled(draft: Draft, work: () => Receipt): Receipt {
    this.#assertOpen(draft);
    const receipt = work();
    this.#open = undefined;
    this.#before = undefined;
    this.#deps.flush();
    return receipt;
  }

  #assertOpen(draft: Draft): void {
    if (this.#open === draft) return;
    throw new ContextError('TURN_SETTLED', `turn ${draft.id} was settled already or a newer one exists; prepare again`);
  }

  #settle(draft: Draft): void {
    this.#assertOpen(draft);
    this.#open = undefined;
  }

  async #fail(draft: Draft, error: unknown): Promise<Turn<object, object> | undefined> {
    this.#settle(draft);
    const known = this.#deps.errors.classify(error);
    // Fewer messages do not help against too many pictures: the host has to choose which to leave out.
    const isOverflow = known.kind === 'overflow' && known.what !== 'media';
    if (isOverflow || (known.kind === 'rate' && known.shrinkWouldHelp)) {
      return (await this.#withLowerCap(draft, known, error)) ?? this.#retry(draft, known, error);
    }
    this.#deps.flush();
    return undefined;
  }

  /** Where prompt and output cap together are too long, a lower cap may do: the same messages again. */
  async #withLowerCap(draft: Draft, known: Overflow, error: unknown): Promise<Turn<object, object> | undefined> {
    const cap = lowerCap(draft, known);
    if (cap === undefined || draft.attempt > 0) return undefined;
    noteOverflow(this.#deps, draft, { known, error });
    const { original, manual, snip, signal } = draft;
    const request = this.#deps.codec.withOutputCap(original, cap);
    const head = this.#deps.codec.head(request);
    return this.#started(
      await this.#build({
        request,
        head,
        trigger: this.#triggerOf(head),
        manual,
        snip,
        attempt: draft.attempt + 1,
        signal,
      }),
    );
  }

  async #cut(draft: Draft, reply: object): Promise<Turn<object, object>> {
    this.#settle(draft);
    const { usage } = this.#deps.codec.reply(reply);
    // Prompt and reply together filled the window: that is its size.
    const limitTokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    const isPlausible = limitTokens * 2 >= draft.estimatedTokens;
    const numbers = usage === undefined || !isPlausible ? {} : { limitTokens, requestedTokens: usage.inputTokens };
    return this.#retry(draft, { kind: 'cut', ...numbers }, undefined);
  }

  async #retry(draft: Draft, known: Overflow, error: unknown): Promise<Turn<object, object>> {
    const trigger = noteOverflow(this.#deps, draft, { known, error });
    const { original: request, head, manual, snip, signal } = draft;
    const next = await this.#build({ request, head, trigger, manual, snip, attempt: draft.attempt + 1, signal });
    try {
      assertSmaller(draft, next, error);
    } catch (exhausted) {
      this.#forget();
      throw exhausted;
    }
    return this.#started(next);
  }
}
