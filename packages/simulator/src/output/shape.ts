/** From what a brain said to what goes on the wire: ids, deltas, and the cut at the output limit. */

import type { SimReply, SimReplyPart } from '../brain.ts';
import type { CountTokens } from '../tokens/count.ts';
import { splitDeltas, splitJson, splitWords } from './deltas.ts';

export type ShapedPart =
  | { readonly kind: 'text'; readonly deltas: readonly string[] }
  | { readonly kind: 'thinking'; readonly deltas: readonly string[] }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly deltas: readonly string[] };

/** `window` is the output limit set by what the window had left, `sequence` a stop sequence of the client. */
export type ShapedStop = 'end' | 'calls' | 'cap' | 'window' | 'refusal' | 'sequence';

export interface ShapedReply {
  readonly parts: readonly ShapedPart[];
  readonly stop: ShapedStop;
  readonly stopSequence?: string;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly thinkingTokens: number;
}

export interface ShapeOptions {
  readonly limitTokens: number;
  readonly limitStop: 'cap' | 'window';
  /** Scaled for the profile. */
  readonly countTokens: CountTokens;
  readonly nextCallId: () => string;
  readonly stopSequences: readonly string[];
}

const CALL_OVERHEAD_TOKENS = 8;

interface Progress {
  readonly options: ShapeOptions;
  leftTokens: number;
  thinkingTokens: number;
}

export function shapeReply(reply: SimReply, options: ShapeOptions): ShapedReply {
  const { parts: wanted, sequence } = cutAtSequence(reply.parts, options.stopSequences);
  const progress: Progress = { options, leftTokens: options.limitTokens, thinkingTokens: 0 };
  const parts: ShapedPart[] = [];
  let isCut = false;
  for (const part of wanted) {
    const { shaped, cut } = shapePart(part, progress);
    if (shaped !== undefined) parts.push(shaped);
    isCut = cut;
    if (cut) break;
  }
  const outputTokens = options.limitTokens - progress.leftTokens;
  const base = { parts, outputTokens, thinkingTokens: progress.thinkingTokens };
  if (isCut) return { ...base, stop: options.limitStop };
  if (sequence !== undefined) return { ...base, stop: 'sequence', stopSequence: sequence };
  return { ...base, stop: reply.stop ?? (parts.some((part) => part.kind === 'call') ? 'calls' : 'end') };
}

function shapePart(part: SimReplyPart, progress: Progress): { shaped?: ShapedPart; cut: boolean } {
  const overhead = part.kind === 'call' ? CALL_OVERHEAD_TOKENS : 0;
  if (progress.leftTokens <= overhead && (part.kind === 'call' || part.text !== '')) {
    progress.leftTokens = 0;
    return { cut: true };
  }
  progress.leftTokens -= overhead;
  const before = progress.leftTokens;
  const { deltas, cut } = takeDeltas(
    part.kind === 'call' ? splitJson(JSON.stringify(part.input)) : splitDeltas(part.text),
    progress,
  );
  if (part.kind === 'thinking') progress.thinkingTokens += before - progress.leftTokens;
  if (part.kind === 'call') {
    const id = part.id ?? progress.options.nextCallId();
    return { shaped: { kind: 'call', id, name: part.name, deltas }, cut };
  }
  if (part.kind === 'text' && deltas.length === 0) return { cut };
  return { shaped: { kind: part.kind, deltas }, cut };
}

/** Takes deltas while tokens are left; the delta that does not fit gives its first words. */
function takeDeltas(pieces: readonly string[], progress: Progress): { deltas: readonly string[]; cut: boolean } {
  const deltas: string[] = [];
  for (const delta of pieces) {
    const tokens = progress.options.countTokens(delta);
    if (tokens > progress.leftTokens) {
      const words = firstWords(delta, progress);
      if (words !== '') deltas.push(words);
      // A cut reply is billed up to the limit, as the vendors do.
      progress.leftTokens = 0;
      return { deltas, cut: true };
    }
    progress.leftTokens -= tokens;
    deltas.push(delta);
  }
  return { deltas, cut: false };
}

function firstWords(delta: string, progress: Progress): string {
  let left = progress.leftTokens;
  let text = '';
  for (const word of splitWords(delta)) {
    left -= progress.options.countTokens(word);
    if (left < 0) return text;
    text += word;
  }
  return text;
}

/** Everything after the first stop sequence in a text part is never produced. */
function cutAtSequence(
  parts: readonly SimReplyPart[],
  sequences: readonly string[],
): { parts: readonly SimReplyPart[]; sequence?: string } {
  for (const [index, part] of parts.entries()) {
    const hit = part.kind === 'text' ? firstSequence(part.text, sequences) : undefined;
    if (hit !== undefined && part.kind === 'text') {
      const head: SimReplyPart = { kind: 'text', text: part.text.slice(0, hit.at) };
      return { parts: [...parts.slice(0, index), head], sequence: hit.sequence };
    }
  }
  return { parts };
}

function firstSequence(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
  const hits = sequences
    .map((sequence) => ({ at: text.indexOf(sequence), sequence }))
    .filter((hit) => hit.at >= 0 && hit.sequence !== '');
  return hits.sort((a, b) => a.at - b.at)[0];
}
