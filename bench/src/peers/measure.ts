/** Times a peer: the call it would make before each request, on the whole history with two new messages. */
import { type CaseOptions, DEFAULT_CALLS, type Row } from '../row.ts';
import { type Message, sessionMessages } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

export interface Peer<Converted> {
  /** The session in the peer's own format: not timed. */
  readonly convert: (messages: readonly Message[]) => Converted[];
  readonly call: (messages: Converted[]) => Promise<unknown>;
}

/** Calls go on for this long, seconds, or until there are enough of them. */
const MAX_SECONDS = 25;

export async function measurePeer<Converted>(
  { size, subject, calls = DEFAULT_CALLS, begin }: CaseOptions,
  { convert, call }: Peer<Converted>,
): Promise<readonly Row[]> {
  const all = convert(sessionMessages(size + 2 * calls));
  begin();
  const samples: number[] = [];
  const startMs = performance.now();
  for (let i = 0; i < calls && performance.now() - startMs < MAX_SECONDS * 1_000; i += 1) {
    const messages = all.slice(0, size + 2 * i);
    samples.push(await timed(() => call(messages)));
  }
  // The first call compiles.
  const warm = samples.length > 3 ? samples.slice(1) : samples;
  const values = { 'p50 ms': median(warm), 'p99 ms': percentile(warm, 0.99), calls: warm.length };
  return [{ section: SECTIONS.peers, who: subject, size, values }];
}
