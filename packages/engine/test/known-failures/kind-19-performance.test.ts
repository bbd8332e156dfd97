/** Time and memory, by what is counted and written; times themselves are the bench's. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/estimate.ts';
import { guardedCounter } from '../../src/encoders/guard.ts';
import { SCENES, Story, sum } from './support/story.ts';

const RUNS: Readonly<Record<string, string>> = {
  letters: 'x'.repeat(500_000),
  underscores: '_'.repeat(500_000),
  spaces: ' '.repeat(500_000),
  CJK: '漢'.repeat(50_000),
  emoji: '🙂'.repeat(50_000),
  digits: '7'.repeat(1_000_000),
};

describe('kind 19, long runs', () => {
  it.each(Object.entries(RUNS))('Q01: a tokenizer gets a long run of %s in pieces, each character once', (_, text) => {
    let longest = 0;
    let total = 0;
    const spied = (piece: string): number => {
      longest = Math.max(longest, piece.length);
      total += piece.length;
      return countTokens(piece);
    };
    const tokens = guardedCounter(spied)(text);
    // Encoders are quadratic in the length of a piece without a place to cut.
    expect(longest).toBeLessThanOrEqual(256);
    expect(total).toBe(text.length);
    expect(estimateTokens(text) / tokens).toBeGreaterThan(0.5);
    expect(estimateTokens(text) / tokens).toBeLessThan(3);
  });
});

describe.each(SCENES)('kind 19, $name', (scene) => {
  it('Q03: what a turn adds to a session’s record is the same at the twentieth message and at the two thousandth', async () => {
    const story = new Story(scene, { writer: sum(), windowTokens: 20_000, maxOutputTokens: 1_000 }).user('Go.');
    const added: number[] = [];
    let seq = 0;
    for (let n = 0; n < 1_000; n += 1) {
      const turn = await story.prepare();
      const call = { id: `c${n}`, name: 'bash', input: { command: 'make' } };
      await turn.accept(story.builder.reply({ calls: [call] }));
      story.results([call.id, 'the very same result '.repeat(20)]);
      const delta = story.context.snapshot(seq);
      seq = delta.groups.at(-1)?.seq ?? seq;
      added.push(JSON.stringify(delta).length);
    }
    const most = (from: number, to: number): number => Math.max(...added.slice(from, to));
    expect(story.context.history().length).toBeGreaterThan(1_900);
    expect(most(900, 1_000)).toBeLessThan(most(50, 150) * 2);
  });
});
