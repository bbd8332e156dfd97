/**
 * What fills the window, by category. Counted as the meter counts, then scaled to the calibrated total by largest remainder, so that the
 * categories, and the items of each, add up exactly to what the request is expected to be billed.
 */
import type { HeadPart } from './codec.ts';
import { type Entry, MEDIA_TOKENS, MESSAGE_OVERHEAD_TOKENS, type Part, tokensOfPart } from './entry.ts';
import type { History } from './history.ts';
import type { Count, View, ViewEntry } from './view.ts';

/** A part of a category: a tool, a layer, a kind of note. */
export interface BreakdownItem {
  readonly name: string;
  readonly tokens: number;
}

/** What one kind of content takes. Its items add up to `tokens`. */
export interface BreakdownCategory {
  readonly name: string;
  /** `head`: in front of the messages. */
  readonly kind: 'head' | 'messages';
  readonly tokens: number;
  /** Largest first; where they have names. */
  readonly items?: readonly BreakdownItem[];
}

/** Categories in the order they are given, and their kind. */
const KINDS = {
  'system prompt': 'head',
  tools: 'head',
  'mcp tools': 'head',
  'user messages': 'messages',
  'assistant text': 'messages',
  reasoning: 'messages',
  'tool calls': 'messages',
  'tool results': 'messages',
  summaries: 'messages',
  markers: 'messages',
  notes: 'messages',
  pictures: 'messages',
  other: 'messages',
  'message overhead': 'messages',
} as const;

type Category = keyof typeof KINDS;

/** What one category, or one item of it, was counted at. */
interface Leaf {
  readonly category: Category;
  readonly item: string | undefined;
  tokens: number;
}

/** Counts by category and item. */
class Tally {
  readonly #leaves = new Map<string, Leaf>();

  add(category: Category, tokens: number, item?: string): void {
    const key = JSON.stringify([category, item]);
    const leaf = this.#leaves.get(key) ?? { category, item, tokens: 0 };
    leaf.tokens += tokens;
    this.#leaves.set(key, leaf);
  }

  get leaves(): readonly Leaf[] {
    return [...this.#leaves.values()].filter(({ tokens }) => tokens > 0);
  }
}

/** Tools of MCP servers, by the name hosts give them. */
const MCP_TOOL = /^mcp__.+?__/;

function addHead(parts: readonly HeadPart[], tally: Tally, count: Count): void {
  for (const { kind, name, text } of parts) {
    if (kind === 'system') tally.add('system prompt', count(text));
    else tally.add(MCP_TOOL.test(name ?? '') ? 'mcp tools' : 'tools', count(text), name || 'unnamed');
  }
}

const OF_USER: Readonly<Record<Part['kind'], Category>> = {
  text: 'user messages',
  call: 'tool calls',
  result: 'tool results',
  reasoning: 'reasoning',
  media: 'pictures',
  opaque: 'other',
};

function categoryOf(part: Part, { origin }: Entry): Category {
  if (origin === 'host') return 'other';
  return origin === 'model' && part.kind === 'text' ? 'assistant text' : OF_USER[part.kind];
}

/** One part as it stands in the history. */
function addPart(
  part: Part,
  entry: Entry,
  { tokens, tally, names }: { tokens: number; tally: Tally; names: Names },
): void {
  if (part.kind !== 'result') return tally.add(categoryOf(part, entry), tokens);
  const pictures = Math.min(tokens, part.mediaCount * MEDIA_TOKENS);
  tally.add('pictures', pictures);
  tally.add('tool results', tokens - pictures, names.get(part.callId) ?? 'unknown tool');
}

/** Names of the tools called so far, by the id of the call. */
type Names = Map<string, string>;

interface Walk {
  readonly history: History;
  readonly tally: Tally;
  readonly names: Names;
  readonly count: Count;
}

/** The parts of a message that stands for itself, those replaced counted as what replaces them. Returns their tokens. */
function addVerbatim(viewEntry: ViewEntry, { history, tally, names, count }: Walk): number {
  const entry = history.at(viewEntry.from);
  let sum = 0;
  entry.parts.forEach((part, index) => {
    if (part.kind === 'call') names.set(part.id, part.name);
    const patch = viewEntry.patches?.get(index);
    const tokens = patch === undefined ? tokensOfPart(entry, index) : count(patch.text) + MESSAGE_OVERHEAD_TOKENS;
    sum += tokens;
    if (patch === undefined) addPart(part, entry, { tokens, tally, names });
    else tally.add('markers', tokens, patch.layer);
  });
  for (const note of viewEntry.notes ?? []) {
    const tokens = count(note.text);
    sum += tokens;
    tally.add('notes', tokens, note.pin === undefined ? 'attached' : 'pinned');
  }
  return sum;
}

/** The pieces of a message that stands for a range. Returns their tokens. */
function addRange(range: NonNullable<ViewEntry['range']>, { history, tally, names, count }: Walk): number {
  let sum = 0;
  const pinned = new Set((range.pins ?? []).map(([piece]) => piece));
  const attached = new Set(range.notes);
  for (const [index, piece] of range.pieces.entries()) {
    if (typeof piece === 'string') {
      const tokens = count(piece);
      sum += tokens;
      if (pinned.has(index)) tally.add('notes', tokens, 'pinned');
      else if (attached.has(index)) tally.add('notes', tokens, 'attached');
      else if (range.layer === 'summary') tally.add('summaries', tokens);
      else tally.add('markers', tokens, range.layer);
      continue;
    }
    const entry = history.at(piece.entry);
    const part = entry.parts[piece.part];
    const tokens = tokensOfPart(entry, piece.part);
    sum += tokens;
    if (part !== undefined) addPart(part, entry, { tokens, tally, names });
  }
  return sum;
}

function addView(view: View, walk: Walk): void {
  for (const entry of view.entries) {
    const counted = entry.range === undefined ? addVerbatim(entry, walk) : addRange(entry.range, walk);
    walk.tally.add('message overhead', entry.tokens - counted);
  }
}

/** `weights` scaled to add up to `total` in whole tokens: rounded down, what is missing given to the largest remainders, the first of equals first. */
export function apportioned(weights: readonly number[], total: number): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight * total) / sum);
  const floors = exact.map(Math.floor);
  const missing = total - floors.reduce((all, floor) => all + floor, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, missing)) floors[index] = (floors[index] ?? 0) + 1;
  return floors;
}

function categories(leaves: readonly Leaf[], tokens: readonly number[]): readonly BreakdownCategory[] {
  return (Object.keys(KINDS) as Category[]).flatMap((name) => {
    const own = leaves.flatMap((leaf, index) => (leaf.category === name ? [{ leaf, tokens: tokens[index] ?? 0 }] : []));
    if (own.length === 0) return [];
    const items = own
      .flatMap(({ leaf, tokens: share }) => (leaf.item === undefined ? [] : [{ name: leaf.item, tokens: share }]))
      .sort((a, b) => b.tokens - a.tokens);
    const sum = own.reduce((all, { tokens: share }) => all + share, 0);
    return [{ name, kind: KINDS[name], tokens: sum, ...(items.length === own.length ? { items } : {}) }];
  });
}

export interface BreakdownInput {
  readonly parts: readonly HeadPart[];
  readonly history: History;
  readonly view: View;
  readonly count: Count;
  /** What the categories have to add up to. */
  readonly totalTokens: number;
}

/** The categories that are not empty, in a fixed order. */
export function breakdownOf({
  parts,
  history,
  view,
  count,
  totalTokens,
}: BreakdownInput): readonly BreakdownCategory[] {
  const tally = new Tally();
  addHead(parts, tally, count);
  addView(view, { history, tally, names: new Map(), count });
  const { leaves } = tally;
  const shares = apportioned(
    leaves.map(({ tokens }) => tokens),
    totalTokens,
  );
  return categories(leaves, shares);
}
