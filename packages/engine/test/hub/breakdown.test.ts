/** How the window is used, by category. */
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import { apportioned } from '../../src/core/breakdown.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { TestSession } from '../golden/session.ts';

type Shown = readonly (readonly [string, number] | readonly [string, number, Record<string, number>])[];

function shown(context: Context<object, object>, request: object): Shown {
  return context.breakdown(request).categories.map(({ name, tokens, items }) => {
    if (items === undefined) return [name, tokens];
    return [name, tokens, Object.fromEntries(items.map((item) => [item.name, item.tokens]))];
  });
}

describe('shares', () => {
  it('go to the largest remainders, the first of equals first', () => {
    expect(apportioned([1, 1, 1], 100)).toEqual([34, 33, 33]);
    expect(apportioned([5, 3, 2], 7)).toEqual([4, 2, 1]);
    expect(apportioned([0, 7], 3)).toEqual([0, 3]);
    expect(apportioned([0, 0], 0)).toEqual([0, 0]);
    expect(apportioned([], 0)).toEqual([]);
  });
});

describe.each(wireBuilders)('breakdown, $name', (builder) => {
  const toolNames = ['bash', 'mcp__github__search', 'recall'];
  const request = (messages: readonly object[] = []): object =>
    builder.request(messages, { toolNames, system: 'x'.repeat(400), maxOutputTokens: 8_000 });
  const toolTokens = (name: string): number => {
    const { parts = [] } = builder.codec.head(request());
    return codePointTokens(parts.find((part) => part.name === name)?.text ?? '');
  };

  it('works before the first prepare, for appended messages and for an array', () => {
    const session = new TestSession({ builder }).user('y'.repeat(80));
    const { categories, ...rest } = session.context.breakdown(request());
    const tools = toolTokens('bash') + toolTokens('recall');
    const mcp = toolTokens('mcp__github__search');
    const total = 100 + tools + mcp + 20 + 4;
    expect(rest).toEqual({
      totalTokens: total,
      windowTokens: 200_000,
      reservedOutputTokens: 8_000,
      actTokens: 179_000,
      blockTokens: 189_000,
      freeTokens: 192_000 - total,
      untilCompactionTokens: 179_000 - total,
    });
    expect(categories.map(({ name, kind, tokens }) => [name, kind, tokens])).toEqual([
      ['system prompt', 'head', 100],
      ['tools', 'head', tools],
      ['mcp tools', 'head', mcp],
      ['user messages', 'messages', 20],
      ['message overhead', 'messages', 4],
    ]);
    const array = new TestSession({ builder });
    expect(array.context.breakdown(request([builder.user('y'.repeat(80))]))).toEqual({ categories, ...rest });
    expect(array.context.history()).toEqual([]);
  });

  it('tells every kind of content apart, results and tools by name', () => {
    const { context } = new TestSession({ builder });
    context.append([
      builder.user('y'.repeat(40), 'cGljdHVyZQ=='),
      builder.assistant({
        text: 'a'.repeat(40),
        thought: 't'.repeat(40),
        calls: [
          { id: 'c1', name: 'bash', input: {} },
          { id: 'c2', name: 'grep', input: {} },
        ],
      }),
      ...builder.results([
        { callId: 'c1', text: 'r'.repeat(400) },
        { callId: 'c2', text: 'r'.repeat(40) },
      ]),
    ]);
    const found = new Map(shown(context, request()).map(([name, ...more]) => [name, more]));
    expect(found.get('user messages')).toEqual([10]);
    expect(found.get('pictures')).toEqual([1_600]);
    expect(found.get('assistant text')).toEqual([10]);
    expect(found.get('tool calls')?.[0]).toBe(2 * (1 + 1 + 4));
    expect(found.get('tool results')).toEqual([118, { bash: 104, grep: 14 }]);
    expect(found.get('tools')?.[1]).toEqual({ bash: toolTokens('bash'), recall: toolTokens('recall') });
    expect(found.get('reasoning')?.[0]).toBeGreaterThanOrEqual(10);
  });

  it('tells summaries and markers from what they stand for', async () => {
    const session = new TestSession({
      builder,
      state: async () => [{ name: 'plan', text: 'p', maxTokens: 99, rank: 1 }],
    });
    session.user('go');
    for (let i = 0; i < 8; i += 1) session.round('r'.repeat(4_000));
    await session.send();
    const micro = shown(session.context, request()).find(([name]) => name === 'markers');
    expect(Object.keys(micro?.[2] ?? {})).toEqual(['micro']);
    session.context.compact();
    await session.user('next').send();
    const names = shown(session.context, request()).map(([name]) => name);
    expect(names).toEqual([
      'system prompt',
      'tools',
      'mcp tools',
      'user messages',
      'assistant text',
      'summaries',
      'message overhead',
    ]);
  });

  it('adds up to the calibrated total, as the gauge and the receipt give it', async () => {
    const session = new TestSession({ builder }).talk(7, 333);
    const turn = await session.context.prepare(request());
    expect(session.context.breakdown(request()).totalTokens).toBe(turn.receipt.tokens.calibrated);
    await turn.accept(builder.reply({ text: 'ok', usageTokens: 12_345 }));
    session.user('something more');
    const { totalTokens, categories } = session.context.breakdown(request());
    expect(totalTokens).toBe(session.context.gauge()?.tokens);
    expect(totalTokens).toBeGreaterThan(12_345);
    expect(categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(totalTokens);
  });

  it('counts what waits for an open turn', async () => {
    const session = new TestSession({ builder }).user('go');
    await session.context.prepare(request());
    const before = session.context.breakdown(request()).totalTokens;
    session.user('w'.repeat(400));
    expect(session.context.breakdown(request()).totalTokens).toBe(before + 104);
  });

  it('is never below nothing', () => {
    const session = new TestSession({ builder, windowTokens: 4_000 }).user('y'.repeat(40_000));
    const { freeTokens, untilCompactionTokens, totalTokens } = session.context.breakdown(request());
    expect([freeTokens, untilCompactionTokens]).toEqual([0, 0]);
    expect(totalTokens).toBeGreaterThan(10_000);
  });
});
