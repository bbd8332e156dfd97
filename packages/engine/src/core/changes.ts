/** What differs between two views of one history, piece by piece: what left, what stands there now, and where the original is. */
import type { Address } from './archive.ts';
import type { LayerName, PartEdit, RangeEdit } from './edit.ts';
import { effectiveParts } from './effective.ts';
import { MESSAGE_OVERHEAD_TOKENS, type Part, tokensOfPart } from './entry.ts';
import { factsOf } from './facts/facts-of.ts';
import type { History } from './history.ts';
import { headOf } from './layers/marker.ts';
import { readableText } from './layers/part-edits.ts';
import type { Fact, Lens } from './lens.ts';
import { type Count, locate, type View, type ViewEntry } from './view.ts';

/** One replacement in a view. */
export interface Change {
  readonly layer: LayerName;
  /** Messages of the history from `from` up to but not including `to`. */
  readonly from: number;
  readonly to: number;
  /** Set where one part of the message is concerned. */
  readonly part?: number;
  /** `read_file src/a.ts`, `messages 3 to 16`, `note behind message 9`: for people. */
  readonly what: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What gives the original back; empty where nothing left. */
  readonly addresses: readonly Address[];
}

/** A change with its words. */
export interface ChangeTexts extends Change {
  /** What the view said: the first 2,000 characters. */
  readonly before: string;
  /** Characters of the whole. */
  readonly beforeChars: number;
  /** What it says now, whole. */
  readonly after: string;
}

export interface ChangeContext {
  readonly history: History;
  readonly count: Count;
  readonly lens: Lens;
}

/** Characters of what left that are told. */
const BEFORE_CHARS = 2_000;

/** Characters of a command, a query or an input in `what`. */
const SUBJECT_CHARS = 80;

function subjectOf(fact: Fact): string {
  switch (fact.kind) {
    case 'read':
    case 'wrote':
    case 'edited':
      return fact.path;
    case 'ran':
      return fact.command;
    case 'searched':
      return fact.path === undefined || fact.path === '' ? fact.query : `${fact.query} in ${fact.path}`;
    case 'fetched':
      return fact.url;
    default:
      return '';
  }
}

/** A part by the call it answers, or by who said it. */
function nameOf(entry: number, part: number, { history, lens }: ChangeContext): string {
  const record = factsOf(history, lens).answeredAt({ entry, part });
  if (record !== undefined) {
    const subject = headOf(subjectOf(record.fact).replaceAll(/\s+/g, ' '), SUBJECT_CHARS);
    return subject === '' ? record.name : `${record.name} ${subject}`;
  }
  const { origin, parts } = history.at(entry);
  return `${origin} ${parts[part]?.kind ?? 'part'} of message ${entry}`;
}

function rangeName({ from, to }: RangeEdit): string {
  return to - from === 1 ? `message ${from}` : `messages ${from} to ${to - 1}`;
}

/** A change, and the texts on both sides of it, asked for only where they are told. */
interface Found {
  readonly change: Change;
  readonly before: () => string;
  readonly after: () => string;
}

function textOf(parts: readonly (Part | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined ? [] : [readableText(part)])).join('\n');
}

function entryText(entries: readonly ViewEntry[], history: History): string {
  return entries.map((entry) => textOf(effectiveParts(entry, history))).join('\n');
}

function rangeChange(
  after: ViewEntry & { readonly range: RangeEdit },
  before: View,
  { history }: ChangeContext,
): Found {
  const { range, from, to } = after;
  const covered = before.entries.slice(locate(before.entries, from), locate(before.entries, to - 1) + 1);
  return {
    change: {
      layer: range.layer,
      from,
      to,
      what: rangeName(range),
      tokensBefore: covered.reduce((sum, { tokens }) => sum + tokens, 0),
      tokensAfter: after.tokens,
      addresses: range.addresses,
    },
    before: () => entryText(covered, history),
    after: () => textOf(effectiveParts(after, history)),
  };
}

function partChange(edit: PartEdit, earlier: PartEdit | undefined, context: ChangeContext): Found {
  const { history, count } = context;
  const { at, part, layer, text, addresses } = edit;
  const source = history.at(at);
  const size = (patch: PartEdit): number => count(patch.text) + MESSAGE_OVERHEAD_TOKENS;
  return {
    change: {
      layer,
      from: at,
      to: at + 1,
      part,
      what: nameOf(at, part, context),
      tokensBefore: earlier === undefined ? tokensOfPart(source, part) : size(earlier),
      tokensAfter: size(edit),
      addresses,
    },
    before: () => earlier?.text ?? textOf([source.parts[part]]),
    after: () => text,
  };
}

function withinChanges(after: ViewEntry, before: ViewEntry | undefined, context: ChangeContext): readonly Found[] {
  const patches = [...(after.patches?.values() ?? [])].flatMap((edit) => {
    const earlier = before?.patches?.get(edit.part);
    return earlier === edit ? [] : [partChange(edit, earlier, context)];
  });
  const known = new Set(before?.notes);
  const notes = (after.notes ?? [])
    .filter((note) => !known.has(note))
    .map(({ layer, at, text, addresses }): Found => {
      const tokens = { tokensBefore: 0, tokensAfter: context.count(text) };
      const change = { layer, from: at, to: at + 1, what: `note behind message ${at}`, ...tokens, addresses };
      return { change, before: () => '', after: () => text };
    });
  return [...patches, ...notes];
}

/** In the order of the history. */
function found(before: View, after: View, context: ChangeContext): readonly Found[] {
  return after.entries.flatMap((entry): readonly Found[] => {
    const old = before.entries[locate(before.entries, entry.from)];
    if (entry === old) return [];
    const { range } = entry;
    if (range === undefined) return withinChanges(entry, old?.range === undefined ? old : undefined, context);
    return range === old?.range ? [] : [rangeChange({ ...entry, range }, before, context)];
  });
}

/** What `after` replaces of `before`, in the order of the history. */
export function changesOf(before: View, after: View, context: ChangeContext): readonly Change[] {
  return found(before, after, context).map(({ change }) => change);
}

/** The same with the words of both sides. */
export function changeTextsOf(before: View, after: View, context: ChangeContext): readonly ChangeTexts[] {
  return found(before, after, context).map(({ change, ...texts }) => {
    const old = texts.before();
    return { ...change, before: headOf(old, BEFORE_CHARS), beforeChars: old.length, after: texts.after() };
  });
}
