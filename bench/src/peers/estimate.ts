/**
 * How far estimates are from exact counts: by piece of a kind of text, and of what is newly appended to a session whose provider reports usage,
 * from the fourth call on.
 */
import { classic, codePointTokens, estimateTokens, type Policy } from '@holdover/engine';
import { contextOf, replyOf, REQUEST } from '../host.ts';
import { piecesOf } from '../kinds.ts';
import type { Case, Row } from '../row.ts';
import { type Message, sessionMessages } from '../session.ts';
import { median } from '../stats.ts';
import { blocksOf } from './blocks.ts';
import { COUNTERS, type Count } from './counters.ts';
import { SECTIONS } from '../sections.ts';

/** Nothing is compacted, so that every prepare is about new messages alone. */
const APPEND_ONLY: Policy = { ...classic, name: 'append-only', layers: [] };

/** Claude counts about this much more than the nearest public table. */
const CLAUDE_FACTOR = 1.1;

/** What a provider adds for each message, tokens. */
const PER_MESSAGE = 4;

/** Calls before the estimate is judged. */
const CALIBRATION_CALLS = 3;

type Pair = readonly [estimated: number, exact: number];

/** Error of the sum and median error of one, per cent. */
function errorsOf(pairs: readonly Pair[]): { sum: number; median: number } {
  const total = pairs.reduce(([a, b], [estimated, exact]) => [a + estimated, b + exact] as const, [0, 0] as Pair);
  const relative = ([estimated, exact]: Pair): number => (Math.abs(estimated - exact) / exact) * 100;
  return { sum: relative(total), median: median(pairs.map(relative)) };
}

function partTexts(message: Message): readonly string[] {
  return blocksOf(message).flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_use' ? [block.name, JSON.stringify(block.input)] : [block.content];
  });
}

/** A provider's count of one message. */
function exactOf(message: Message, count: Count): number {
  return partTexts(message).reduce((sum, text) => sum + count(text), PER_MESSAGE);
}

/** Pieces as a conversation: the user shows one after the other, the model says a word to each. */
function* talk(pieces: readonly string[]): Generator<Message> {
  for (const text of pieces) {
    yield { role: 'user', content: text };
    yield { role: 'assistant', content: [{ type: 'text', text: 'Seen. Show me the next one, please.' }] };
  }
}

/** Estimates of what each call added, against the provider's own count of it. */
async function newlyAppended(messages: Iterable<Message>, count: Count): Promise<readonly Pair[]> {
  const context = contextOf({ policy: APPEND_ONLY, windowTokens: 2_000_000 });
  const headTokens = count(JSON.stringify([REQUEST.system, REQUEST.tools]));
  const pairs: Pair[] = [];
  let sent = headTokens;
  let reported = 0;
  let calls = 0;
  for (const message of messages) {
    const exact = exactOf(message, count);
    sent += exact;
    if (message.role === 'user') {
      context.append([message]);
      continue;
    }
    const turn = await context.prepare(REQUEST);
    const asked = Math.round(sent - exact);
    if (calls >= CALIBRATION_CALLS) pairs.push([turn.receipt.tokens.calibrated - reported, asked - reported]);
    await turn.accept(replyOf(message, asked));
    reported = asked;
    calls += 1;
  }
  return pairs;
}

/** Turns of the session that are played. */
const SESSION_MESSAGES = 1_200;

export const run: Case['run'] = async ({ subject: kind, begin }): Promise<readonly Row[]> => {
  const o200k = await COUNTERS['gpt-tokenizer, o200k']();
  const table = await COUNTERS['ai-tokenizer, claude']();
  const claude: Count = (text) => table(text) * CLAUDE_FACTOR;
  begin();
  const pieces = piecesOf(kind);
  const against = (count: Count): { sum: number; median: number } =>
    errorsOf(pieces.map((piece) => [count(piece), o200k(piece)] as const));
  const messages = (): Iterable<Message> => (kind === 'session' ? sessionMessages(SESSION_MESSAGES) : talk(pieces));
  const ours = against(estimateTokens);
  const rule = against(codePointTokens);
  const asOpenAi = errorsOf(await newlyAppended(messages(), o200k));
  const asClaude = errorsOf(await newlyAppended(messages(), claude));
  const values = {
    'chars/4 sum %': rule.sum,
    'chars/4 median %': rule.median,
    'ours sum %': ours.sum,
    'ours median %': ours.median,
    'calibrated sum % (o200k)': asOpenAi.sum,
    'calibrated sum % (Claude table)': asClaude.sum,
  };
  return [{ section: SECTIONS.estimate, who: kind, values }];
};
