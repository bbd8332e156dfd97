/** The state of one context: one visible object, changed only by the hub. Everything else is derived from it. */
import { type Breaker, CLOSED_BREAKER } from '../core/breaker.ts';
import type { Codec } from '../core/codec.ts';
import { wordsOf } from '../core/digest.ts';
import { type Entry, measurePart, MESSAGE_OVERHEAD_TOKENS, type Wire } from '../core/entry.ts';
import { History } from '../core/history.ts';
import type { IdScope } from '../core/pairing.ts';
import type { Rewind } from '../core/edit.ts';
import type { Note } from '../core/layers/attach.ts';
import type { SnipRequest } from '../core/layers/snip.ts';
import type { SummarySpan } from '../core/layers/summary.ts';
import { dropping, Ledger, rewindGroup } from '../core/ledger.ts';
import { type Economy, NEW_ECONOMY } from '../core/schedule/economy.ts';
import { INITIAL_METER, type MeterState } from '../core/meter.ts';
import { type Count, EMPTY_VIEW, extend, project, repeatedPins, type View, type ViewEntry } from '../core/view.ts';
import { Answers } from './answers.ts';

/** What the provider was sent last, to recognise it when a host hands it back and to measure what a cache can serve. */
export interface LastSent {
  /** Its view entries, as many as there are messages: the list may have grown since. */
  readonly entries: readonly ViewEntry[];
  readonly messages: readonly Wire[];
  /** Of the view. */
  readonly tokens: number;
  /** History entries it covered. */
  readonly historyLength: number;
}

export interface ManualRequest {
  readonly span: SummarySpan;
  readonly focus?: string | undefined;
}

export interface Session {
  history: History;
  ledger: Ledger;
  /** `project(history, ledger)`, kept up to date. */
  view: View;
  meter: MeterState;
  /** What its calls cost so far. */
  economy: Economy;
  breaker: Breaker;
  lastSent: LastSent | undefined;
  /** History length at the last undo; -1 where none holds the schedule. */
  holdLength: number;
  /** Windows learned from errors, by model. */
  learnedWindows: Map<string, number>;
  /** Numbers of the calls whose turn was forced by an overflow, newest last. */
  forcedCalls: number[];
  calls: number;
  /** Asked for by `compact`, carried out by the next prepare. */
  manual: ManualRequest | undefined;
  /** Asked for by `snip`, carried out by the next prepare. */
  snip: SnipRequest | undefined;
  /** Texts to attach that no accepted turn holds yet, oldest first. */
  notes: readonly Note[];
  /** Entries that accepted turns sent, as far as this process knows. */
  sentLength: number;
  /** Edits dropped by a move to another branch that no turn has been accepted on yet: the next accepted turn puts it in the ledger. */
  pendingRewind: Rewind | undefined;
  /** Reports by model that looked like a cut prompt. */
  truncations: Map<string, number>;
  /** The model whose last reply or prompt was cut for want of room: the next prepare for it has to make some. */
  pressedModel: string | undefined;
  /** What became of asking a model or the host about a summary not committed yet, so that a repeated prepare asks nobody and sends the same bytes. */
  answers: Answers;
  /** Ranges whose messages were handed to the transcript port. */
  transcribed: Set<string>;
}

export function createSession(idScope: IdScope | undefined): Session {
  return {
    history: new History(idScope),
    ledger: new Ledger(),
    view: EMPTY_VIEW,
    meter: INITIAL_METER,
    economy: NEW_ECONOMY,
    breaker: CLOSED_BREAKER,
    lastSent: undefined,
    holdLength: -1,
    learnedWindows: new Map(),
    forcedCalls: [],
    calls: 0,
    manual: undefined,
    snip: undefined,
    notes: [],
    sentLength: 0,
    pendingRewind: undefined,
    pressedModel: undefined,
    truncations: new Map(),
    answers: new Answers(),
    transcribed: new Set(),
  };
}

/** Reads, measures and digests one message: the only walk over it. */
export function entryOf(message: Wire, codec: Codec, count: Count): Entry {
  const { origin, parts } = codec.decode(message);
  const all = parts.map((part) => measurePart(part, count));
  const tokens = all.reduce((sum, part) => sum + part, MESSAGE_OVERHEAD_TOKENS);
  const { a, b, bytes } = wordsOf(codec.canonical(message));
  return { message, origin, parts, partTokens: all.length === 1 ? undefined : all, tokens, a, b, bytes };
}

/** Takes entries into the history and the view. */
export function appendEntries(session: Session, entries: readonly Entry[]): void {
  for (const entry of entries) session.history.append(entry);
  session.view = extend(session.view, session.history);
}

/** Appends messages to the history and takes them into the view. */
export function appendMessages(
  session: Session,
  messages: readonly Wire[],
  tools: { codec: Codec; count: Count },
): void {
  // All are read before the first is appended: a message that cannot be read changes nothing.
  const entries = messages.map((message) => entryOf(message, tools.codec, tools.count));
  appendEntries(session, entries);
}

/** Another course of the history, which shares its first `keep` entries with this one. */
export interface Course {
  readonly history: History;
  readonly keep: number;
}

/** What a move to another branch replaces: taken before, it takes the session back. */
export type Standing = Pick<Session, 'history' | 'view' | 'lastSent' | 'sentLength' | 'meter' | 'pendingRewind'>;

export function standingOf({ history, view, lastSent, sentLength, meter, pendingRewind }: Session): Standing {
  return { history, view, lastSent, sentLength, meter, pendingRewind };
}

/**
 * Takes the session to another branch: edits whose proof still holds stay in force, the rest are dropped, for good once a turn on the branch is
 * accepted. A view that was sent of more than the shared entries is not one to recognise any more.
 */
export function takeCourse(session: Session, { history, keep }: Course, count: Count): void {
  if (session.lastSent !== undefined && session.lastSent.historyLength > keep) session.lastSent = undefined;
  session.sentLength = Math.min(session.sentLength, keep);
  // The newest report was about the other branch.
  session.meter = { ratio: session.meter.ratio, reports: session.meter.reports };
  const pending = session.pendingRewind === undefined ? [] : [session.pendingRewind];
  session.pendingRewind = rewindGroup(session.ledger, history, pending);
  session.history = history;
  session.view = projected(session, count);
  const repeated = repeatedPins(session.view);
  if (repeated.length === 0) return;
  const about = { rewind: session.pendingRewind, seq: session.ledger.nextSeq, at: history.length };
  session.pendingRewind = dropping(repeated, session.ledger.groups, about);
  session.view = projected(session, count);
}

function projected(session: Session, count: Count): View {
  return project(session.history, [...session.ledger.groups, ...pendingGroups(session)], count);
}

/** What a move dropped, numbered as the next of the ledger: a pin may have come since. */
export function pendingGroups({ pendingRewind, ledger }: Session): readonly Rewind[] {
  return pendingRewind === undefined ? [] : [{ ...pendingRewind, seq: ledger.nextSeq }];
}

/** Puts what a move dropped in the ledger. */
export function commitRewind(session: Session): void {
  session.ledger.append(pendingGroups(session));
  session.pendingRewind = undefined;
}

/** Moves for good, as a rewind by the host does. */
export function moveTo(session: Session, course: Course, count: Count): void {
  takeCourse(session, course, count);
  commitRewind(session);
}

/** Number the next epoch's first group will have. */
export function nextSeqOf(session: Session): number {
  return session.ledger.nextSeq + pendingGroups(session).length;
}
