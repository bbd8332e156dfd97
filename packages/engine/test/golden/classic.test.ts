import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classic } from '../../src/core/policies/classic.ts';
import { constantsOf } from '../../src/core/policy.ts';
import { CLASSIC_WINDOW, windowOf } from '../../src/core/window.ts';
import type { Turn } from '../../src/hub/turn.ts';
import { messagesOf, TestSession, textsOf } from './session.ts';
import { microCompact, snipCompact, type TaughtMessage, toolResultBudget } from './teaching-port.ts';

const SNIPPED = /^\[snipped (\d+) messages from conversation middle\] recall: h_\d+-\d+_[0-9a-f]{16}$/;

function snippedIn(turn: Turn<object, object>): readonly number[] {
  return messagesOf(turn).flatMap((message) => textsOf(message).flatMap((text) => Number(SNIPPED.exec(text)?.[1] ?? []) || []));
}

describe('snip: first 3, last 47', () => {
  it('leaves 50 messages alone', async () => {
    const turn = await new TestSession().talk(50).prepare();
    expect(messagesOf(turn)).toHaveLength(50);
    expect(turn.receipt.layers).toEqual([]);
  });

  it.each([
    [51, 1],
    [52, 2],
    [90, 40],
  ])('of %i messages takes %i out of the middle', async (total, snipped) => {
    const session = new TestSession().talk(total);
    const turn = await session.prepare();
    const messages = messagesOf(turn);
    expect(messages).toHaveLength(3 + 1 + 47);
    expect(snippedIn(turn)).toEqual([snipped]);
    expect(textsOf(messages[2])[0]).toMatch(/^2 /);
    expect(textsOf(messages[4])[0]).toMatch(new RegExp(`^${total - 47} `));
  });

  it('keeps its promise on the next turn: one marker with the true total', async () => {
    const session = new TestSession().talk(60);
    await session.send({ text: 'x'.repeat(400) });
    const turn = await session.user('y'.repeat(400)).prepare();
    expect(messagesOf(turn)).toHaveLength(51);
    expect(snippedIn(turn)).toEqual([62 - 50]);
  });

  it('does not part a round on the head: the results of the third message stay with it', async () => {
    const session = new TestSession().user('start').assistant('a'.repeat(300)).round('r'.repeat(50));
    const turn = await session.talk(60).prepare();
    const messages = messagesOf(turn);
    expect((messages[2] as { role: string }).role).toBe('assistant');
    expect(JSON.stringify(messages[3])).toContain('tool_result');
    expect(snippedIn(turn)).toEqual([64 - 4 - 47]);
  });

  it('does not part a round on the tail: the call of the first kept result stays', async () => {
    // 20 + 2 + 46 messages: the tail of 47 would begin with the results.
    const session = new TestSession().talk(20).round('r'.repeat(50)).talk(46);
    const turn = await session.prepare();
    const messages = messagesOf(turn);
    expect(snippedIn(turn)).toEqual([68 - 3 - 48]);
    expect(JSON.stringify(messages[4])).toContain('tool_use');
    expect(JSON.stringify(messages[5])).toContain('tool_result');
  });

  it('never inserts a marker for zero messages, as the rule as written does at 51', async () => {
    // Head widened to 4, tail to 48: nothing lies between.
    const session = new TestSession().user('start').assistant('ok').round('r').round('r').talk(45);
    const turn = await session.prepare();
    expect(messagesOf(turn)).toHaveLength(51);
    expect(snippedIn(turn)).toEqual([]);
  });

  it('carries the newest user message where the middle has it', async () => {
    const session = new TestSession().talk(4).user('THE TASK');
    for (let i = 0; i < 40; i += 1) session.round('r'.repeat(60));
    const messages = messagesOf(await session.prepare());
    expect(textsOf(messages[3])).toEqual([expect.stringMatching(SNIPPED), 'THE TASK']);
  });
});

describe('micro: all but the newest 3 results, over 120 characters', () => {
  const MARKER = /^\[Earlier tool result compacted\. Re-run if needed\.\] recall: c_[0-9a-f]{16}$/;

  it('keeps 120 characters and compacts 121', async () => {
    const session = new TestSession().user('go').round('a'.repeat(120)).round('b'.repeat(121)).round('c'.repeat(500)).round('d'.repeat(500)).round('e'.repeat(500)).assistant('seen');
    const results = messagesOf(await session.user('next').prepare()).flatMap((message) => textsOf(message)).filter((text) => text !== 'go' && text !== 'seen' && text !== 'next');
    expect(results).toEqual(['a'.repeat(120), expect.stringMatching(MARKER), 'c'.repeat(500), 'd'.repeat(500), 'e'.repeat(500)]);
  });

  it('keeps the newest three whatever message they are in', async () => {
    const session = new TestSession().user('go').round('a'.repeat(500), 'b'.repeat(500), 'c'.repeat(500), 'd'.repeat(500), 'e'.repeat(500)).assistant('seen');
    const turn = await session.user('next').prepare();
    expect(textsOf(messagesOf(turn)[2]).map((text) => MARKER.test(text))).toEqual([true, true, false, false, false]);
  });

  it('never compacts a result the model has not seen', async () => {
    const turn = await new TestSession().user('go').round('a'.repeat(500), 'b'.repeat(500), 'c'.repeat(500), 'd'.repeat(500), 'e'.repeat(500)).prepare();
    expect(turn.receipt.layers).toEqual([]);
  });
});

describe('budget: 200,000 characters in the newest message', () => {
  it('leaves exactly 200,000 alone', async () => {
    const turn = await new TestSession({ windowTokens: 1_000_000 }).user('go').round('a'.repeat(120_000), 'b'.repeat(80_000)).prepare();
    expect(turn.receipt.layers).toEqual([]);
  });

  it('at 200,001 persists the largest alone, with its size, address and a preview of 2,000', async () => {
    const session = new TestSession({ windowTokens: 1_000_000 }).user('go').round('b'.repeat(80_000), 'a'.repeat(120_001));
    const [small, large] = textsOf(messagesOf(await session.prepare())[2]);
    expect(small).toBe('b'.repeat(80_000));
    expect(large).toMatch(/^<persisted-output>\nFull output: 120001 characters, recall: c_[0-9a-f]{16}\nPreview, 118001 characters left out:\na{2000}\n<\/persisted-output>$/);
  });

  it('goes on with the next largest until the rest fits', async () => {
    const session = new TestSession({ windowTokens: 1_000_000 }).user('go').round('a'.repeat(150_000), 'b'.repeat(160_000), 'c'.repeat(170_000));
    const texts = textsOf(messagesOf(await session.prepare())[2]);
    expect(texts.map((text) => text.startsWith('<persisted-output>'))).toEqual([false, true, true]);
  });

  it('does not look at older messages', async () => {
    const session = new TestSession({ windowTokens: 1_000_000 }).user('go').round('a'.repeat(150_000)).round('b'.repeat(150_000));
    expect((await session.prepare()).receipt.layers).toEqual([]);
  });
});

describe('summary', () => {
  const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };

  it('over the threshold: [Compacted], a blank line, the summary, its address; then the newest user message', async () => {
    const session = new TestSession({ windowTokens: 16_000, writer }).user('old task').assistant('x'.repeat(60_000)).user('THE NEW TASK');
    const turn = await session.prepare();
    const messages = messagesOf(turn);
    expect(messages).toHaveLength(1);
    expect(textsOf(messages[0])).toEqual([
      expect.stringMatching(/^\[Compacted\]\n\nTHE SUMMARY\n\nAdded by code, from the conversation itself:\n\nMessages of the user:\n- "old task"\n\nThe original messages: recall: h_0-3_[0-9a-f]{16}$/),
      'THE NEW TASK',
    ]);
    expect(turn.receipt).toMatchObject({ cause: 'threshold', summary: { writer: 'stub', trigger: 'threshold', attempts: 1 } });
  });

  it('acts above window - max output - 13,000, by code points / 4', async () => {
    const head = (await new TestSession().user('x').prepare()).receipt.tokens.head;
    const threshold = 200_000 - 8_000 - 13_000;
    const overhead = 4;
    const at = async (tokens: number): Promise<string | undefined> => {
      const session = new TestSession({ writer }).user('go').assistant('x'.repeat(4 * (tokens - head - 2 * overhead - 1 - 5)));
      return (await session.user('n').prepare()).receipt.cause;
    };
    expect(await at(threshold)).toBeUndefined();
    expect(await at(threshold + 1)).toBe('threshold');
  });

  it('after "too long": [Reactive compact], then the last 5 messages', async () => {
    const session = new TestSession({ writer }).talk(20);
    const turn = await session.prepare();
    const next = await turn.fail(Object.assign(new Error('400 prompt is too long: 210000 tokens > 200000 maximum'), { status: 400 }));
    const messages = messagesOf(next as Turn<object, object>);
    expect(messages).toHaveLength(6);
    expect(textsOf(messages[0])[0]).toMatch(/^\[Reactive compact\]\n\nTHE SUMMARY\n\nAdded by code, [^]*\n\nThe original messages: recall: h_0-15_/);
    expect(messages.slice(1).map((message) => textsOf(message)[0]?.split(' ')[0])).toEqual(['15', '16', '17', '18', '19']);
  });

  it('after "too long", a round on the cut stays whole', async () => {
    const session = new TestSession({ writer }).talk(10).round('r'.repeat(400)).talk(4);
    const turn = await session.prepare();
    const next = await turn.fail(Object.assign(new Error('400 prompt is too long: 210000 tokens > 200000 maximum'), { status: 400 }));
    const messages = messagesOf(next as Turn<object, object>);
    expect(messages).toHaveLength(1 + 6);
    expect(JSON.stringify(messages[1])).toContain('tool_use');
  });
});

describe('order and constants', () => {
  it('runs budget, then snip, then micro', async () => {
    const session = new TestSession({ windowTokens: 1_000_000 }).user('go');
    for (let i = 0; i < 30; i += 1) session.round('r'.repeat(400));
    const turn = await session.round('x'.repeat(250_000)).prepare();
    expect(turn.receipt.layers.map(({ layer }) => layer)).toEqual(['budget', 'snip', 'micro']);
  });

  it.each([
    [4_000, { budget: { limitChars: 4_000, previewChars: 40 }, micro: { keepResults: 3, minChars: 2 }, actTokens: 2_740, blockTokens: 2_940 }],
    [24_000, { budget: { limitChars: 24_000, previewChars: 240 }, micro: { keepResults: 3, minChars: 14 }, actTokens: 16_440, blockTokens: 17_640 }],
    [32_000, { budget: { limitChars: 32_000, previewChars: 320 }, micro: { keepResults: 3, minChars: 19 }, actTokens: 21_920, blockTokens: 23_520 }],
    [200_000, { budget: { limitChars: 200_000, previewChars: 2_000 }, micro: { keepResults: 3, minChars: 120 }, actTokens: 179_000, blockTokens: 189_000 }],
  ])('at %i tokens scales to the window', (windowTokens, expected) => {
    const constants = constantsOf(classic, windowOf({ windowTokens, maxOutputTokens: 8_000 }, CLASSIC_WINDOW));
    expect(constants).toMatchObject({
      budget: expected.budget,
      micro: expected.micro,
      snip: { maxMessages: 50, headMessages: 3, tailMessages: 47 },
      window: { windowTokens, actTokens: expected.actTokens, blockTokens: expected.blockTokens },
    });
  });
});

type Step = { readonly say: true } | { readonly results: readonly number[] };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<Step>({ say: true }) },
    { weight: 4, arbitrary: fc.record({ results: fc.array(fc.constantFrom(60, 120, 121, 400, 400, 400, 120_000), { minLength: 1, maxLength: 5, size: 'max' }) }) },
  ),
  { minLength: 20, maxLength: 60, size: 'max' },
);

/** Runs the taught layers and the engine side by side, one call of the model per step. */
async function compare(script: readonly Step[]): Promise<number> {
  const session = new TestSession({ windowTokens: 2_000_000 });
  let taught: readonly TaughtMessage[] = [];
  let [messageId, resultId, compared] = [0, 0, 0];
  const add = (message: Omit<TaughtMessage, 'id'>): void => {
    taught = [...taught, { id: messageId++, ...message }];
  };
  session.user('task '.repeat(80));
  add({ role: 'user', hasCalls: false, results: [] });
  for (const step of script) {
    if ('say' in step) {
      // A user comes after an answer: the call before ended the turn.
      session.user('more '.repeat(80));
      add({ role: 'user', hasCalls: false, results: [] });
    } else {
      session.round(...step.results.map((chars) => 'r'.repeat(chars)));
      add({ role: 'assistant', hasCalls: true, results: [] });
      add({ role: 'user', hasCalls: false, results: step.results.map((chars) => ({ id: resultId++, chars, state: 'whole' as const })) });
    }
    const newestUser = Math.max(...taught.filter((message) => message.role === 'user' && message.results.length === 0 && message.snipped === undefined).map(({ id }) => id), session.context.history().findLastIndex((message) => typeof (message as { content: unknown }).content === 'string' && (message as { role: string }).role === 'user'));
    taught = microCompact(snipCompact(toolResultBudget(taught)));
    const turn = await session.prepare();
    const unseen = session.context.history().length - 1;
    await turn.accept(session.builder.reply({ text: 'answer '.repeat(60) }));
    const entries = session.context.view().entries.filter((entry) => entry.to <= unseen + 1);
    const kept = new Set(entries.filter((entry) => entry.range === undefined).map((entry) => entry.from));
    const taughtKept = taught.filter((message) => message.snipped === undefined).map(({ id }) => id);
    // Departure 1: the newest user message is carried in the marker; departures 3 and 4: markers do not count as messages.
    expect([...kept].sort((a, b) => a - b)).toEqual(taughtKept.filter((id) => kept.has(id) || id !== newestUser));
    const patched = new Set(entries.flatMap((entry) => [...(entry.patches?.values() ?? [])].map((edit) => `${edit.at}.${edit.part}`)));
    for (const message of taught) {
      message.results.forEach((result, part) => {
        const isTouched = patched.has(`${message.id}.${part}`);
        // Departure 2: what the model has not seen is never compacted, unless the budget took it.
        const isUnseen = message.id === unseen;
        if (!isUnseen || result.state !== 'compacted') expect(isTouched, `result ${part} of message ${message.id}, ${result.state}`).toBe(result.state !== 'whole');
        if (isUnseen && result.state === 'compacted' && !isTouched) result.state = 'compacted';
      });
    }
    add({ role: 'assistant', hasCalls: false, results: [] });
    compared += 1;
  }
  return compared;
}

describe('against a port of the taught layers', () => {
  it('keeps the same messages and results over random sessions, but for the documented departures', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        compared += await compare(script);
      }),
      { seed: 8, numRuns: 40 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });
});
