/** Recall: gets back what left the view, by an address this session's ledger issued, or by what is looked for in it. */
import { type Archive, contentAddress } from '../core/archive.ts';
import { isEpoch } from '../core/edit.ts';
import { exactText, type Part } from '../core/entry.ts';
import { ContextError } from '../core/errors.ts';
import type { History, Place } from '../core/history.ts';
import { headOf } from '../core/layers/marker.ts';
import { readableText } from '../core/layers/part-edits.ts';
import { hitHeader, type Recalled, type RecallHit, type SearchFilters } from '../core/recalled.ts';
import { excerptOf } from '../core/search/excerpt.ts';
import { readQuery, typedQuery } from '../core/search/query.ts';
import { search } from '../core/search/search.ts';
import type { Selection } from '../core/search/select.ts';
import { callText, type SourceTools, sourcesOf } from '../core/search/sources.ts';
import { bareLine } from '../core/search/weigh.ts';
import { type Count, isVerbatim } from '../core/view.ts';
import type { Session } from './session.ts';

const DEFAULT_MAX_HITS = 5;
const MOST_HITS = 20;
const DEFAULT_MAX_TOKENS = 2_000;
const LEAST_TOKENS = 50;

/** Of the call or the speaker, in a hit's header. */
const DESCRIBED_CHARS = 160;

/**
 * A range of the history, or one part of one entry; the digest proves that the address was made over this very history. Digests of a summary name
 * many addresses and give its first four digits only.
 */
const HISTORY_ADDRESS = /^h_(\d{1,9})(?:-(\d{1,9})|\.(\d{1,6}))_([0-9a-f]{4,16})$/;

function issued(session: Session): Set<string> {
  const groups = session.ledger.groups.flatMap((group) => (isEpoch(group) ? group.edits : []));
  return new Set(groups.flatMap((edit) => edit.addresses));
}

/** `clean` goes over the whole before it is cut: half a secret is not recognised as one. */
function describe(history: History, { entry, part: index }: Place, clean = (text: string): string => text): string {
  const part = history.at(entry).parts[index];
  if (part?.kind === 'call') return `call ${part.name} ${headOf(clean(exactText(part)), DESCRIBED_CHARS)}`;
  if (part?.kind !== 'result') return `${history.at(entry).origin} ${part?.kind ?? 'part'}`;
  // The call it answers stands at the start of its round.
  const { parts } = history.at(history.cutBefore(entry));
  const call = parts.find((other) => other.kind === 'call' && other.id === part.callId);
  return call?.kind === 'call' ? `result of ${call.name} ${headOf(clean(exactText(call)), DESCRIBED_CHARS)}` : 'result';
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
    parts.forEach((part, at) =>
      blocks.push(`--- message ${index}: ${describe(history, { entry: index, part: at })}\n${shownText(part)}`),
    );
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

export interface SearchPort extends SourceTools {
  readonly count: Count;
  /** Takes secrets out of what is shown. */
  readonly redact: (text: string) => string;
}

function wholeFrom(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ContextError(
    'INVALID_OPTION',
    `${name} must be a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}, got ${String(value)}`,
  );
}

/** Parts of the history that are not verbatim in view and answer `query`, best first. Throws `INVALID_OPTION`. */
export function recallText(
  session: Session,
  { query, filters = {} }: { readonly query: string; readonly filters?: SearchFilters | undefined },
  port: SearchPort,
): Recalled {
  const { history, view, meter } = session;
  const typed = typedQuery(query);
  const narrowed = { ...typed.filters, ...filters };
  const asked = typed.text === '' ? (narrowed.path ?? '') : typed.text;
  const maxHits = wholeFrom('maxHits', filters.maxHits ?? DEFAULT_MAX_HITS, [1, MOST_HITS]);
  const maxTokens = wholeFrom('maxTokens', filters.maxTokens ?? DEFAULT_MAX_TOKENS, [
    LEAST_TOKENS,
    Number.MAX_SAFE_INTEGER,
  ]);
  const count = (text: string): number => Math.ceil(port.count(text) * Math.max(1, meter.ratio));
  const show = (selection: Selection): RecallHit => hitOf(selection, history, { asked, redact: port.redact });
  let seen: ReadonlySet<string> | undefined;
  const { selections, omitted } = search(
    asked,
    sourcesOf(history, port).filter(({ place }) => !isVerbatim(view, place)),
    {
      ...narrowed,
      maxHits,
      maxTokens,
      count,
      isSeen: (line) => (seen ??= seenLines(session)).has(line),
      redact: port.redact,
      headerTokens: (source) => count(hitHeader(show({ source, lines: [''], shown: [0] }))) + HEADER_MARGIN_TOKENS,
    },
  );
  return { kind: 'hits', query, hits: selections.map(show), omitted };
}

/** Every line that stands in view, without its margin. */
function seenLines({ history, view }: Session): ReadonlySet<string> {
  const texts = view.entries.flatMap((entry): readonly string[] => {
    const edits = [...(entry.patches?.values() ?? []), ...(entry.notes ?? [])].map(({ text }) => text);
    if (entry.range !== undefined) return entry.range.pieces.filter((piece) => typeof piece === 'string');
    const parts = history.at(entry.from).parts.filter((_, part) => entry.patches?.has(part) !== true);
    return [...edits, ...parts.map((part) => (part.kind === 'call' ? callText(part.input) : readableText(part)))];
  });
  return new Set(texts.flatMap((text) => text.split('\n').map(bareLine)));
}

/** Room for ranges of lines, and for the blank line between hits. */
const HEADER_MARGIN_TOKENS = 24;

/** Whether the original is a text: then lines and characters of what is shown are those of the original. */
function isPlain(part: Part): boolean {
  return part.kind === 'text' || (part.kind === 'result' && typeof part.content === 'string');
}

function hitOf(
  selection: Selection,
  history: History,
  { asked, redact }: { readonly asked: string; readonly redact: (text: string) => string },
): RecallHit {
  const { place, text, kind, tool, paths } = selection.source;
  const { entry, part: index } = place;
  // Of a change the file: the new text's first words would only repeat what the excerpt may show.
  const what = kind === 'change' ? `call ${tool} ${headOf(redact(paths.join(', ')), DESCRIBED_CHARS)}` : undefined;
  const part = history.at(entry).parts[index];
  const { offset, ranges, lineCount, text: excerpt } = excerptOf(selection, readQuery(asked).phrase);
  return {
    address: `h_${entry}.${index}_${history.digest(entry, entry + 1)}`,
    entry,
    what: what ?? describe(history, place, redact),
    excerpt,
    ranges,
    lineCount,
    ...(part !== undefined && isPlain(part) && exactText(part) === text ? { offset } : {}),
  };
}
