import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type Receipt, RECEIPT_SCHEMA } from '../../src/core/receipt.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { TestSession } from '../golden/session.ts';

const validate = new Ajv({ strict: true }).compile(RECEIPT_SCHEMA);

function expectValid(receipt: Receipt): void {
  // Receipts are stored as JSON: what the schema sees is what JSON keeps.
  expect(validate(JSON.parse(JSON.stringify(receipt))), JSON.stringify(validate.errors)).toBe(true);
}

describe('receipts', () => {
  it('fit their schema over a life with every cause', async () => {
    const session = new TestSession({
      windowTokens: 12_000,
      maxOutputTokens: 1_000,
      writer: {
        name: 'stub',
        write: async () => ({ text: 'S', stop: 'end' as const, inputTokens: 9, outputTokens: 2 }),
      },
    });
    const causes = new Set<string | undefined>();
    const take = (receipt: Receipt): void => {
      expectValid(receipt);
      causes.add(receipt.cause);
    };
    session.context.append([session.builder.user(' '), session.builder.user('go')]);
    for (let i = 0; i < 40; i += 1) {
      session.round('x'.repeat(i % 9 === 0 ? 9_000 : 400));
      if (i === 20) session.context.compact();
      if (i % 10 === 9) session.assistant('y'.repeat(40_000));
      let turn = await session.prepare();
      if (i === 28)
        turn = (await turn.fail(
          Object.assign(new Error('400 prompt is too long: 13000 tokens > 12000 maximum'), { status: 400 }),
        )) as Turn<object, object>;
      expectValid(turn.receipt);
      take(await turn.accept(session.builder.reply({ text: 'ok', usageTokens: 2_000 })));
    }
    for (const cause of ['every-turn', 'manual', 'threshold', 'overflow']) expect(causes).toContain(cause);
  });

  it('with anything unknown in them do not fit', async () => {
    const { receipt } = await new TestSession().user('go').prepare();
    expect(validate({ ...receipt, extra: 1 })).toBe(false);
    expect(validate({ ...receipt, tokens: { ...receipt.tokens, view: -1 } })).toBe(false);
    expect(validate({ ...receipt, cause: 'because' })).toBe(false);
  });
});
