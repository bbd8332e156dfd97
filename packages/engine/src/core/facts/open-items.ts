/**
 * Open items of plans: check boxes that are not ticked, in the files the calls read and wrote, as they stand after the newest call. A plan is worked off
 * over a whole session, line by line, long after it was written: of all that scrolls away its lines are the ones an agent most often needs word for word.
 */
import type { History } from '../history.ts';
import type { Lens } from '../lens.ts';
import { replacementsOf, writtenText } from '../lenses/change.ts';
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
  readonly line: string;
  readonly isOpen: boolean;
  /** The heading it stands under, where it was seen beside one. */
  readonly heading: string | undefined;
}

const ITEM = /^\s*(?:[-*+]|\d{1,4}[.)]) \[([ xX])\] (.*)$/;
const HEADING = /^#{1,6} /;
/** Longer lines are no items of a plan. */
const MAX_LINE_CHARS = 400;

/** Most files with check boxes that are followed at once. */
const MAX_FILES = 50;

function itemsIn(text: string): ReadonlyMap<string, Item> {
  const items = new Map<string, Item>();
  if (!/\[[ xX]\] /.test(text)) return items;
  let heading: string | undefined;
  for (const raw of text.split('\n')) {
    // Tools that number the lines they print put a tab behind the number.
    const line = /^\s*\d+\t/.test(raw) ? raw.slice(raw.indexOf('\t') + 1) : raw;
    if (line.length > MAX_LINE_CHARS) continue;
    if (HEADING.test(line)) heading = line;
    const match = ITEM.exec(line);
    if (match !== null) items.set(match[2] ?? '', { line, isOpen: match[1] === ' ', heading });
  }
  return items;
}

class Plan {
  readonly path: string;
  record: CallRecord;
  #items = new Map<string, Item>();

  constructor(path: string, record: CallRecord) {
    this.path = path;
    this.record = record;
  }

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** The whole file as it is now. */
  replace(text: string): void {
    this.#items = new Map(itemsIn(text));
  }

  /** Part of the file as it is now. */
  merge(text: string): void {
    for (const [words, item] of itemsIn(text)) {
      const heading = item.heading ?? this.#items.get(words)?.heading;
      this.#items.set(words, { ...item, heading });
    }
  }

  change(before: string, after: string): void {
    const now = itemsIn(after);
    for (const words of itemsIn(before).keys()) if (!now.has(words)) this.#items.delete(words);
    this.merge(after);
  }

  lines(): readonly string[] {
    const lines: string[] = [];
    let heading: string | undefined;
    for (const item of this.#items.values()) {
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
    // What a read does not show may still be there.
    plan.merge(readText(record, history));
    return;
  }
  const input = inputOf(record, history);
  const text = fact.kind === 'wrote' ? writtenText(input) : undefined;
  if (text !== undefined) plan.replace(text);
  else for (const { before, after } of replacementsOf(input)) plan.change(before, after);
}

/** The files with open items, the one worked on last first. `until`: calls answered before this entry. */
export function openItems(history: History, lens: Lens, until: number): readonly OpenItems[] {
  const plans = new Map<string, Plan>();
  for (const record of factsOf(history, lens).calls) {
    const [file] = partsOf(record.fact);
    if (file === undefined || !succeeded(record) || (record.result?.entry ?? until) >= until) continue;
    const key = pathKey(file.path);
    const plan = plans.get(key) ?? new Plan(file.path, record);
    apply(plan, record, history);
    plans.delete(key);
    if (!plan.isEmpty) plans.set(key, plan);
    if (plans.size > MAX_FILES) plans.delete(plans.keys().next().value ?? '');
  }
  return [...plans.values()]
    .reverse()
    .flatMap((plan) => {
      const lines = plan.lines();
      return lines.length === 0 ? [] : [{ path: plan.path, lines, record: plan.record }];
    });
}
