/** Decided once: between epochs what is sent begins with what was sent before, and reasoning stands behind what it was thought behind. */
import { type Group, isEpoch } from '../../../src/core/edit.ts';
import type { Wire } from '../../../src/core/entry.ts';
import { expectThat } from './checks.ts';

interface Base {
  readonly messages: readonly Wire[];
  readonly groups: number;
  /** Entries it covered. */
  readonly length: number;
}

/** Adds texts behind a message that was sent: a pin that found no other place. */
function touchesSent(group: Group, length: number): boolean {
  return isEpoch(group) && group.edits.some((edit) => edit.kind === 'note' && edit.at < length);
}

function mayChange(group: Group, { length }: Base): boolean {
  if (group.cause === 'pin' || group.cause === 'unpin') return false;
  return group.cause !== 'arrival' || touchesSent(group, length);
}

export type DigestOf = (message: Wire) => string;

/** Follows the accepted requests of one session. */
export class Frozen {
  readonly #digest: DigestOf;
  #base: Base | undefined;
  /** By reply with reasoning: digests of the messages it was thought behind. */
  #thoughts = new WeakMap<Wire, readonly string[]>();

  constructor(digest: DigestOf) {
    this.#digest = digest;
  }

  /** The session took another course: what was sent before says nothing of what comes. */
  forget(): void {
    this.#base = undefined;
  }

  /** Another process goes on. It cannot know that what stands behind the newest reply was sent once, to no answer, and starts on a cold cache. */
  resume(isAnswered: boolean): void {
    if (!isAnswered) this.forget();
  }

  /** The caller changed messages under the model's feet. */
  forgetThoughts(): void {
    this.#thoughts = new WeakMap();
  }

  /** `groups`: the whole ledger. */
  checkSent(messages: readonly Wire[], groups: readonly Group[], length: number): void {
    const base = this.#base;
    this.#base = { messages, groups: groups.length, length };
    if (base === undefined || groups.slice(base.groups).some((group) => mayChange(group, base))) return;
    const differs = base.messages.findIndex(
      (message, index) => messages[index] === undefined || this.#digest(messages[index]) !== this.#digest(message),
    );
    expectThat(
      differs < 0,
      'between epochs the view is a prefix of the next',
      () => `message ${differs} of ${base.messages.length}`,
    );
  }

  /** `reply` came to a request of `messages`. */
  noteThought(reply: Wire, messages: readonly Wire[]): void {
    this.#thoughts.set(reply, messages.map(this.#digest));
  }

  /** `verbatim`: the history's message that stands at each place of the request, where one does. */
  checkThoughts(messages: readonly Wire[], verbatim: readonly (Wire | undefined)[]): void {
    verbatim.forEach((message, at) => {
      const known = message === undefined ? undefined : this.#thoughts.get(message);
      if (known === undefined) return;
      const isSame =
        known.length === at && known.every((digest, index) => digest === this.#digest(messages[index] as Wire));
      expectThat(
        isSame,
        'reasoning in view stands behind what it was thought behind',
        () =>
          `message ${at}, thought behind ${known.length}: ${JSON.stringify(messages[known.findIndex((d, i) => d !== this.#digest(messages[i] as Wire))])}`,
      );
    });
  }
}
