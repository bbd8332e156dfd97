/** The user's pins. They go to the ledger at once, also while a turn is open: whoever closes the session then has them in its log. */
import type { Pinning, Unpinning } from '../core/edit.ts';
import { ContextError } from '../core/errors.ts';
import { pinCap } from '../core/layers/attach.ts';
import { USER_SHARE } from '../core/layers/range-edits.ts';
import type { Count } from '../core/view.ts';
import type { Session } from './session.ts';

/** A text to pin or attach says something. */
export function requireWords(what: string, text: string): void {
  if (text.trim() === '') throw new ContextError('INVALID_OPTION', `${what} takes a text, and this one is empty`);
}

export interface PinTools {
  readonly count: Count;
  /** Undefined where the model, and with it the window, is not known yet. */
  readonly windowTokens: number | undefined;
}

/** The group that pins `text`, or the id of the live pin that has it already. */
export function pinning(session: Session, text: string, tools: PinTools): Pinning | number {
  requireWords('pin', text);
  const { ledger, history } = session;
  const known = ledger.pins.find((pin) => pin.text === text);
  if (known !== undefined) return known.id;
  requireRoom(session, text, tools);
  return { seq: ledger.nextSeq, at: history.length, cause: 'pin', id: idFor(session, text), text };
}

export function unpinning({ ledger, history }: Session, id: number): Unpinning | undefined {
  const isLive = ledger.pins.some((pin) => pin.id === id);
  return isLive ? { seq: ledger.nextSeq, at: history.length, cause: 'unpin', id } : undefined;
}

/** A text unpinned before is the same pin again: what still shows it, or comes back with an undo, is known to be its place. */
function idFor({ ledger }: Session, text: string): number {
  const earlier = ledger.groups.findLast((group) => group.cause === 'pin' && group.text === text);
  return earlier?.cause === 'pin' ? earlier.id : ledger.newestPin + 1;
}

function requireRoom({ ledger }: Session, text: string, { count, windowTokens }: PinTools): void {
  if (windowTokens === undefined) return;
  const tokens = count(text);
  const most = pinCap(windowTokens);
  if (tokens > most) {
    throw new ContextError(
      'INVALID_OPTION',
      `a pin takes at most a tenth of the window, ${most} of ${windowTokens} tokens, and this text has ${tokens}; pin a shorter one, or a path to it`,
    );
  }
  const all = ledger.pins.reduce((sum, pin) => sum + count(pin.text), tokens);
  const room = Math.floor(windowTokens * USER_SHARE);
  if (all > room) {
    throw new ContextError(
      'INVALID_OPTION',
      `all pins together take at most half of the window, ${room} of ${windowTokens} tokens, and with this text they would take ${all}; unpin one first`,
    );
  }
}
