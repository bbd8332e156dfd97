/** Typed events, for meters, logs and viewers. They report; nothing a listener does changes the engine. */
import type { Group } from './edit.ts';
import type { Receipt } from './receipt.ts';
import type { LayerRecord } from './step-parts.ts';
import type { SummaryTrigger } from './layers/summary.ts';

interface EventBase {
  readonly sessionId: string;
  readonly turnId: string;
  /** The epoch this belongs to, where one is being made. */
  readonly epochId?: number;
}

/** Everything `onEvent` is told, by `type`. */
export type ContextEvent =
  /** A layer proposed edits for the turn being prepared. */
  | (EventBase & LayerRecord & { readonly type: 'layer-apply' })
  /** A model was asked for a summary. */
  | (EventBase & { readonly type: 'summary-start'; readonly trigger: SummaryTrigger; readonly writer: string })
  /** An attempt ended; `refusal` says why its text was not used. */
  | (EventBase & {
      readonly type: 'summary-end';
      readonly trigger: SummaryTrigger;
      readonly writer: string;
      readonly refusal?: string;
    })
  /** A request is ready to be sent. */
  | (EventBase & { readonly type: 'turn-start'; readonly receipt: Receipt })
  /** The reply was taken in; groups of the ledger are in force. `groups` are what to persist. */
  | (EventBase & { readonly type: 'turn-accept'; readonly receipt: Receipt; readonly groups: readonly Group[] })
  /**
   * A turn was kept: its groups are in force and what to persist, though nothing was sent. A type of its own, since `turn-accept` stands for one
   * billed request and a kept turn is none.
   */
  | (EventBase & { readonly type: 'turn-keep'; readonly receipt: Receipt; readonly groups: readonly Group[] })
  /** The provider refused the request for its size; a smaller one follows or an error is thrown. */
  | (EventBase & {
      readonly type: 'turn-overflow';
      /** `cut`: the reply filled what the prompt left of the window. */
      readonly what: 'input' | 'input-and-output' | 'bytes' | 'media' | 'rate' | 'cut';
      readonly limitTokens?: number;
      readonly requestedTokens?: number;
    })
  /** The provider took the request, but its usage shows that it cut it. */
  | (EventBase & {
      readonly type: 'silent-truncation';
      readonly reportedTokens: number;
      readonly estimatedTokens: number;
    })
  /** A text was pinned or unpinned. `groups` are what to persist. */
  | { readonly type: 'pins-change'; readonly sessionId: string; readonly groups: readonly Group[] }
  /** An epoch was taken back, or what was taken back is in force again. `groups` are what to persist. */
  | {
      readonly type: 'epoch-undo' | 'epoch-redo';
      readonly sessionId: string;
      readonly epochId: number;
      readonly groups: readonly Group[];
    };

/** The names of the events. */
export type ContextEventType = ContextEvent['type'];
