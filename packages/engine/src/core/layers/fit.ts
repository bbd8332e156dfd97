/**
 * Fit, the last rung of the emergency layer: the largest parts left in view go to the archive, even unseen ones, until the view fits. Needs no
 * model. The teaching system's newer form calls it fit_tool_results.
 */
import type { Address } from '../archive.ts';
import type { PartEdit } from '../edit.ts';
import { isUserWords } from '../entry.ts';
import { scaled } from '../window.ts';
import type { LayerInput, Proposal } from './layer.ts';
import { cappedText, persistedMarker } from './marker.ts';
import { planPart } from './part-edits.ts';

/** Characters of the preview `fit` leaves, at a 200,000-token window (the newer teaching code's number). */
export const FIT_PREVIEW_CHARS = 1_000;

export interface FitTarget {
  readonly maxTokens: number;
  readonly maxBytes: number;
}

interface Candidate {
  readonly at: number;
  readonly part: number;
  readonly size: number;
  readonly isUser: boolean;
}

/** Parts that may be shortened: results first, the newest user message's words last of all. */
function candidates(input: LayerInput): readonly Candidate[] {
  const { history, view } = input;
  const found: Candidate[] = [];
  for (const entry of view.entries) {
    if (entry.range !== undefined) continue;
    const source = history.at(entry.from);
    source.parts.forEach((part, index) => {
      if (entry.patches?.get(index)?.layer === 'repair' || (part.kind !== 'result' && part.kind !== 'text')) return;
      const isUser = source.origin === 'user' && isUserWords(part);
      found.push({ at: entry.from, part: index, size: source.partTokens[index] ?? 0, isUser });
    });
  }
  return found.sort((a, b) => Number(a.isUser) - Number(b.isUser) || b.size - a.size);
}

export interface Fitted extends Proposal {
  readonly tokens: number;
  readonly bytes: number;
}

/** Edits that bring the view under `target` where that is possible; `tokens` and `bytes` say what is reached. */
export function fit(input: LayerInput, target: FitTarget): Fitted {
  const { history, count, window } = input;
  let { tokens, bytes } = input.view;
  const edits: PartEdit[] = [];
  const kept = new Map<Address, string>();
  for (const candidate of candidates(input)) {
    if (tokens <= target.maxTokens && bytes <= target.maxBytes) break;
    const preview = scaled(FIT_PREVIEW_CHARS, window.windowTokens);
    const planned = planPart(
      {
        ...candidate,
        layer: 'fit',
        reason: 'the request has to fit',
        text: (text, address) =>
          candidate.isUser ? cappedText(text, address, 4 * preview) : persistedMarker(text, address, preview),
      },
      input,
    );
    if (planned === undefined) continue;
    edits.push(planned.edit);
    kept.set(planned.address, planned.exact);
    tokens -= (history.at(candidate.at).partTokens[candidate.part] ?? 0) - count(planned.edit.text);
    bytes -= planned.exact.length - planned.edit.text.length;
  }
  return { edits, kept, tokens, bytes };
}
