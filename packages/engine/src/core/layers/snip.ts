/**
 * Snip (L1 of the teaching system): over N messages, the head and the tail stay and the middle becomes one marker. No round is parted. The
 * promise kept is "first 3, last 47, one marker with the true total": the rule as written would cut again on its own
 * result and count a marker as a message.
 */
import type { Address } from '../archive.ts';
import type { RangeEdit } from '../edit.ts';
import type { ViewEntry } from '../view.ts';
import type { Layer, LayerInput, Proposal } from './layer.ts';
import { NOTHING } from './layer.ts';
import { snipMarker } from './marker.ts';
import { carryNewestUser, carryNotes, freedByRange, rangeEdit, type Span, replaceableSpans } from './range-edits.ts';

export interface SnipOptions {
  /** Messages allowed in the view. @default 50 */
  readonly maxMessages?: number;
  /** Oldest messages kept. @default 3 */
  readonly headMessages?: number;
}

export const DEFAULT_SNIP: Required<SnipOptions> = { maxMessages: 50, headMessages: 3 };

function isSnipMarker(entry: ViewEntry): boolean {
  return entry.range?.layer === 'snip';
}

/** The span between head and tail, widened to the borders of rounds, or undefined. */
function middle(input: LayerInput, head: number, tail: number): Span | undefined {
  const { history, view } = input;
  const messages = view.entries.filter((entry) => !isSnipMarker(entry));
  if (messages.length <= head + tail) return undefined;
  const from = history.cutAfter(messages[head - 1]?.to ?? 0);
  const to = history.cutBefore(messages[messages.length - tail]?.from ?? history.length);
  return from < to ? { from, to } : undefined;
}

function snipSpan(span: Span, input: LayerInput): { edit: RangeEdit; kept: ReadonlyMap<Address, string> } | undefined {
  const { history } = input;
  const carry = carryNewestUser(span, input);
  const address = history.address(span.from, span.to);
  const edit = rangeEdit(
    {
      ...span,
      layer: 'snip',
      reason: `more messages than the view may hold`,
      // The newest user message is carried along: it is not gone.
      pieces: [snipMarker(span.to - span.from - (carry.pieces.length > 0 ? 1 : 0), address), ...carry.pieces],
      capped: carry.capped,
      carried: carryNotes(span, input),
      addresses: [address, ...carry.kept.keys()],
    },
    history,
  );
  const freed = freedByRange(edit, input.view, input);
  return freed.tokens > 0 && freed.bytes > 0 ? { edit, kept: carry.kept } : undefined;
}

export function snip(options: SnipOptions = {}): Layer {
  const { maxMessages, headMessages } = { ...DEFAULT_SNIP, ...options };
  const tailMessages = maxMessages - headMessages;
  return {
    name: 'snip',
    constants: () => ({ maxMessages, headMessages, tailMessages }),
    propose(input): Proposal {
      const span = middle(input, headMessages, tailMessages);
      if (span === undefined) return NOTHING;
      const snipped = replaceableSpans(span, input).flatMap((part) => snipSpan(part, input) ?? []);
      return {
        edits: snipped.map(({ edit }) => edit),
        kept: new Map(snipped.flatMap(({ kept }) => [...kept])),
      };
    },
  };
}
