/**
 * The master property: whatever was compacted, put away, resumed, forked or aborted, the request is valid, no larger than without, holds the newest
 * words of the user and every pin verbatim, leaves the history as it was, and repairing it again changes nothing.
 */
import { expect } from 'vitest';
import { createContext } from '../../../src/context.ts';
import { memoryArchive } from '../../../src/archives/memory.ts';
import { isUserWords } from '../../../src/core/entry.ts';
import { classic } from '../../../src/core/policies/classic.ts';
import type { WireBuilder } from '../../../src/testing/wire-builder.ts';
import { strictFaults } from './strict.ts';

/** What a repair may add: a result for a call that has none, a note on one that answers nothing. */
const REPAIR_BYTES = 300;

export interface Sent {
  readonly builder: WireBuilder;
  readonly request: object;
  /** As it was handed in. */
  readonly history: readonly object[];
  readonly pins: readonly string[];
  /** Attached texts and state, which are no part of the history, bytes. */
  readonly besideBytes: number;
  /** Edits that only put right what the caller got wrong. */
  readonly repairs: number;
  /** The newest words of the user are over their share: head, tail and address stand for them. */
  readonly areWordsCut: boolean;
}

/** Every string in a request, wherever it stands. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

export const shows = (value: unknown, words: string): boolean => textsIn(value).some((text) => text.includes(words));

/** The text parts of the newest message that holds words of the user. */
export function newestWords(builder: WireBuilder, history: readonly object[]): readonly string[] {
  for (const message of history.toReversed()) {
    const { origin, parts } = builder.codec.decode(message);
    const words = origin === 'user' ? parts.filter(isUserWords) : [];
    if (words.length > 0)
      return words.flatMap((part) => (part.kind === 'text' && part.text.trim() !== '' ? [part.text] : []));
  }
  return [];
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** Without cache breakpoints, which are no part of what is said. */
export function said(builder: WireBuilder, request: object): string {
  return JSON.stringify(builder.codec.messages(request).map((message) => builder.codec.canonical(message)));
}

function expectWords({ builder, request, history, areWordsCut }: Sent): void {
  for (const words of newestWords(builder, history)) {
    if (areWordsCut) {
      expect(shows(request, words.slice(0, 40)), `the newest words begin with ${words.slice(0, 40)}`).toBe(true);
      expect(shows(request, words.slice(-40)), `the newest words end with ${words.slice(-40)}`).toBe(true);
    } else expect(shows(request, words), `the newest words ${words.slice(0, 60)}`).toBe(true);
  }
}

function expectNoLarger({ builder, request, history, pins, besideBytes, repairs }: Sent): void {
  const whole = builder.codec.encode(request, history, []);
  const added = pins.reduce((sum, pin) => sum + bytesOf({ pin }), 0) + besideBytes + repairs * REPAIR_BYTES;
  // A breakpoint is a few bytes on a block that was a string before.
  const marks = 4 * 120;
  expect(bytesOf(request), 'bytes of the request').toBeLessThanOrEqual(bytesOf(whole) + added + marks);
}

/** A context that does nothing but repair finds nothing to repair and sends the same messages. */
async function expectRepaired({ builder, request }: Sent): Promise<void> {
  const policy = { ...classic, layers: [] };
  const fresh = createContext<object, object>({
    codec: builder.codec,
    archive: memoryArchive(),
    policy,
    windowTokens: 2_000_000,
  });
  const again = await fresh.prepare(request);
  expect(again.receipt.layers, 'layers of a second repair').toEqual([]);
  expect(said(builder, again.request), 'what a second repair sends').toBe(said(builder, request));
}

/** Throws with the part of the property that does not hold. */
export async function expectMaster(sent: Sent): Promise<void> {
  const { builder, request, history, pins } = sent;
  expect(strictFaults(builder, request, history), 'faults of the request').toEqual([]);
  expectWords(sent);
  for (const pin of pins) expect(shows(request, pin), `the pin ${pin.slice(0, 60)}`).toBe(true);
  expectNoLarger(sent);
  await expectRepaired(sent);
}
