/** What was attached and pinned, told apart from the engine's own account, and what has to hold of it in every request. */
import type { Context } from '../../../src/context.ts';
import { isEpoch } from '../../../src/core/edit.ts';
import { hasUserWords, type Wire } from '../../../src/core/entry.ts';
import { shownPins, type View, type ViewEntry } from '../../../src/core/view.ts';
import { expectThat } from './checks.ts';
import type { Settled } from './settled.ts';
import type { Turn } from '../../../src/hub/turn.ts';

/** Few enough that a window of 4,000 tokens has room for them. */
const MAX_PINS = 3;
const MAX_WAITING = 3;

function times(request: object, text: string): number {
  return JSON.stringify(request).split(JSON.stringify(text).slice(1, -1)).length - 1;
}

/** Whether the newest message had a place for a text when the turn was made: a range over it was made by this very turn, and not for want of content. */
function mayHold({ history, groups, groupsBefore }: Settled, entry: ViewEntry | undefined): boolean {
  const { range } = entry ?? {};
  if (range === undefined) return true;
  const isFresh = groups.slice(groupsBefore.length).some((group) => isEpoch(group) && group.edits.includes(range));
  // A kept turn had put it away before the text came.
  const wasPutAway = groupsBefore.some(
    (group) => isEpoch(group) && group.edits.some((edit) => edit.kind === 'range' && edit.to >= history.length),
  );
  return isFresh && !wasPutAway && range.layer !== 'repair' && hasUserWords(history.at(history.length - 1));
}

export class StickyTexts {
  readonly #context: () => Context<object, object>;
  #live = new Map<number, string>();
  /** Texts that were ever pinned. */
  readonly #pinned = new Set<string>();
  /** Notes of kept turns that no request held yet, and the length of the history then. */
  #kept: readonly { readonly text: string; readonly length: number }[] = [];
  #waiting: string[] = [];
  readonly #attached: string[] = [];
  /** Messages an accepted turn held. */
  #sentLength = 0;

  constructor(context: () => Context<object, object>) {
    this.#context = context;
  }

  attach(text: string): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    const marked = `<note ${this.#attached.length} ${text}>`;
    this.#context().attach(marked);
    this.#attached.push(marked);
    this.#waiting.push(marked);
  }

  pin(text: string, again: boolean): void {
    if (this.#live.size >= MAX_PINS) return;
    const earlier = [...this.#pinned];
    const marked =
      (again ? earlier.at(text.length % Math.max(1, earlier.length)) : undefined) ?? `<pin ${earlier.length} ${text}>`;
    const id = this.#context().pin(marked);
    const known = [...this.#live].find(([, other]) => other === marked);
    expectThat(known === undefined || known[0] === id, 'a live text is pinned once', () => `${id} for ${known?.[0]}`);
    expectThat(known !== undefined || !this.#live.has(id), 'a pin has an id of its own', () => String(id));
    this.#pinned.add(marked);
    this.#live.set(id, marked);
  }

  unpin(pick: number): void {
    const ids = [...this.#live.keys()];
    const id = ids[pick % Math.max(1, ids.length)] ?? pick + 1_000;
    const wasLive = this.#live.delete(id);
    expectThat(this.#context().unpin(id) === wasLive, 'unpin says whether there was a pin', () => String(id));
  }

  checkPins(): void {
    const told = JSON.stringify(
      this.#context()
        .pins()
        .map(({ id, text }) => [id, text])
        .sort(),
    );
    const own = JSON.stringify([...this.#live].sort());
    expectThat(told === own, 'pins are what the user pinned, over rewinds and restarts', () => `${told} for ${own}`);
  }

  /** No text twice, sent or not. */
  checkRequest({ request }: Turn<object, object>): void {
    for (const text of this.#attached) {
      expectThat(times(request, text) <= 1, 'an attached text stands in a request once', () => text);
    }
    for (const text of this.#pinned) {
      expectThat(times(request, text) <= 1, 'a pinned text stands in a request once', () => text);
    }
    for (const { text } of this.#kept) {
      expectThat(times(request, text) === 1, 'a note that was kept and never sent is not lost', () => text);
    }
  }

  /** No pin twice in a view that was moved or undone. */
  checkOnce(view: View, sent: readonly Wire[]): void {
    const shown = shownPins(view);
    expectThat(new Set(shown).size === shown.length, 'a pin is shown in one place', () => shown.join());
    for (const text of this.#pinned)
      expectThat(times(sent, text) <= 1, 'a pinned text stands in a view once', () => text);
  }

  checkAccepted(settled: Settled, format: string): void {
    const { turn, view, history } = settled;
    const newest = history.length - 1;
    const entry = view.entries.at(-1);
    const isPlace = history.at(newest).origin === 'user' && newest >= this.#sentLength && mayHold(settled, entry);
    for (const text of isPlace ? this.#waiting : []) {
      expectThat(
        times(turn.request, text) === 1,
        'what was attached is in the next request with something new',
        () => `${format}: ${text}`,
      );
    }
    this.#checkShown(settled);
    this.delivered(turn.request, true);
    this.#sentLength = history.length;
  }

  #checkShown({ turn, view }: Settled): void {
    const shown = shownPins(view);
    expectThat(new Set(shown).size === shown.length, 'a pin is shown in one place', () => shown.join());
    for (const [id, text] of this.#live) {
      const isHeld = turn.receipt.held.some((held) => held.startsWith(`pin ${id}: waits`));
      // Pinned while the turn was open: for the next one.
      const isIn = shown.includes(id);
      expectThat(isIn || isHeld, 'every live pin is in view', () => `${id}: ${turn.receipt.held.join()}`);
      expectThat(!isIn || times(turn.request, text) >= 1, 'a pin is sent word for word', () => text);
    }
  }

  /** What a settled turn holds waits no more. */
  delivered(request: object, isSent: boolean): void {
    const held = this.#waiting.filter((text) => times(request, text) > 0);
    this.#waiting = this.#waiting.filter((text) => !held.includes(text));
    const { length } = this.#context().history();
    this.#kept = isSent ? [] : [...this.#kept, ...held.map((text) => ({ text, length }))];
    if (isSent) this.#sentLength = Number.MAX_SAFE_INTEGER;
  }

  rewound(length: number): void {
    this.#kept = this.#kept.filter((note) => note.length <= length);
    this.#sentLength = Math.min(this.#sentLength, length);
  }

  /** What waited was the old process's; what stands in front of an answer was sent by it. */
  restored(messages: readonly Wire[]): void {
    this.#waiting = [];
    this.#kept = [];
    this.#sentLength = messages.findLastIndex((message) => (message as { role?: unknown }).role === 'assistant') + 1;
  }
}
