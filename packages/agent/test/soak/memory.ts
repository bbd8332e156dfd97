/** What the process holds, after rubbish was collected. */
import { setTimeout as delay } from 'node:timers/promises';

export interface MemorySample {
  readonly rssMb: number;
  /** Objects, and buffers outside of the heap. */
  readonly heapMb: number;
  readonly historyMb: number;
}

const MB = 1024 * 1024;

/** The figure: 150 MB and twice the bytes of the history. */
export const limitMb = (historyMb: number): number => 150 + 2 * historyMb;

export function bytesOf(messages: readonly object[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
}

/** What is let go of is given back to the system in the background, some moments later. */
const SETTLE_MS = 80;
const MAX_COLLECTIONS = 6;
/** Less than this given back: that was it. */
const STILL_MB = 1;

export async function sampleMemory(messages: readonly object[]): Promise<MemorySample> {
  const historyMb = bytesOf(messages) / MB;
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('start this process with --expose-gc');
  let rssMb = Number.POSITIVE_INFINITY;
  for (let count = 0; count < MAX_COLLECTIONS; count += 1) {
    collect();
    await delay(SETTLE_MS);
    const now = process.memoryUsage.rss() / MB;
    const isStill = rssMb - now < STILL_MB;
    rssMb = Math.min(rssMb, now);
    if (isStill) break;
  }
  const { heapUsed, external } = process.memoryUsage();
  return { rssMb, heapMb: (heapUsed + external) / MB, historyMb };
}
