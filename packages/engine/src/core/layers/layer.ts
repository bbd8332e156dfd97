/** What every layer is: a pure function from a measured view to proposed edits. Layers do not know each other. */
import type { Address } from '../archive.ts';
import type { Edit, LayerName } from '../edit.ts';
import type { History } from '../history.ts';
import type { Lens } from '../lens.ts';
import type { Count, View } from '../view.ts';
import type { Window } from '../window.ts';

/** What a layer is asked with: the view as the layers before it left it. */
export interface LayerInput {
  readonly history: History;
  readonly view: View;
  readonly window: Window;
  readonly count: Count;
  /** SHA-256 as hex. */
  readonly hash: (text: string) => string;
  /** Reads what calls did. @default defaultLens */
  readonly lens?: Lens | undefined;
  /** Entries the provider was sent before: what comes behind is in no cache. @default 0 */
  readonly sentLength?: number | undefined;
  /** What every range edit has to carry along. @default nothing */
  readonly staying?: Staying | undefined;
  /** Name of the tool that gives originals back: its results are read once before anything takes them out again. @default 'recall' */
  readonly recallTool?: string | undefined;
}

/** Notes that stay in view when a range edit covers the entry they stand in. */
export interface Staying {
  /** Ids of the live pins. */
  readonly pins: ReadonlySet<number>;
  /** Entries accepted turns sent: notes from there on were read by nobody yet, whatever else a host put behind them. */
  readonly sentLength: number;
}

/** Edits, and the bytes to archive before any of them is sent. */
export interface Proposal {
  readonly edits: readonly Edit[];
  readonly kept: ReadonlyMap<Address, string>;
}

export const NOTHING: Proposal = { edits: [], kept: new Map() };

/** A free layer: runs before every call, costs no model call. */
export interface Layer {
  readonly name: LayerName;
  /**
   * When it is asked: before every call; before every call, and then it may only shape entries that were never sent (from
   * `input.sentLength` on), which breaks no cache; or at an epoch only. @default 'always'
   */
  readonly when?: 'always' | 'arrival' | 'epoch';
  /** Its constants as they hold in this window, for `config`, the demo and receipts. */
  constants(window: Window): Readonly<Record<string, number>>;
  propose(input: LayerInput): Proposal;
}
