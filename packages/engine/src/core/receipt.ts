/** What one turn did, as data. The JSON schema beside the type is the contract for people who store receipts. */
import type { Usage } from './codec.ts';
import type { Cause } from './edit.ts';
import type { LayerRecord } from './step-parts.ts';
import type { Window } from './window.ts';

/** What one turn did. JSON; the shape is `RECEIPT_SCHEMA`. */
export interface Receipt {
  readonly v: 1;
  readonly sessionId: string;
  readonly turnId: string;
  readonly policy: string;
  readonly model: string;
  /** The thresholds it was made under, tokens. */
  readonly window: Window;
  /** Set where the turn commits an epoch. */
  readonly epochId?: number;
  /** What made the epoch due. */
  readonly cause?: Cause;
  /** Layers that did something, in order. */
  readonly layers: readonly LayerRecord[];
  readonly tokens: ReceiptTokens;
  readonly summary?: SummaryReceipt;
  /** What was held back, and why. */
  readonly held: readonly string[];
  /** UTF-8 bytes of the texts this turn put in the archive. */
  readonly archivedBytes: number;
  readonly cache: CacheEffect;
  /** Secrets replaced in messages this turn sends for the first time; absent unless they are replaced on arrival. */
  readonly redacted?: number;
  /** Set by `accept`: as the provider reported it. */
  readonly usage?: Usage;
}

/** All by the meter; `calibrated` is what the request is expected to be billed. */
export interface ReceiptTokens {
  /** System and tools. */
  readonly head: number;
  /** The history sent whole. */
  readonly appendOnly: number;
  /** The messages that are sent. */
  readonly view: number;
  readonly calibrated: number;
}

/** The summary a turn holds: who wrote it, `code` where no model did, and what asking cost. */
export interface SummaryReceipt {
  readonly writer: string;
  readonly trigger: string;
  /** Calls of the writer. */
  readonly attempts: number;
  /** Billed over all attempts, tokens; 0 where not reported. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** How much of what was sent last is sent again unchanged: what a prompt cache can serve. */
export interface CacheEffect {
  readonly sharedEntries: number;
  readonly sharedTokens: number;
}

const count = { type: 'integer', minimum: 0 } as const;

/** JSON Schema of a receipt. */
export const RECEIPT_SCHEMA: Readonly<Record<string, unknown>> = {
  $id: 'https://holdover.dev/schemas/receipt-1.json',
  type: 'object',
  additionalProperties: false,
  required: [
    'v',
    'sessionId',
    'turnId',
    'policy',
    'model',
    'window',
    'layers',
    'tokens',
    'held',
    'archivedBytes',
    'cache',
  ],
  properties: {
    v: { const: 1 },
    sessionId: { type: 'string' },
    turnId: { type: 'string' },
    policy: { type: 'string' },
    model: { type: 'string' },
    window: { type: 'object' },
    epochId: { type: 'integer', minimum: 1 },
    cause: { enum: ['arrival', 'every-turn', 'threshold', 'cold', 'manual', 'overflow', 'repair'] },
    layers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['layer', 'edits', 'tokensBefore', 'tokensAfter'],
        properties: { layer: { type: 'string' }, edits: count, tokensBefore: count, tokensAfter: count },
      },
    },
    tokens: {
      type: 'object',
      additionalProperties: false,
      required: ['head', 'appendOnly', 'view', 'calibrated'],
      properties: { head: count, appendOnly: count, view: count, calibrated: count },
    },
    summary: {
      type: 'object',
      additionalProperties: false,
      required: ['writer', 'trigger', 'attempts', 'inputTokens', 'outputTokens'],
      properties: {
        writer: { type: 'string' },
        trigger: { type: 'string' },
        attempts: count,
        inputTokens: count,
        outputTokens: count,
      },
    },
    held: { type: 'array', items: { type: 'string' } },
    archivedBytes: count,
    cache: {
      type: 'object',
      additionalProperties: false,
      required: ['sharedEntries', 'sharedTokens'],
      properties: { sharedEntries: count, sharedTokens: count },
    },
    redacted: count,
    usage: {
      type: 'object',
      additionalProperties: false,
      required: ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'],
      properties: { inputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, outputTokens: count },
    },
  },
};
