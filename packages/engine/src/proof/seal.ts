/**
 * Seals: what a request held, as one digest of its messages in canonical form. A log that keeps the seal of each request it got an answer to can be
 * held against what its history and ledger make of it. Like every digest here it tells of damage and is no signature.
 */
import type { Codec } from '../core/codec.ts';
import { type Digest, digestValue, RangeDigests, wordsIn } from '../core/digest.ts';
import type { Wire } from '../core/entry.ts';

export interface Seal {
  /** Messages of the request, without what belongs to system and tools. */
  readonly messages: number;
  readonly digest: Digest;
}

export interface Sealer {
  /** Digests of the messages in canonical form, in order. One that was seen before is not read again. */
  digests(messages: readonly Wire[]): readonly Digest[];
  seal(messages: readonly Wire[]): Seal;
}

/** Messages must not be changed in place: their digests are kept by object. */
export function createSealer(codec: Pick<Codec, 'canonical'>): Sealer {
  const known = new WeakMap<Wire, Digest>();
  const digestOf = (message: Wire): Digest => {
    const digest = known.get(message) ?? digestValue(codec.canonical(message));
    known.set(message, digest);
    return digest;
  };
  const digests = (messages: readonly Wire[]): readonly Digest[] => messages.map(digestOf);
  return { digests, seal: (messages) => sealOf(digests(messages)) };
}

/** The seal of a request by the digests of its messages. */
export function sealOf(digests: readonly Digest[]): Seal {
  const ranges = new RangeDigests();
  for (const digest of digests) ranges.append(wordsIn(digest));
  return { messages: digests.length, digest: ranges.range(0, digests.length) };
}
