/** What happened to each request, for tests to look at. */

import type { FaultKind } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import type { SimUsage } from '../profile.ts';

/** One request to a generation or counting endpoint. */
export interface SimRecord {
  /** From 0, over the life of the simulator. */
  readonly index: number;
  readonly requestId: string;
  readonly profile: 'anthropic' | 'openai';
  readonly path: string;
  /** Empty when the body named none. */
  readonly model: string;
  readonly isStream: boolean;
  /** As it came over the wire, also when it was refused; empty when it was no JSON object. */
  readonly body: JsonObject;
  readonly status: number;
  /** Present when the request was answered by a model. */
  readonly usage?: SimUsage;
  /** The message of a refusal. */
  readonly error?: string;
  readonly fault?: FaultKind;
  /** Size of the body. */
  readonly bytes: number;
}

export interface SimTotals {
  /** Requests answered by a model. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

export interface Records {
  /** Oldest first. */
  readonly list: readonly SimRecord[];
  add(record: Omit<SimRecord, 'index'>): void;
  totals(): SimTotals;
}

/** Long sessions send the whole history each time; their bodies must not fill the memory. */
const KEPT_BYTES = 128 * 1024 * 1024;

/** Keeps the newest `limit` records, fewer when their bodies are large; totals cover all of them. */
export function createRecords(limit: number): Records {
  const list: SimRecord[] = [];
  let count = 0;
  let keptBytes = 0;
  let totals: SimTotals = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  return {
    list,
    add(record) {
      list.push({ ...record, index: count });
      count += 1;
      keptBytes += record.bytes;
      while (list.length > limit || (list.length > 1 && keptBytes > KEPT_BYTES)) keptBytes -= list.shift()?.bytes ?? 0;
      if (record.usage !== undefined) totals = addUsage(totals, record.usage);
    },
    totals: () => totals,
  };
}

function addUsage(totals: SimTotals, usage: SimUsage): SimTotals {
  return {
    requests: totals.requests + 1,
    inputTokens: totals.inputTokens + usage.inputTokens,
    cacheReadTokens: totals.cacheReadTokens + usage.cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens + usage.cacheWriteTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
  };
}
