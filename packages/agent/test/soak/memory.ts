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

/** What is let go of in the background is given back some moments later. */
const SETTLE_MS = 30;

export async function sampleMemory(messages: readonly object[]): Promise<MemorySample> {
  const historyMb = bytesOf(messages) / MB;
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('start this process with --expose-gc');
  collect();
  await delay(SETTLE_MS);
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / MB, heapMb: (heapUsed + external) / MB, historyMb };
}
