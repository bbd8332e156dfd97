/** A turn: one request and its settlement. Nothing it decided is in force before `accept`; a turn that is never settled changes nothing. */
import type { Address } from '../core/archive.ts';
import type { Head } from '../core/codec.ts';
import type { Wire } from '../core/entry.ts';
import type { Cause, Group } from '../core/edit.ts';
import type { Note } from '../core/layers/attach.ts';
import type { SnipRequest } from '../core/layers/snip.ts';
import type { Receipt } from '../core/receipt.ts';
import type { Moment } from '../core/schedule/economy.ts';
import type { Step } from '../core/step-parts.ts';
import type { View } from '../core/view.ts';
import type { ManualRequest } from './session.ts';

/** One request and its settlement: call exactly one of `accept`, `keep`, `fail`, `cut`, or drop it. */
export interface Turn<Request, Reply> {
  readonly id: string;
  /** Ready to be sent. Send it as it is: its bytes are what the receipt and the meter speak of. */
  readonly request: Request;
  readonly receipt: Receipt;
  /**
   * Takes in the reply: appends it to the history, calibrates the meter, puts the turn's edits in force. Resolves to the receipt with
   * usage. An interrupted reply is accepted as far as it came; leave calls out whose input is not whole. Throws `TURN_SETTLED` the
   * second time, or after a newer turn.
   */
  accept(reply: Reply): Promise<Receipt>;
  /**
   * Puts the turn's edits in force without sending it, as for a compaction between two turns. History, meter and what was sent last stay; the
   * request of `compact` it carried out is done with. Settles the turn as `accept` does, and throws `TURN_SETTLED` as it does.
   */
  keep(): Promise<Receipt>;
  /**
   * Takes in the provider's error. Resolves to a smaller turn after an overflow, or to undefined where the error is not about size:
   * nothing changed then, handle it and prepare again. Throws `WINDOW_EXHAUSTED` when nothing smaller can be sent, `THRASHING` when
   * overflows follow each other too closely.
   */
  fail(error: unknown): Promise<Turn<Request, Reply> | undefined>;
  /**
   * Takes in a reply the provider cut because the window was full (`stop` of the codec says `window`), for hosts that would rather
   * ask again than go on from half a reply: drops it and resolves to a smaller turn. Throws as `fail` does.
   */
  cut(reply: Reply): Promise<Turn<Request, Reply>>;
}

/** What a turn would commit. */
export interface Draft {
  readonly id: string;
  /** What events about it carry. */
  readonly ids: { readonly sessionId: string; readonly turnId: string; readonly epochId?: number };
  readonly head: Head;
  readonly request: object;
  /** The request as the caller gave it, for the retry. */
  readonly original: object;
  readonly view: View;
  readonly messages: readonly Wire[];
  readonly groups: readonly Group[];
  readonly receipt: Receipt;
  /** Bare estimate of the whole request, tokens. */
  readonly estimatedTokens: number;
  /** When it was made, for which model, at which prices. */
  readonly moment: Moment;
  /** The request of `compact` this turn carries out; done with when it is accepted or kept. */
  readonly manual: ManualRequest | undefined;
  /** The request of `snip` it carries out; done with in the same way. */
  readonly snip: SnipRequest | undefined;
  /** Texts it attached. */
  readonly notes: readonly Note[];
  /** 0 for the first request, then the number of the retry. */
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
}

export interface GroupOptions {
  readonly step: Step;
  readonly nextSeq: number;
  readonly historyLength: number;
  /** Entries the model was sent before: a part edit behind them is on arrival. */
  readonly sentLength: number;
  readonly cause: Cause;
}

/** The groups of a step: repairs, notes, what was shaped on arrival, and the epoch. Notes are a group of their own, which `undo` steps over. */
export function groupsOf({ step, nextSeq, historyLength, sentLength, cause }: GroupOptions): readonly Group[] {
  if (step.edits.length === 0) return [];
  const repairs = step.edits.filter((edit) => edit.layer === 'repair');
  const notes = step.edits.filter((edit) => edit.kind === 'note');
  const arrivals = step.edits.filter(
    (edit) => (edit.layer === 'budget' || edit.layer === 'arrival') && edit.kind === 'part' && edit.at >= sentLength,
  );
  const rest = step.edits.filter((edit) => ![repairs, notes, arrivals].some((part) => part.includes(edit)));
  const parts = [
    { cause: 'repair' as const, edits: repairs },
    { cause: 'arrival' as const, edits: notes },
    { cause: 'arrival' as const, edits: arrivals },
    { cause, edits: rest },
  ];
  return parts
    .filter(({ edits }) => edits.length > 0)
    .map((part, index) => ({ seq: nextSeq + index, at: historyLength, ...part }));
}

export function archivedBytes(kept: ReadonlyMap<Address, string>): number {
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const text of kept.values()) bytes += encoder.encode(text).length;
  return bytes;
}
