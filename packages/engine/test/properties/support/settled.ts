/** Invariants of an accepted turn. */
import { contentAddress } from '../../../src/core/archive.ts';
import type { Codec } from '../../../src/core/codec.ts';
import { type Group, isEpoch, isNotes, type PartEdit, type RangeEdit } from '../../../src/core/edit.ts';
import type { Wire } from '../../../src/core/entry.ts';
import type { History } from '../../../src/core/history.ts';
import { applyEdits, type Count, project, type View, type ViewEntry } from '../../../src/core/view.ts';
import type { Recalled } from '../../../src/hub/recall.ts';
import type { Turn } from '../../../src/hub/turn.ts';
import { expectThat, jsonSize, render } from './checks.ts';

export interface Settled {
  readonly turn: Turn<object, object>;
  readonly codec: Codec;
  readonly count: Count;
  /** What the turn was made over: without its reply. */
  readonly history: History;
  readonly view: View;
  readonly groupsBefore: readonly Group[];
  readonly groups: readonly Group[];
  readonly windowTokens: number;
}

type Fields = Readonly<Record<string, unknown>>;

function blocksOf(message: Wire): readonly Fields[] {
  const { content } = message as { content?: unknown };
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly Fields[]) : [];
}

/** The user's own words and pictures in a message: not results of tools. */
function ownBlocks(message: Wire): readonly Fields[] {
  if ((message as Fields)['role'] !== 'user') return [];
  return blocksOf(message).filter(
    (block) => block['type'] !== 'tool_result' && !(block['type'] === 'text' && String(block['text']).trim() === ''),
  );
}

export function newestUserIndex(messages: readonly Wire[]): number {
  return messages.findLastIndex((message) => ownBlocks(message).length > 0);
}

export function checkUntouched(sent: object, asked: object, format: string): void {
  const one = sent as Fields;
  const other = asked as Fields;
  const keys = Object.keys(other).filter((key) => key !== 'messages');
  for (const key of keys) {
    const strip = (value: unknown): string =>
      JSON.stringify(value).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    const isText = key === 'system' && typeof other[key] === 'string' && typeof one[key] !== 'string';
    const given = isText ? JSON.stringify((one[key] as readonly Fields[])[0]?.['text']) : strip(one[key]);
    expectThat(given === strip(other[key]), 'system, tools and settings are untouched', () => `${key}: ${given}`);
  }
  if (format === 'anthropic') return;
  const system = (other['messages'] as readonly Wire[])[0];
  expectThat(
    JSON.stringify((one['messages'] as readonly Wire[])[0]) === JSON.stringify(system),
    'system, tools and settings are untouched',
  );
}

/** Size on the wire. */
function wireBytes(view: View, { history, codec }: Settled): number {
  return render(view, history, codec).reduce((sum, message) => sum + jsonSize(message), 0);
}

/** Every epoch frees tokens and bytes, and so does every edit of it by itself. */
export function checkProgress(settled: Settled): void {
  const { groups, groupsBefore, history, count } = settled;
  const added = groups.slice(groupsBefore.length);
  let standing = [...groupsBefore, ...added.filter((group) => group.cause === 'repair')];
  let before = project(history, standing, count);
  for (const group of added) {
    if (!isEpoch(group) || group.cause === 'repair') continue;
    standing = [...standing, group];
    const after = project(history, standing, count);
    if (isNotes(group)) {
      before = after;
      continue;
    }
    const name = (): string =>
      `epoch ${group.seq} (${group.cause}, ${group.edits.map((edit) => edit.layer).join()}): ${before.tokens} to ${after.tokens} tokens, ${wireBytes(before, settled)} to ${wireBytes(after, settled)} bytes`;
    expectThat(
      after.tokens < before.tokens && wireBytes(after, settled) < wireBytes(before, settled),
      'an accepted epoch frees tokens and bytes',
      name,
    );
    for (const edit of group.edits) {
      const alone = applyEdits(before, [edit], { history, count });
      expectThat(
        alone.tokens < before.tokens,
        'every edit frees tokens by itself',
        () => `${name()}; ${JSON.stringify(edit).slice(0, 400)}: ${before.tokens} to ${alone.tokens}`,
      );
    }
    before = after;
  }
}

/** Why the newest user message may stand cut: it takes over half the window, or a refused request left nothing else to give. */
function mayBeCut(settled: Settled, place: { entry: ViewEntry | undefined; index: number; part: number }): boolean {
  const { history, windowTokens, groups } = settled;
  const { entry, index, part } = place;
  const { tokens } = history.at(index);
  const patch = entry?.patches?.get(part);
  const edit = entry?.range ?? patch;
  const isForced = groups.some((group) => group.cause === 'overflow' && group.edits.some((one) => one === edit));
  if (entry?.range !== undefined) return entry.range.capped === index && (tokens > windowTokens / 2 || isForced);
  return patch?.layer === 'fit' && (tokens > windowTokens / 4 || isForced);
}

/** The newest user message is there word for word, or its head, tail and address where it takes over half the window. */
export function checkNewestUser(settled: Settled, sent: readonly Wire[]): void {
  const { history, view } = settled;
  const messages = Array.from({ length: history.length }, (_, index) => history.at(index).message);
  const index = newestUserIndex(messages);
  const source = messages[index];
  const entry = view.entries.find((candidate) => candidate.from <= index && index < candidate.to);
  if (source === undefined || entry?.range?.layer === 'repair') return;
  const present = sent
    .flatMap((message) => ((message as Fields)['role'] === 'user' ? blocksOf(message) : []))
    .map((block) => JSON.stringify(withoutCache(block)));
  const blocks = blocksOf(source);
  const own = ownBlocks({ ...source, content: blocks });
  blocks.forEach((block, part) => {
    if (!own.includes(block) || entry?.patches?.get(part)?.layer === 'repair') return;
    if (present.includes(JSON.stringify(withoutCache(block)))) return;
    const words = String(block['text'] ?? '');
    const head = JSON.stringify(words.slice(0, 20)).slice(1, -1);
    const isNamed = present.some((text) => text.includes(head) && text.includes('recall: '));
    expectThat(
      mayBeCut(settled, { entry, index, part }) && isNamed,
      'the newest user message is verbatim, or capped with its address',
      () => `message ${index} part ${part} (${words.length} characters): ${JSON.stringify(entry).slice(0, 600)}`,
    );
  });
}

function withoutCache(block: Fields): Fields {
  const { cache_control: _, ...rest } = block;
  return rest;
}

/** Every text a person could read in a message, wherever it stands. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]): readonly string[] => {
    if (typeof member === 'string') return key === 'text' || key === 'content' ? [member] : [];
    return key === 'content' || Array.isArray(value) ? textsOf(member) : [];
  });
}

/** What a result or text was, byte for byte, read off the wire message. */
function exactPart(message: Wire, part: number): string | undefined {
  const fields = message as Fields;
  const asText = (content: unknown = ''): string => (typeof content === 'string' ? content : JSON.stringify(content));
  if (fields['role'] === 'tool') return asText(fields['content']);
  const block = blocksOf(message)[part];
  if (block?.['type'] === 'text') return String(block['text']);
  return block?.['type'] === 'tool_result' ? asText(block['content']) : undefined;
}

function checkPartText(edit: PartEdit, recalled: { address: string; text: string }, history: History): void {
  const { address, text } = recalled;
  const exact = exactPart(history.at(edit.at).message, edit.part);
  expectThat(
    exact === undefined || text === exact,
    'an address redeems to the exact original',
    () => `${address}: ${JSON.stringify(text).slice(0, 200)} for ${JSON.stringify(exact).slice(0, 200)}`,
  );
  expectThat(edit.text.includes(address), 'a marker names its address', () => edit.text.slice(0, 200));
}

function checkRangeText(edit: RangeEdit, recalled: { address: string; text: string }, history: History): void {
  const { address, text } = recalled;
  const entries = Array.from({ length: edit.to - edit.from }, (_, index) => edit.from + index);
  const parts = entries.flatMap((at) => textsOf(history.at(at).message));
  const lost = parts.find((part) => !text.includes(part) && !text.includes(JSON.stringify(part).slice(1, -1)));
  expectThat(lost === undefined, 'an address redeems to the exact original', () => `${address} lacks ${lost}`);
}

type RecallFn = (address: string) => Promise<Recalled>;

/** Every address the new edits put into the view redeems to the exact original. */
export async function checkRecall(settled: Settled, recall: RecallFn, hash: (text: string) => string): Promise<void> {
  const { groups, groupsBefore, history } = settled;
  const added = groups.slice(groupsBefore.length).flatMap((group) => (isEpoch(group) ? group.edits : []));
  for (const { edit, address } of added.flatMap((edit) => edit.addresses.map((address) => ({ edit, address })))) {
    const recalled = await recall(address);
    expectThat(recalled.kind === 'content', 'an address redeems', () => address);
    const isContent = address.startsWith('c_');
    const isOwn = !isContent || contentAddress(recalled.text, hash) === address;
    expectThat(isOwn, 'an address redeems to its own bytes', () => address);
    if (edit.kind === 'part') checkPartText(edit, recalled, history);
    else if (edit.kind === 'range' && !isContent) checkRangeText(edit, recalled, history);
  }
}
