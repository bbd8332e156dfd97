/** A whole session of about 80 turns as one golden file per wire format: what each request held that the one before did not, and what each receipt said. */
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../src/core/receipt.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, TestSession, textsOf } from './session.ts';

const WINDOW = 12_000;
/** From turn 40 on the provider takes less than it was said to take, which only its error tells. */
const LIMIT = 9_000;
const LATE_LIMIT = 6_000;

function outline(turn: Turn<object, object>, builder: WireBuilder): readonly string[] {
  return messagesOf(turn, builder).map((message) => {
    const texts = textsOf(message).map((text) => `${JSON.stringify(text.slice(0, 48))}+${Math.max(0, text.length - 48)}`);
    return `${(message as { role: string }).role} ${texts.join(' | ')}`;
  });
}

function receiptOutline({ tokens, layers, cause, epochId, summary, held, archivedBytes, cache }: Receipt): object {
  const steps = layers.map(({ layer, edits, tokensBefore, tokensAfter }) => `${layer} ${edits}: ${tokensBefore} to ${tokensAfter}`);
  return { tokens, layers: steps, cause, epochId, summary, held, archivedBytes, cache };
}

const sizeOf = (turn: Turn<object, object>): number => Math.ceil(JSON.stringify(turn.request).length / 3);

function overflow(requested: number, limit: number): Error {
  return Object.assign(new Error(`400 prompt is too long: ${requested} tokens > ${limit} maximum`), { status: 400 });
}

async function live(builder: WireBuilder): Promise<readonly object[]> {
  const writer = { name: 'stub', write: async (request: { prompt: string }) => ({ text: `Summary of ${request.prompt.length} characters.`, stop: 'end' as const, inputTokens: 1_000, outputTokens: 50 }) };
  const session = new TestSession({ builder, windowTokens: WINDOW, writer, maxOutputTokens: 1_000 });
  const log: object[] = [];
  let before: readonly string[] = [];
  session.user('Read every file of the project and say what it does.');
  for (let turnNumber = 1; turnNumber <= 80; turnNumber += 1) {
    if (turnNumber === 50) session.context.compact({ focus: 'the folders' });
    let turn = await session.prepare();
    const limit = turnNumber < 40 ? LIMIT : LATE_LIMIT;
    let overflows = 0;
    for (let size = sizeOf(turn); size > limit; size = sizeOf(turn)) {
      turn = (await turn.fail(overflow(size, limit))) as Turn<object, object>;
      overflows += 1;
    }
    const request = outline(turn, builder);
    // Only what differs from the request before: the rest is the same messages again.
    const same = request.findIndex((line, index) => line !== before[index]);
    before = request;
    const isRest = turnNumber % 20 === 0;
    const calls = isRest ? [] : [{ id: `call_${turnNumber}`, name: 'read_file', input: { path: `src/file-${turnNumber}.ts` } }];
    const receipt = await turn.accept(builder.reply({ ...(isRest || turnNumber % 4 === 0 ? { text: `Findings ${turnNumber}. `.padEnd(isRest ? 40 : 3_000, 'It matters. ') } : {}), calls, usageTokens: sizeOf(turn) }));
    log.push({ turn: turnNumber, overflows, same: same < 0 ? request.length : same, request: same < 0 ? [] : request.slice(same), receipt: receiptOutline(receipt) });
    if (isRest) session.user(`Go on with folder ${turnNumber / 20 + 1}.`);
    else session.context.append(builder.results([{ callId: `call_${turnNumber}`, text: `file ${turnNumber}\n`.padEnd(turnNumber % 7 === 0 ? 14_000 : 900, 'line of code; ') }]));
  }
  return log;
}

describe.each(wireBuilders)('a session of 80 turns, $name', (builder) => {
  it('is the golden one', async () => {
    const log = await live(builder);
    await expect(`${JSON.stringify(log, null, 1)}\n`).toMatchFileSnapshot(`./lifecycle-${builder.name}.json`);
  });

  it('meets every layer and an overflow', async () => {
    const log = JSON.stringify(await live(builder));
    for (const what of ['snip', 'micro', 'budget', '[Compacted]', '[Reactive compact]', '"overflows":1']) expect(log.includes(what), what).toBe(true);
  });
});
