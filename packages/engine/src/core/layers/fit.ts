/**
 * Fit, the last rung of the emergency layer: the largest parts left in view go to the archive, even unseen ones, until the view fits. Needs no
 * model. The teaching system's newer form calls it fit_tool_results.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { exactText, isUserWords, MESSAGE_OVERHEAD_TOKENS, type Part, tokensOfPart } from '../entry.ts';
import type { ViewEntry } from '../view.ts';
import { scaled } from '../window.ts';
import type { LayerInput, Proposal } from './layer.ts';
import { cappedText, mediaMarker, persistedMarker } from './marker.ts';
import { type PartPlan, picturesIn, planPart } from './part-edits.ts';
import { USER_SHARE } from './range-edits.ts';
import { isUnreadRecall } from '../unread-recalls.ts';

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

/** In the order they are shortened: results and the model's words, what was just recalled, older words of the user, the user's newest. */
const RANK = { other: 0, recalled: 1, user: 2, newest: 3 } as const;

interface Candidate {
  readonly at: number;
  readonly part: number;
  /** Tokens of what stands in view, which an earlier edit may have shortened. */
  readonly size: number;
  /** Tokens of the part itself. */
  readonly whole: number;
  readonly rank: (typeof RANK)[keyof typeof RANK];
  /** What decides which of a rank goes first: bytes where bytes are what is too much, tokens otherwise. */
  readonly weight: number;
}

const SHORTENED: ReadonlySet<Part['kind']> = new Set(['result', 'text', 'media']);

function rankOf({ from }: ViewEntry, index: number, input: LayerInput): Candidate['rank'] {
  const { history } = input;
  const { origin, parts } = history.at(from);
  const part = parts[index];
  if (isUnreadRecall({ entry: from, part: index }, input)) return RANK.recalled;
  if (origin !== 'user' || part === undefined || !isUserWords(part)) return RANK.other;
  return from === history.newestUser ? RANK.newest : RANK.user;
}

/** Parts that may be shortened, the heaviest of each rank first. */
function candidates(input: LayerInput, isBytes: boolean): readonly Candidate[] {
  const { history, view, count } = input;
  const found: Candidate[] = [];
  for (const entry of view.entries) {
    if (entry.range !== undefined) continue;
    const source = history.at(entry.from);
    source.parts.forEach((part, index) => {
      const patch = entry.patches?.get(index);
      if (patch?.layer === 'repair' || !SHORTENED.has(part.kind)) return;
      const whole = tokensOfPart(source, index);
      const size = patch === undefined ? whole : count(patch.text);
      const weight = isBytes ? (patch?.text ?? exactText(part)).length : size;
      found.push({ at: entry.from, part: index, size, whole, rank: rankOf(entry, index, input), weight });
    });
  }
  return found.sort((a, b) => a.rank - b.rank || b.weight - a.weight);
}

/** The user's newest words stay whole up to half of the window, unless nothing else is left to give before a hard limit. */
function maySpare(candidate: Candidate, target: FitTarget, windowTokens: number): boolean {
  return candidate.rank !== RANK.newest || target.isHard || candidate.size > windowTokens * USER_SHARE;
}

/** Characters of a user's text that may stay: what is missing goes, and no more. */
function keptChars(text: string, { size, whole }: Candidate, excess: number): number {
  const keptTokens = size - excess - MARKER_TOKENS;
  return Math.max(MIN_KEPT_CHARS, Math.floor((text.length * keptTokens) / Math.max(1, whole)));
}

/** The text in a candidate's place. */
function shortened(candidate: Candidate, input: LayerInput, excess: number): PartPlan['text'] {
  const preview = scaled(FIT_PREVIEW_CHARS, input.window.windowTokens);
  return (text, address, part) => {
    if (part.kind === 'media') return mediaMarker(part.mediaType, address);
    if (candidate.rank >= RANK.user) return cappedText(text, address, keptChars(text, candidate, excess));
    return persistedMarker({ text, pictures: picturesIn(part) }, address, preview);
  };
}

/** Edits that bring the view under `target` where that is possible. */
export function fit(input: LayerInput, target: FitTarget): Proposal {
  let { tokens, bytes } = input.view;
  const edits: PartEdit[] = [];
  const kept = new Map<Address, string>();
  for (const candidate of candidates(input, Number.isFinite(target.maxBytes))) {
    if (tokens <= target.maxTokens && bytes <= target.maxBytes) break;
    if (!maySpare(candidate, target, input.window.windowTokens)) continue;
    const share = ((bytes - target.maxBytes) * candidate.size) / Math.max(1, bytes);
    const text = shortened(candidate, input, Math.max(tokens - target.maxTokens, share));
    const planned = planPart({ ...candidate, layer: 'fit', reason: 'the request has to fit', text }, input);
    if (planned === undefined) continue;
    edits.push(planned.edit);
    kept.set(planned.address, planned.exact);
    tokens -= candidate.size - input.count(planned.edit.text) - MESSAGE_OVERHEAD_TOKENS;
    bytes -= planned.exact.length - planned.edit.text.length;
  }
  return { edits, kept };
}
