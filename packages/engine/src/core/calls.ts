/** The call a result answers, as far as its shaping has to know it. */
import { factsOf } from './facts/facts-of.ts';
import type { History, Place } from './history.ts';
import { headOf } from './layers/marker.ts';
import type { Fact, Lens } from './lens.ts';

/** A call, and what it did. */
export interface NamedCall {
  readonly name: string;
  readonly input: unknown;
  readonly fact: Fact;
  /** Whether its result is an error, by the flag or by its words. */
  readonly isError: boolean;
}

/** The call that the result at `place` answers; undefined for a result that answers none. */
export function callOf(history: History, place: Place, lens: Lens): NamedCall | undefined {
  const record = factsOf(history, lens).answeredAt(place);
  if (record === undefined) return undefined;
  const call = history.at(record.call.entry).parts[record.call.part];
  const input = call?.kind === 'call' ? call.input : undefined;
  return { name: record.name, input, fact: record.fact, isError: record.outcome?.isError === true };
}

/** Whether a call's result is the text of a file. */
export function readsFile({ fact }: Pick<NamedCall, 'fact'>): boolean {
  return fact.kind === 'read' || (fact.kind === 'ran' && fact.prints?.isVerbatim === true);
}

function about(fact: Fact): string {
  switch (fact.kind) {
    case 'ran':
      return fact.command;
    case 'searched':
      return fact.query;
    case 'fetched':
      return fact.url;
    case 'called':
      return '';
    default:
      return fact.path;
  }
}

const MAX_WORDS_CHARS = 100;

/** The call in a few words: its name and what it was about. */
export function inWords({ name, fact }: NamedCall): string {
  const words = headOf(about(fact), MAX_WORDS_CHARS).replaceAll(/\s+/g, ' ').trim();
  return words === '' ? name : `${name} ${words}`;
}
