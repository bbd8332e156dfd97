/** The public face of a context: what it is made with and what it can do. */
import type { Archive } from '../core/archive.ts';
import type { Codec } from '../core/codec.ts';
import type { Group, Pin } from '../core/edit.ts';
import type { Wire } from '../core/entry.ts';
import type { ContextEvent } from '../core/events.ts';
import type { SnipRequest } from '../core/layers/snip.ts';
import type { SummarySpan } from '../core/layers/summary.ts';
import type { Lens } from '../core/lens.ts';
import type { Policy } from '../core/policy.ts';
import type { CachePrices } from '../core/prices.ts';
import type { Recalled, SearchFilters } from '../core/recalled.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Writer } from '../core/summary/writer.ts';
import type { Count, View } from '../core/view.ts';
import type { Window } from '../core/window.ts';
import type { BeforeSummaryPort, StatePort } from './ask-host.ts';
import type { Breakdown } from './breakdown.ts';
import type { EpochDiff } from './diff.ts';
import type { Forecast } from './forecast.ts';
import type { Turn } from './turn.ts';

/** What a context is made with. `codec` and `archive` have to be given. */
export interface ContextOptions<Request extends object, Reply extends object> {
  /** The wire format of requests and replies. */
  readonly codec: Codec<Request, Reply>;
  /** Where everything taken out of view is kept. Private to one tenant. */
  readonly archive: Archive;
  /** @default classic */
  readonly policy?: Policy;
  /** The model that writes summaries. Without one the code writer does. */
  readonly writer?: Writer;
  /** What tool calls mean, for digests. @default defaultLens */
  readonly lens?: Lens;
  /** Counts tokens; deterministic. An exact encoder goes behind `guardedCounter`. @default estimateTokens */
  readonly count?: Count;
  /** Window of a model, tokens, 4,000 to 2,000,000. @default 200_000 */
  readonly windowTokens?: number | ((model: string) => number);
  /** Name of the tool that offers recall; markers are lossy only while the request has it. @default 'recall' */
  readonly recallTool?: string;
  /** What the provider's cache charges for a model, as multiples of input; the schedule reads nothing else. @default from the table of models */
  readonly prices?: (model: string) => CachePrices;
  /** What a model's provider does with reasoning behind a changed message: nothing, drop it, or refuse the request. @default from the table of models; `reject` for one it does not know */
  readonly reasoningBinding?: (model: string) => 'none' | 'drop' | 'reject';
  /** The clock, milliseconds: what tells a cold cache from a warm one. @default Date.now */
  readonly now?: () => number;
  /**
   * `arrival`: what looks like a secret in messages (the model's own apart), notes, pins, state and summaries is replaced before it is first sent or
   * kept. Addresses give back what was kept then, and receipts count what was replaced. System and tools are the host's own. @default only at exits:
   * search hits, and what a foreign writer is shown
   */
  readonly redact?: 'arrival';
  /** Names the session in events and receipts. @default 'session' */
  readonly sessionId?: string;
  /** Sees the messages a summary is about to replace, before any model is asked; its rejection stops the summary. */
  readonly transcript?: (messages: readonly Wire[], address: string) => Promise<void>;
  /**
   * What to restore beside a summary: asked once for each, frozen into it, within 50,000 tokens (in proportion on windows below 200,000), half of
   * what the summary frees, and half of what it leaves before the next is due. Items of higher rank give way first. Its rejection is noted in `held`.
   */
  readonly state?: StatePort;
  /**
   * Asked before anything of a summary happens, once for each. `block` keeps it from being made: the threshold asks again at the next call, a
   * summary by hand is dropped, an overflow throws `COMPACTION_BLOCKED`. Its rejection is noted in `held` and blocks nothing.
   */
  readonly beforeSummary?: BeforeSummaryPort;
  /** Told of what happens, in order. What it throws surfaces as an uncaught error and changes nothing here. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Of one `prepare`. */
export interface PrepareOptions {
  /** Aborts the summary a prepare may ask a model for; nothing has changed then. */
  readonly signal?: AbortSignal;
}

/** Of one `compact`. */
export interface CompactOptions {
  /** What the summary has to keep above all. */
  readonly focus?: string;
  /** @default 'all' */
  readonly span?: SummarySpan;
}

/** Of one `preview`. */
export interface ForecastOptions {
  readonly compact?: CompactOptions;
  readonly signal?: AbortSignal;
}

/** How full the window is, by the meter. */
export interface Gauge {
  /** The view with the newest request's system and tools, as the meter expects it to be billed. */
  readonly tokens: number;
  /** Of the newest request's model. */
  readonly window: Window;
}

/** One session's context: made by `createContext`, used by one host. Calls that change it run one after the other. */
export interface Context<Request extends object, Reply extends object> {
  /**
   * Makes the next request out of the caller's. `messages` is the caller's whole array, or empty for hosts that `append`. Two prepares in a
   * row give the same bytes. Messages handed in must not be changed in place afterwards. Rejects with `INVALID_REQUEST`, `INVARIANT_BROKEN`, `ARCHIVE_FAILED`; nothing has changed then.
   */
  prepare<const R extends Request>(request: R, options?: PrepareOptions): Promise<Turn<R, Reply>>;
  /** Adds messages to the history. While a turn is being prepared or is open they wait, and land behind its reply. `INVALID_REQUEST` for one that cannot be read. */
  append(messages: readonly Wire[]): void;
  /** Asks for a summary; the next prepare makes it, and the request is done with once that turn is accepted or kept. */
  compact(options?: CompactOptions): void;
  /** Asks that all turns of the user but the newest become one marker, with the user's words in them carried; the next prepare does it, if it offers recall. `keepTurns`, from 1: turns that stay. @default 1 */
  snip(options?: Partial<SnipRequest>): void;
  /**
   * A text for the model to see now, such as a reminder: put by the next prepare at the end of the newest message of the user's side that was never
   * sent (results or words), and frozen there. No part of the history and never the user's words; it waits where nothing unsent is there, stays until
   * its message is compacted, and a rewind before that message takes it along. Over a tenth of the window, head, tail and address stay. `INVALID_OPTION` for an empty text.
   */
  attach(text: string): void;
  /**
   * Keeps a text in view, verbatim, from the next prepared turn on and after every compaction, undo and restart, until it is unpinned; a rewind keeps it
   * too. Returns its id, that of the live pin where the text is pinned already. `INVALID_OPTION` for an empty text, one of more than a tenth of the window, or
   * pins of more than half of it together. A text that was pinned before gets the id it had. Not while a `restore` is under way: it replaces the ledger.
   */
  pin(text: string): number;
  /** No longer carried along: gone from the view with the next compaction of where it stands. False where no live pin has this id. */
  unpin(id: number): boolean;
  /** The live pins, oldest first. */
  pins(): readonly Pin[];
  /**
   * Takes back the newest epoch that is in force; forgets an open turn. False where there is none, as where a rewind dropped them all. Rejects with
   * `WINDOW_EXHAUSTED` if the result would not fit, `REASONING_BOUND` where the model has reasoned since and its provider binds that to what stands before it.
   */
  undo(): Promise<boolean>;
  /**
   * Brings back what the newest undo took back, the next call the one before, and so on; forgets an open turn. False where there is none, and where
   * the history, a new epoch, or anything that touches the same messages has come in between. Rejects as `undo` does.
   */
  redo(): Promise<boolean>;
  /**
   * Goes on from the first `length` messages of the history, what waits included; forgets an open turn. Edits that speak of later messages are dropped
   * for good. `INVALID_OPTION` for a length that is not there.
   */
  rewind(length: number): void;
  /** The exact original at an address (`UNKNOWN_ADDRESS` for others). */
  recall(address: string): Promise<Recalled>;
  /**
   * What left the view and answers a query: a text, some words, a name, a file, or a file and a name in it; case is ignored. Best first: what was
   * written or read of a file before what only names it, newer before older, a name's definition before its uses, no line twice. Secrets are taken
   * out of what is shown. Filters may stand in the query too, as `needle path:src/a.ts tool:bash since:40 until:90`; in double quotes it is a text as it
   * stands. Throws `INVALID_OPTION` for filters out of range.
   */
  search(query: string, filters?: SearchFilters): Recalled;
  /** Whether the model still sees the result of this call word for word; false for a call without one. Where ids come again, the newest round counts. */
  showsResult(callId: string): boolean;
  /** How full the window is now; undefined before the first prepare, since the model and its window are not known. */
  gauge(): Gauge | undefined;
  /**
   * How the window is used, by category, were `request` sent now and nothing compacted: adds up exactly to what `gauge` says. `request` as
   * for `prepare`, before the first one too. Throws `INVALID_REQUEST`.
   */
  breakdown(request: Request): Breakdown;
  /**
   * What the next `prepare` of `request` would do, with `compact` as if that had been asked for: what goes where, what is held back, what it costs and
   * saves. Changes nothing and asks no model: a model's summary is foretold as the code writer's. `state` is asked, `beforeSummary` is not. `request`
   * as for `prepare`, before the first one too. Rejects with `INVALID_REQUEST`.
   */
  preview(request: Request, options?: ForecastOptions): Promise<Forecast>;
  /** What an epoch changed, with the words of both sides: by its number, or the one `undo` would take back. Undefined where there is none. */
  diff(epochId?: number): EpochDiff | undefined;
  /** The state as JSON. `after`: number of a group; only the groups behind it are given, for logs that persist deltas. @default 0 */
  snapshot(after?: number): Snapshot;
  /**
   * Takes up a snapshot over the messages it was made with; edits that do not match them, or whose text the archive lost, are dropped. What waited,
   * messages and attached texts, goes with the session that is left. Rejects with `SNAPSHOT_UNREADABLE`, or `INVALID_REQUEST` for the messages.
   */
  restore(snapshot: unknown, messages: readonly Wire[]): Promise<void>;
  /** The whole history as it was handed in. */
  history(): readonly Wire[];
  /** The groups of the ledger, for persistence and proofs. */
  groups(): readonly Group[];
  /** The view as it stands, for proofs and displays. */
  view(): View;
}
