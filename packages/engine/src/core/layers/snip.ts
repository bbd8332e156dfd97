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
import {
  carryNewestUser,
  carryNotes,
  carryUsers,
  freedByRange,
  rangeEdit,
  type RangePlan,
  type Span,
  replaceableSpans,
} from './range-edits.ts';
import { unreadRecallStart } from '../unread-recalls.ts';

/** Of `snip`; all have defaults. */
export interface SnipOptions {
  /** Messages allowed in the view. @default 50 */
  readonly maxMessages?: number;
  /** Oldest messages kept. @default 3 */
  readonly headMessages?: number;
}

/** The teaching system's numbers, messages. */
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
  const end = history.cutBefore(messages[messages.length - tail]?.from ?? history.length);
  const to = Math.min(end, unreadRecallStart(input));
  return from < to ? { from, to } : undefined;
}

interface Snipped {
  readonly edit: RangeEdit;
  readonly kept: ReadonlyMap<Address, string>;
}

type Plan = Span & Pick<RangePlan, 'pieces' | 'capped' | 'reason'> & Pick<Snipped, 'kept'>;

/** The edit of a plan, where it frees tokens and bytes. */
function snipped(plan: Plan, address: Address, input: LayerInput): readonly Snipped[] {
  const { kept } = plan;
  const carried = carryNotes(plan, input);
  const addresses = [address, ...kept.keys()];
  const edit = rangeEdit({ layer: 'snip', carried, addresses, ...plan }, input.history);
  const freed = freedByRange(edit, input.view, input);
  return freed.tokens > 0 && freed.bytes > 0 ? [{ edit, kept }] : [];
}

function snipMiddle(span: Span, input: LayerInput): readonly Snipped[] {
  const carry = carryNewestUser(span, input);
  const address = input.history.address(span.from, span.to);
  // The newest user message is carried along: it is not gone.
  const marker = snipMarker(span.to - span.from - (carry.pieces.length > 0 ? 1 : 0), address);
  const reason = `more messages than the view may hold`;
  return snipped({ reason, ...span, ...carry, pieces: [marker, ...carry.pieces] }, address, input);
}

function proposalOf(all: readonly Snipped[]): Proposal {
  return { edits: all.map(({ edit }) => edit), kept: new Map(all.flatMap(({ kept }) => [...kept])) };
}

/** A snip the host or the model asked for. */
export interface SnipRequest {
  /** Newest turns of the user kept as they are, from 1; a turn begins with a message that has the user's words. */
  readonly keepTurns: number;
}

/**
 * Everything before the newest turns becomes one marker, the user's words in it carried. A turn begins with a message that has the user's words;
 * `held` says why nothing was done.
 */
export function snipTurns(
  input: LayerInput,
  { keepTurns }: SnipRequest,
): Proposal & { readonly held: readonly string[] } {
  const { history } = input;
  const turns = history.users.length;
  const start = history.users[turns - keepTurns];
  if (start === undefined || turns <= keepTurns) {
    return { ...NOTHING, held: [`snip: the newest ${keepTurns} of ${turns} turns stay, and nothing is before them`] };
  }
  const spans = replaceableSpans({ from: 0, to: Math.min(history.cutBefore(start), unreadRecallStart(input)) }, input);
  const proposal = proposalOf(
    spans.flatMap((span) => {
      const address = history.address(span.from, span.to);
      const { pieces, kept, whole } = carryUsers(span, input, { address });
      const marker = snipMarker(span.to - span.from - whole, address);
      const reason = `all but the newest ${keepTurns} turns, as asked`;
      return snipped({ ...span, kept, reason, pieces: [marker, ...pieces] }, address, input);
    }),
  );
  return { ...proposal, held: proposal.edits.length > 0 ? [] : ['snip: it would free nothing'] };
}

/** The layer that makes one marker of the middle of a view with too many messages. */
export function snip(options: SnipOptions = {}): Layer {
  const { maxMessages, headMessages } = { ...DEFAULT_SNIP, ...options };
  const tailMessages = maxMessages - headMessages;
  return {
    name: 'snip',
    constants: () => ({ maxMessages, headMessages, tailMessages }),
    propose(input): Proposal {
      const span = middle(input, headMessages, tailMessages);
      if (span === undefined) return NOTHING;
      return proposalOf(replaceableSpans(span, input).flatMap((part) => snipMiddle(part, input)));
    },
  };
}
