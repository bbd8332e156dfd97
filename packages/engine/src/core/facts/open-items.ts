/**
 * Open items of plans: check boxes that are not ticked, in the files the calls read and wrote, as they stand after the newest call. A plan is worked off
 * over a whole session, line by line, long after it was written: of all that scrolls away its lines are the ones an agent most often needs word for word.
 */
import type { History } from '../history.ts';
import type { Lens } from '../lens.ts';
import { type Replacement, replacementsOf, writtenText } from '../lenses/change.ts';
import { type CallRecord, partsOf, succeeded } from './call-record.ts';
import { factsOf } from './facts-of.ts';
import { pathKey } from './paths.ts';

/** The open items of one file. */
export interface OpenItems {
  /** As it was first written. */
  readonly path: string;
  /** Headings and items, word for word, in the order of the file as far as it is known. */
  readonly lines: readonly string[];
  /** The newest call on the file. */
  readonly record: CallRecord;
}

interface Item {
  readonly words: string;
  readonly line: string;
  readonly isOpen: boolean;
  /** The heading it stands under, where it was seen beside one. */
  readonly heading: string | undefined;
}

const ITEM = /^\s*(?:[-*+]|\d{1,4}[.)]) \[([ xX])\] (.*)$/;
const HEADING = /^#{1,6} /;
/** Longer lines are no items of a plan. */
const MAX_LINE_CHARS = 400;

/** Most files with check boxes that are followed at once, and items of one. */
const MAX_FILES = 50;
const MAX_ITEMS = 500;

function itemsIn(text: string): readonly Item[] {
  if (!/\[[ xX]\] /.test(text)) return [];
  const items: Item[] = [];
  let heading: string | undefined;
  for (const raw of text.split('\n')) {
    // Tools that number the lines they print put a tab behind the number.
    const line = /^\s*\d+\t/.test(raw) ? raw.slice(raw.indexOf('\t') + 1) : raw;
    if (line.length > MAX_LINE_CHARS) continue;
    if (HEADING.test(line)) heading = line;
    const match = ITEM.exec(line);
    if (match !== null && items.length < MAX_ITEMS)
      items.push({ words: match[2] ?? '', line, isOpen: match[1] === ' ', heading });
  }
  return items;
}

/** Where `items` hold `run` one behind the other; -1 where they do not. */
function indexOfRun(items: readonly Item[], run: readonly Item[], isSame: (one: Item, other: Item) => boolean): number {
  const last = items.length - run.length;
  for (let at = 0; at <= last; at += 1) if (run.every((item, i) => isSame(item, items[at + i] as Item))) return at;
  return -1;
}

const isSameLine = (one: Item, other: Item): boolean => one.line === other.line;
const isSameItem = (one: Item, other: Item): boolean => one.words === other.words;

/** The check boxes of one file, in the order of the file as far as it is known. */
class Plan {
  readonly path: string;
  record: CallRecord;
  #items: Item[] = [];

  constructor(path: string, record: CallRecord) {
    this.path = path;
    this.record = record;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** The whole file as it is now. */
  replace(text: string): void {
    this.#items = [...itemsIn(text)];
  }

  /** A part of the file as it is now: what it does not show may still be there. */
  merge(text: string): void {
    const seen = itemsIn(text);
    const at = indexOfRun(this.#items, seen, isSameItem);
    if (at >= 0) this.#put(at, seen.length, seen);
    else this.#add(seen.filter((item) => !this.#items.some((known) => isSameItem(item, known))));
  }

  change({ before, after }: Replacement): void {
    const old = itemsIn(before);
    const now = itemsIn(after);
    if (old.length === 0 && now.length === 0) return;
    const at = old.length === 0 ? -1 : indexOfRun(this.#items, old, isSameLine);
    if (at >= 0) this.#put(at, old.length, now);
    else this.#add(now);
  }

  /** At the end, as far as there is room. */
  #add(items: readonly Item[]): void {
    this.#items.push(...items.slice(0, Math.max(0, MAX_ITEMS - this.#items.length)));
  }

  /** An edit seldom shows the heading: the item in whose place it comes knows it. */
  #put(at: number, count: number, items: readonly Item[]): void {
    const heading = this.#items[at]?.heading;
    this.#items.splice(at, count, ...items.map((item) => ({ ...item, heading: item.heading ?? heading })));
    this.#items.length = Math.min(this.#items.length, MAX_ITEMS);
  }

  lines(): readonly string[] {
    const lines: string[] = [];
    let heading: string | undefined;
    for (const item of this.#items) {
      if (!item.isOpen) continue;
      if (item.heading !== undefined && item.heading !== heading) lines.push(item.heading);
      heading = item.heading;
      lines.push(item.line);
    }
    return lines;
  }
}

/** The text of a read's result. */
function readText(record: CallRecord, history: History): string {
  const part = record.result === undefined ? undefined : history.at(record.result.entry).parts[record.result.part];
  return part?.kind === 'result' ? part.text : '';
}

function inputOf(record: CallRecord, history: History): unknown {
  const part = history.at(record.call.entry).parts[record.call.part];
  return part?.kind === 'call' ? part.input : undefined;
}

function apply(plan: Plan, record: CallRecord, history: History): void {
  plan.record = record;
  const { fact } = record;
  if (fact.kind === 'read') {
    const text = readText(record, history);
    if (fact.lines === undefined && record.outcome?.lastLine === undefined) plan.replace(text);
    else plan.merge(text);
    return;
  }
  const input = inputOf(record, history);
  const text = fact.kind === 'wrote' ? writtenText(input) : undefined;
  if (text !== undefined) plan.replace(text);
  else for (const replacement of replacementsOf(input)) plan.change(replacement);
}

/** The plans of a history as they stand at one place in it; moved on as the history grows. */
class Plans {
  readonly #history: History;
  readonly #calls: readonly CallRecord[];
  readonly #plans = new Map<string, Plan>();
  /** Calls taken in. */
  #count = 0;
  /** Entries those calls and their results stand before. */
  end = 0;

  constructor(history: History, calls: readonly CallRecord[]) {
    this.#history = history;
    this.#calls = calls;
  }

  /** Takes in the calls up to entry `end`, which parts no round. */
  advance(end: number): this {
    for (; this.#count < this.#calls.length; this.#count += 1) {
      const record = this.#calls[this.#count] as CallRecord;
      if (record.call.entry >= end) break;
      if (succeeded(record)) this.#take(record);
    }
    this.end = end;
    return this;
  }

  #take(record: CallRecord): void {
    const [file] = partsOf(record.fact);
    if (file === undefined) return;
    const key = pathKey(file.path);
    const plan = this.#plans.get(key) ?? new Plan(file.path, record);
    apply(plan, record, this.#history);
    this.#plans.delete(key);
    if (!plan.isEmpty) this.#plans.set(key, plan);
    if (this.#plans.size > MAX_FILES) this.#plans.delete(this.#plans.keys().next().value ?? '');
  }

  open(): readonly OpenItems[] {
    return [...this.#plans.values()].reverse().flatMap((plan) => {
      const lines = plan.lines();
      return lines.length === 0 ? [] : [{ path: plan.path, lines, record: plan.record }];
    });
  }
}

/** By history and lens, as it was asked for last. */
const PLANS = new WeakMap<History, WeakMap<Lens, Plans>>();

/**
 * The files with open items, the one worked on last first. `until`: rounds that ended before this entry. Costs the calls since the last time it was
 * asked, or all of them where it was asked about a later place then.
 */
export function openItems(history: History, lens: Lens, until: number): readonly OpenItems[] {
  const end = history.cutBefore(until);
  const byLens = PLANS.get(history) ?? new WeakMap<Lens, Plans>();
  PLANS.set(history, byLens);
  const { calls } = factsOf(history, lens);
  const known = byLens.get(lens);
  const plans = known === undefined || known.end > end ? new Plans(history, calls) : known;
  byLens.set(lens, plans);
  return plans.advance(end).open();
}
