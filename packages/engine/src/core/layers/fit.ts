/**
 * Fit, the last rung of the emergency layer: the largest parts left in view go to the archive, even unseen ones, until the view fits. Needs no
 * model. The teaching system's newer form calls it fit_tool_results.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { isUserWords, MESSAGE_OVERHEAD_TOKENS } from '../entry.ts';
import { scaled } from '../window.ts';
import type { LayerInput, Proposal } from './layer.ts';
import { cappedText, persistedMarker } from './marker.ts';
import { planPart } from './part-edits.ts';
import { USER_SHARE } from './range-edits.ts';

/** Characters of the preview `fit` leaves, at a 200,000-token window (the newer teaching code's number). */
export const FIT_PREVIEW_CHARS = 1_000;

/** The least that stays of a user's text, characters: head and tail enough to know it by. */
const MIN_KEPT_CHARS = 80;

/** What the marker between head and tail takes, tokens, with room for an estimate that is a little off. */
const MARKER_TOKENS = 48;

export interface FitTarget {
  readonly maxTokens: number;
  readonly maxBytes: number;
  /** True where the provider named its limit: a request over it is not worth sending. */
  readonly isHard: boolean;
}

/** In the order they are shortened: results and the model's words, older words of the user, the user's newest. */
const RANK = { other: 0, user: 1, newest: 2 } as const;

interface Candidate {
  readonly at: number;
  readonly part: number;
  /** Tokens of what stands in view, which an earlier edit may have shortened. */
  readonly size: number;
  /** Tokens of the part itself. */
  readonly whole: number;
  readonly rank: (typeof RANK)[keyof typeof RANK];
}

/** Parts that may be shortened, the largest of each rank first. */
function candidates(input: LayerInput): readonly Candidate[] {
  const { history, view } = input;
  const found: Candidate[] = [];
  for (const entry of view.entries) {
    if (entry.range !== undefined) continue;
    const source = history.at(entry.from);
    source.parts.forEach((part, index) => {
      const patch = entry.patches?.get(index);
      if (patch?.layer === 'repair' || (part.kind !== 'result' && part.kind !== 'text')) return;
      const isUser = source.origin === 'user' && isUserWords(part);
      const userRank = entry.from === history.newestUser ? RANK.newest : RANK.user;
      const rank = isUser ? userRank : RANK.other;
      const whole = source.partTokens[index] ?? 0;
      found.push({
        at: entry.from,
        part: index,
        size: patch === undefined ? whole : input.count(patch.text),
        whole,
        rank,
      });
    });
  }
  return found.sort((a, b) => a.rank - b.rank || b.size - a.size);
}

/** The user's newest words stay whole up to half of what fits, unless nothing else is left to give before a hard limit. */
function maySpare(candidate: Candidate, target: FitTarget): boolean {
  return candidate.rank !== RANK.newest || target.isHard || candidate.size > target.maxTokens * USER_SHARE;
}

/** Characters of a user's text that may stay: what is missing goes, and no more. */
function keptChars(text: string, { size, whole }: Candidate, excess: number): number {
  const keptTokens = size - excess - MARKER_TOKENS;
  return Math.max(MIN_KEPT_CHARS, Math.floor((text.length * keptTokens) / Math.max(1, whole)));
}

export interface Fitted extends Proposal {
  readonly tokens: number;
  readonly bytes: number;
}

/** Edits that bring the view under `target` where that is possible; `tokens` and `bytes` say what is reached. */
export function fit(input: LayerInput, target: FitTarget): Fitted {
  const { count, window } = input;
  const preview = scaled(FIT_PREVIEW_CHARS, window.windowTokens);
  let { tokens, bytes } = input.view;
  const edits: PartEdit[] = [];
  const kept = new Map<Address, string>();
  for (const candidate of candidates(input)) {
    if (tokens <= target.maxTokens && bytes <= target.maxBytes) break;
    if (!maySpare(candidate, target)) continue;
    const excess = Math.max(
      tokens - target.maxTokens,
      ((bytes - target.maxBytes) * candidate.size) / Math.max(1, bytes),
    );
    const shorten = (text: string, address: Address): string =>
      candidate.rank === RANK.other
        ? persistedMarker(text, address, preview)
        : cappedText(text, address, keptChars(text, candidate, excess));
    const planned = planPart({ ...candidate, layer: 'fit', reason: 'the request has to fit', text: shorten }, input);
    if (planned === undefined) continue;
    edits.push(planned.edit);
    kept.set(planned.address, planned.exact);
    tokens -= candidate.size - count(planned.edit.text) - MESSAGE_OVERHEAD_TOKENS;
    bytes -= planned.exact.length - planned.edit.text.length;
  }
  return { edits, kept, tokens, bytes };
}
