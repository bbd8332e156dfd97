/** `prepare` with the caller's whole array each time: the same objects with two new ones behind them, or all freshly parsed. */
import { type BenchContext, contextOf, replyOf, REQUEST } from '../host.ts';
import { type Case, DEFAULT_CALLS, type Row } from '../row.ts';
import { type Message, sessionMessages } from '../session.ts';
import { median, percentile, timed } from '../stats.ts';
import { SECTIONS } from '../sections.ts';

interface Feed {
  readonly context: BenchContext;
  /** The host's array, which grows. */
  readonly messages: Message[];
  /** What comes next, oldest first. */
  readonly rest: Message[];
}

/** One call: the model's next message and the user's next are new. */
async function call({ context, messages, rest }: Feed, given: (all: Message[]) => Message[]): Promise<number> {
  const array = given(messages);
  const startMs = performance.now();
  const turn = await context.prepare({ ...REQUEST, messages: array });
  const tookMs = performance.now() - startMs;
  const next = rest.findIndex(({ role }) => role === 'assistant');
  const [reply, ...behind] = rest.splice(next, 2);
  if (reply !== undefined) {
    await turn.accept(replyOf(reply, turn.receipt.tokens.view));
    messages.push(reply, ...behind);
  }
  return tookMs;
}

/** Most parsed copies: each is as large as the history. */
const PARSED_CALLS = 11;

export const run: Case['run'] = async ({ size, calls = DEFAULT_CALLS, begin }): Promise<readonly Row[]> => {
  const all = sessionMessages(size + 4 * (calls + PARSED_CALLS + 2));
  const cut = all.findIndex(({ role }, index) => index >= size && role === 'user') + 1;
  const feed: Feed = { context: contextOf(), messages: all.slice(0, cut), rest: all.slice(cut) };
  begin();
  await call(feed, (messages) => messages);
  globalThis.gc?.();
  const known: number[] = [];
  for (let i = 0; i < calls; i += 1) known.push(await call(feed, (messages) => messages));
  const parsed: number[] = [];
  const parseMs: number[] = [];
  for (let i = 0; i < Math.min(calls, PARSED_CALLS); i += 1) {
    const json = JSON.stringify(feed.messages);
    globalThis.gc?.();
    let copy: Message[] = [];
    parseMs.push(await timed(() => (copy = JSON.parse(json) as Message[])));
    globalThis.gc?.();
    parsed.push(await call(feed, () => copy));
  }
  return [
    {
      section: SECTIONS.whole,
      who: 'holdover, known objects',
      size,
      values: { 'p50 ms': median(known), 'p99 ms': percentile(known, 0.99), calls: known.length },
    },
    {
      section: SECTIONS.whole,
      who: 'holdover, freshly parsed',
      size,
      values: {
        'p50 ms': median(parsed),
        'parse ms': median(parseMs),
        'x parse': median(parsed) / median(parseMs),
        calls: parsed.length,
      },
    },
  ];
};
