/** Recall: gets back what left the view, by an address this session's ledger issued, or by text. */
import { type Archive, contentAddress } from '../core/archive.ts';
import { isEpoch } from '../core/edit.ts';
import { exactText, type Part } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import type { History } from '../core/history.ts';
import { headOf } from '../core/layers/marker.ts';
import { readableText } from '../core/layers/part-edits.ts';
import type { Recalled, RecallHit } from '../core/recalled.ts';
import { isVerbatim } from '../core/view.ts';
import type { Session } from './session.ts';

/** Hits returned at most; the rest are counted. */
const MAX_HITS = 20;
const EXCERPT_CHARS = 160;

/**
 * A range of the history, or one part of one entry; the digest proves that the address was made over this very history. Digests of a summary name
 * many addresses and give its first four digits only.
 */
const HISTORY_ADDRESS = /^h_(\d{1,9})(?:-(\d{1,9})|\.(\d{1,6}))_([0-9a-f]{4,16})$/;

function issued(session: Session): Set<string> {
  const groups = session.ledger.groups.flatMap((group) => (isEpoch(group) ? group.edits : []));
  return new Set(groups.flatMap((edit) => edit.addresses));
}

function describe(part: Part, history: History, entry: number): string {
  if (part.kind === 'call') return `call ${part.name} ${headOf(exactText(part), EXCERPT_CHARS)}`;
  if (part.kind !== 'result') return `${history.at(entry).origin} ${part.kind}`;
  const call = callOf(history, entry, part.callId);
  return call === undefined ? 'result' : `result of ${call}`;
}

/** What a result answers: the call stands at the start of its round. */
function callOf(history: History, entry: number, callId: string): string | undefined {
  const call = history.at(history.cutBefore(entry)).parts.find((part) => part.kind === 'call' && part.id === callId);
  return call?.kind === 'call' ? `${call.name} ${headOf(exactText(call), EXCERPT_CHARS)}` : undefined;
}

/** A part as it is shown: its words, or its exact wire content where words do not tell all of it. */
function shownText(part: Part): string {
  const isWords = part.kind !== 'result' || (part.mediaCount === 0 && part.text !== '');
  return isWords ? readableText(part) : exactText(part);
}

/** A range as readable text: one block a message, each part under a line that says what it is. */
function rangeText(history: History, from: number, to: number): string {
  const blocks: string[] = [];
  for (let index = from; index < to; index += 1) {
    const { parts } = history.at(index);
    for (const part of parts)
      blocks.push(`--- message ${index}: ${describe(part, history, index)}\n${shownText(part)}`);
  }
  return blocks.join('\n');
}

/** What a history address names, or undefined where it was not made over this history. */
function historyText(address: string, history: History): string | undefined {
  const match = HISTORY_ADDRESS.exec(address);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from + 1 : Number(match[2]);
  if (from >= to || to > history.length || !history.digest(from, to).startsWith(match[4] ?? '?')) return undefined;
  if (match[3] === undefined) return rangeText(history, from, to);
  const part = history.at(from).parts[Number(match[3])];
  return part === undefined ? undefined : exactText(part);
}

function unknown(address: string): ContextError {
  return new ContextError(
    'UNKNOWN_ADDRESS',
    `"${headOf(address, 80)}" is not an address this session issued; copy one whole from a marker, or search by text`,
  );
}

export interface RecallTools {
  readonly archive: Archive;
  readonly hash: (text: string) => string;
}

/**
 * The exact original of a part; of a range, its messages as readable text. Throws `UNKNOWN_ADDRESS` for anything that is neither in the ledger nor
 * made over this very history.
 */
export async function recallAddress(session: Session, address: string, tools: RecallTools): Promise<Recalled> {
  const ranged = historyText(address, session.history);
  if (ranged !== undefined) return { kind: 'content', address, text: ranged };
  if (!issued(session).has(address)) throw unknown(address);
  const text = (await storedText(address, tools)) ?? textInHistory(session.history, address, tools);
  if (text === undefined) throw unknown(address);
  return { kind: 'content', address, text };
}

/** What the archive holds at an address, where it is what was put there; damaged, wrong or unreadable bytes are as good as lost. */
export async function storedText(address: string, { archive, hash }: RecallTools): Promise<string | undefined> {
  try {
    const text = await archive.get(address);
    return text !== undefined && contentAddress(text, hash) === address ? text : undefined;
  } catch {
    // The history has the bytes as well; only where it does not is the address unknown.
    return undefined;
  }
}

/** The archive may have lost the bytes; the history has them still. */
function textInHistory(history: History, address: string, tools: RecallTools): string | undefined {
  for (let index = 0; index < history.length; index += 1) {
    for (const part of history.at(index).parts) {
      if (part.kind !== 'result' && part.kind !== 'text') continue;
      const exact = exactText(part);
      if (contentAddress(exact, tools.hash) === address) return exact;
    }
  }
  return undefined;
}

function partAddress(history: History, entry: number, part: number): string {
  return `h_${entry}.${part}_${history.digest(entry, entry + 1)}`;
}

function excerptOf(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at) + 1, at - EXCERPT_CHARS / 2);
  const end = text.indexOf('\n', at);
  return headOf(fromWhole(text, start, end < 0 ? text.length : end), EXCERPT_CHARS);
}

/** A slice that begins with a whole character. */
function fromWhole(text: string, start: number, end: number): string {
  const code = text.charCodeAt(start);
  return text.slice(start > 0 && code >= 0xdc00 && code <= 0xdfff ? start + 1 : start, end);
}

const SEARCHED: ReadonlySet<Part['kind']> = new Set(['result', 'text', 'call']);

/** A part as a hit, where it contains `needle` or its call does. Calls and results of recall itself only repeat what is found anyway. */
function hitOf(
  place: { history: History; entry: number; part: number },
  needle: string,
  recallTool: string,
): RecallHit | undefined {
  const { history, entry } = place;
  const part = history.at(entry).parts[place.part];
  if (part === undefined || !SEARCHED.has(part.kind)) return undefined;
  const what = describe(part, history, entry);
  if (what.startsWith(`result of ${recallTool} `) || what.startsWith(`call ${recallTool} `)) return undefined;
  const text = readableText(part);
  const at = text.toLowerCase().indexOf(needle);
  if (at < 0 && !what.toLowerCase().includes(needle)) return undefined;
  return { address: partAddress(history, entry, place.part), entry, what, excerpt: excerptOf(text, Math.max(0, at)) };
}

/** Parts of the history that are not verbatim in view and contain `query`, newest first, ignoring case. */
export function recallText(session: Session, query: string, recallTool: string): Recalled {
  const { history, view } = session;
  const needle = query.toLowerCase();
  const hits: RecallHit[] = [];
  let omitted = 0;
  for (let entry = history.length - 1; entry >= 0; entry -= 1) {
    history.at(entry).parts.forEach((_, part) => {
      const hit = isVerbatim(view, { entry, part }) ? undefined : hitOf({ history, entry, part }, needle, recallTool);
      if (hit === undefined) return;
      if (hits.length === MAX_HITS) omitted += 1;
      else hits.push(hit);
    });
  }
  return { kind: 'hits', query, hits, omitted };
}
