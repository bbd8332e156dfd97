/** What `recall` gave back is read once before anything takes it out again. */
import { describe, expect, it } from 'vitest';
import { arrival } from '../../src/core/layers/arrival.ts';
import { budget } from '../../src/core/layers/budget.ts';
import { snip } from '../../src/core/layers/snip.ts';
import { classic } from '../../src/core/policies/classic.ts';
import { economic } from '../../src/core/policies/economic.ts';
import { wireBuilders } from '../../src/testing/wire-builder.ts';
import { messagesOf, type Options, TestSession, textsOf } from '../golden/session.ts';

/** Lines no layer folds and no digest repeats. */
function pageOf(chars: number): string {
  const line = (i: number): string => `recalled line ${i}: ${((i + 7) * 2_654_435_761).toString(36)}`;
  return Array.from({ length: Math.ceil(chars / 20) }, (_, i) => line(i))
    .join('\n')
    .slice(0, chars);
}

const noise = (chars: number): string => pageOf(chars).replaceAll('recalled', 'printed');

describe.each(wireBuilders)('recalled text, $name', (builder) => {
  const TOOLS = ['bash', 'recall', 'get_back'];

  const started = (options: Options): TestSession => new TestSession({ builder, maxOutputTokens: 1_000, ...options });

  /** One round whose calls are of the tools named. */
  function round(
    session: TestSession,
    results: readonly (readonly [tool: string, text: string])[],
    thought?: string,
  ): TestSession {
    const said = thought === undefined ? {} : { thought };
    const calls = results.map(([name], i) => ({ id: `r${session.context.history().length}_${i}`, name, input: {} }));
    const answers = results.map(([, text], i) => ({ callId: calls[i]?.id ?? '', text }));
    session.context.append([builder.assistant({ ...said, calls }), ...builder.results(answers)]);
    return session;
  }

  async function sent(session: TestSession): Promise<readonly string[]> {
    const turn = await session.prepare(TOOLS);
    const texts = messagesOf(turn, builder).flatMap(textsOf);
    await turn.accept(builder.reply({ text: 'I have read it.' }));
    return texts;
  }

  it('stays whole where the results of one message are over the budget, and others go', async () => {
    const session = started({ policy: classic, windowTokens: 200_000 }).user('Go.');
    const page = pageOf(90_000);
    const texts = await sent(
      round(session, [
        ['recall', page],
        ['bash', noise(80_000)],
        ['bash', noise(70_000)],
      ]),
    );
    expect(texts).toContain(page);
    expect(texts.filter((text) => text.startsWith('<persisted-output>'))).toHaveLength(1);
  });

  it('goes like every other result once it was sent', async () => {
    const policy = { ...classic, layers: [budget({ limitChars: 1_000, previewChars: 100 })] };
    const session = started({ policy, windowTokens: 200_000 }).user('Go.');
    const page = pageOf(5_000);
    expect(await sent(round(session, [['recall', page]]))).toContain(page);
    session.context.compact();
    expect(await sent(session.user('Go on.'))).not.toContain(page);
  });

  it.each([
    ['classic', { ...classic, layers: [budget({ limitChars: 1_000, previewChars: 100 })] }],
    ['economic', { ...economic, layers: [arrival({ limitChars: 1_000, messageChars: 1_000, previewChars: 100 })] }],
  ])("stays under whatever name the host's tool has: %s", async (_name, policy) => {
    const session = started({ policy, windowTokens: 200_000, recallTool: 'get_back' }).user('Go.');
    const page = pageOf(5_000);
    const texts = await sent(
      round(session, [
        ['get_back', page],
        ['bash', noise(5_000)],
      ]),
    );
    expect(texts).toContain(page);
    expect(texts.filter((text) => text.startsWith('<persisted-output>'))).toHaveLength(1);
  });

  it.each(['classic', 'economic'])('is not summarised at the threshold before it was read: %s', async (name) => {
    const policy = { ...(name === 'classic' ? classic : economic), layers: [] };
    const writer = { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) };
    const session = started({ policy, windowTokens: 16_000, writer });
    session.talk(30, 1_700);
    const page = pageOf(6_000);
    const texts = await sent(round(session, [['recall', page]]));
    expect(texts.some((text) => text.startsWith('[Compacted]'))).toBe(true);
    expect(texts).toContain(page);
  });

  it.each([
    ['a model', { writer: { name: 'stub', write: async () => ({ text: 'THE SUMMARY', stop: 'end' as const }) } }],
    ['code', {}],
  ])('is quoted whole where reasoning lets no message stay, by %s', async (_name, by) => {
    const policy = { ...classic, layers: [] };
    const session = started({ policy, windowTokens: 16_000, reasoningBinding: () => 'reject', ...by });
    const page = pageOf(6_000);
    const texts = await sent(round(session.talk(30, 1_700), [['recall', page]], 'What did it say?'));
    expect(texts.some((text) => text.startsWith('[Compacted]'))).toBe(true);
    expect(texts).not.toContain(page);
    expect(texts.some((text) => text.includes(`result ${JSON.stringify(page)}`))).toBe(true);
  });

  it('is not summarised by a compaction the model asks for in the same batch', async () => {
    const session = started({ policy: classic, windowTokens: 200_000 }).talk(20, 900);
    const page = pageOf(6_000);
    round(session, [
      ['recall', page],
      ['compact', 'Compacting.'],
    ]).context.compact();
    const texts = await sent(session);
    expect(texts.some((text) => text.startsWith('[Compacted]'))).toBe(true);
    expect(texts).toContain(page);
  });

  it('stays where the user spoke before the model had read it, and turns are snipped', async () => {
    const session = started({ policy: classic, windowTokens: 200_000 }).talk(20, 900);
    const page = pageOf(6_000);
    round(session, [['recall', page]])
      .user('One more thing.')
      .context.snip({ keepTurns: 1 });
    const texts = await sent(session);
    expect(texts.some((text) => text.startsWith('[snipped '))).toBe(true);
    expect(texts).toContain(page);
  });

  it('stays where more messages came behind it than a view may hold', async () => {
    const policy = { ...classic, layers: [snip({ maxMessages: 10, headMessages: 2 })] };
    const session = started({ policy, windowTokens: 200_000 }).talk(20, 900);
    const page = pageOf(6_000);
    round(session, [['recall', page]]);
    for (let i = 0; i < 12; i += 1) session.user(`And ${i}: ${noise(200)}`);
    const texts = await sent(session);
    expect(texts.some((text) => text.startsWith('[snipped '))).toBe(true);
    expect(texts).toContain(page);
  });

  it('is the last result shortened where a request has to fit', async () => {
    const session = started({ policy: { ...classic, layers: [] }, windowTokens: 16_000 }).user('Go.');
    const page = pageOf(24_000);
    const texts = await sent(
      round(session, [
        ['recall', page],
        ['bash', noise(19_000)],
        ['bash', noise(22_000)],
      ]),
    );
    expect(texts).toContain(page);
    expect(texts.filter((text) => text.startsWith('<persisted-output>')).length).toBeGreaterThan(0);
  });

  it('gives way where nothing else is left to shorten', async () => {
    const session = started({ policy: classic, windowTokens: 16_000 }).user('Go.');
    const texts = await sent(round(session, [['recall', pageOf(80_000)]]));
    expect(texts.some((text) => text.startsWith('<persisted-output>\nFull output: 80000 characters'))).toBe(true);
  });
});
