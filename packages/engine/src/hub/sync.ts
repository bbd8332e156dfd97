/**
 * Takes in the caller's array: finds how much of it is known, by object or by content, and appends the rest. It may be the history, the
 * history changed somewhere (edits whose range still matches stay), or our own last view handed back by a hook.
 */
import type { Codec } from '../core/codec.ts';
import { wordsOf } from '../core/digest.ts';
import type { Entry, Wire } from '../core/entry.ts';
import type { History } from '../core/history.ts';
import type { Count } from '../core/view.ts';
import { appendMessages, commitRewind, entryOf, type LastSent, takeCourse, type Session } from './session.ts';

export interface SyncTools {
  readonly codec: Codec;
  readonly count: Count;
}

/** Known objects at the end that are digested again, since callers who change messages in place change the newest ones. */
const REDIGESTED_TAIL = 4;

/** Whether both say the same, member by member; false also where only what does not count differs, as cache breakpoints do. */
function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one)) return Array.isArray(other) && isAlikeList(one, other);
  return !Array.isArray(other) && isAlikeRecord(one as Fields, other as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function isAlikeList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (!isAlike(one[i], other[i])) return false;
  return true;
}

/** Every message a caller hands in anew comes through here: no lists of keys are made. What is inherited counts too, on both sides. */
function isAlikeRecord(one: Fields, other: Fields): boolean {
  let extra = 0;
  for (const key in one) {
    const value = other[key];
    if (!isAlike(one[key], value) || (value === undefined && !(key in other))) return false;
    extra += 1;
  }
  for (const _ in other) extra -= 1;
  return extra === 0;
}

/** Whether a message is the one an entry was made of, by its digest. */
function isMessageOf(entry: Entry, message: Wire, codec: Codec): boolean {
  const { a, b } = wordsOf(codec.canonical(message));
  return a === entry.a && b === entry.b;
}

function isSame(one: Wire, other: Wire, codec: Codec): boolean {
  if (one === other || isAlike(one, other)) return true;
  const [left, right] = [wordsOf(codec.canonical(one)), wordsOf(codec.canonical(other))];
  return left.a === right.a && left.b === right.b;
}

/** How many leading messages equal the history. */
function knownPrefix(messages: readonly Wire[], history: History, codec: Codec): number {
  const length = Math.min(messages.length, history.length);
  for (let i = 0; i < length; i += 1) {
    const message = messages[i];
    if (message === undefined) return i;
    // Comparing texts takes a tenth of what digesting them does, and nearly always settles it.
    const isKnown = i < length - REDIGESTED_TAIL && isAlike(message, history.messages[i]);
    if (!isKnown && !isMessageOf(history.at(i), message, codec)) return i;
  }
  return length;
}

/** How many leading messages equal `sent`: all of them or none. */
function matchesView(messages: readonly Wire[], sent: LastSent | undefined, codec: Codec): boolean {
  if (sent === undefined || messages.length < sent.messages.length) return false;
  return sent.messages.every((message, i) => {
    const other = messages[i];
    return other !== undefined && isSame(other, message, codec);
  });
}

/** Messages behind a view handed back, as far as the history knows them already. */
function knownBehind(
  rest: readonly Wire[],
  behind: { readonly history: History; readonly from: number },
  codec: Codec,
): number {
  const { history, from } = behind;
  let known = 0;
  while (known < rest.length && from + known < history.length) {
    const message = rest[known];
    if (message === undefined || !isMessageOf(history.at(from + known), message, codec)) break;
    known += 1;
  }
  return known;
}

/** The history up to `keep`, then `rest`, as the session's new branch, for good once a turn on it is accepted. */
function branch(
  session: Session,
  course: { readonly keep: number; readonly rest: readonly Wire[] },
  tools: SyncTools,
): void {
  const { keep, rest } = course;
  const entries = rest.map((message) => entryOf(message, tools.codec, tools.count));
  const history = session.history.fork(keep);
  for (const entry of entries) history.append(entry);
  takeCourse(session, { history, keep }, tools.count);
}

export function syncMessages(session: Session, messages: readonly Wire[], tools: SyncTools): void {
  const { history, lastSent } = session;
  const known = knownPrefix(messages, history, tools.codec);
  if (known === history.length) {
    appendMessages(session, messages.slice(known), tools);
    return;
  }
  if (lastSent !== undefined && matchesView(messages, lastSent, tools.codec)) {
    const rest = messages.slice(lastSent.messages.length);
    const keep = lastSent.historyLength + knownBehind(rest, { history, from: lastSent.historyLength }, tools.codec);
    const fresh = rest.slice(keep - lastSent.historyLength);
    if (keep === history.length) appendMessages(session, fresh, tools);
    else branch(session, { keep, rest: fresh }, tools);
    return;
  }
  branch(session, { keep: known, rest: messages.slice(known) }, tools);
}

/** The messages a snapshot was made with, for a session that has a ledger and no history yet. */
export function loadMessages(session: Session, messages: readonly Wire[], tools: SyncTools): void {
  branch(session, { keep: 0, rest: messages }, tools);
  commitRewind(session);
  // What a model's message stands behind was sent by the process before, as far as can be known.
  session.sentLength = session.history.newestModel + 1;
}
