/** When a part gives way to a text, and what is kept of it. */
import { describe, expect, it } from 'vitest';
import type { LayerInput } from '../../src/core/layers/layer.ts';
import { type PartPlan, picturesIn, planPart, readableText, resultsFrom } from '../../src/core/layers/part-edits.ts';
import { applyEdits } from '../../src/core/view.ts';
import { build, call, inputOf, result } from '../core/support.ts';

const LONG = 'a line that says something\n'.repeat(40);

const plan = (at: number, text: string, more: Partial<PartPlan> = {}): PartPlan => ({
  at,
  part: 0,
  layer: 'micro',
  reason: 'test',
  text: () => text,
  ...more,
});

const resultOf = (content: unknown): object => build.results([{ callId: 'a', text: '', content }])[0] ?? {};

const withResult = (content: unknown): LayerInput => inputOf([build.user('go'), call('a'), resultOf(content)]);

/** `input` whose view holds `edit` made with `text` before. */
function after(input: LayerInput, text: string): LayerInput {
  const made = planPart(plan(2, text), input);
  if (made === undefined) throw new Error('the first edit frees nothing');
  return { ...input, view: applyEdits(input.view, [made.edit], input) };
}

describe('a plan', () => {
  it('becomes an edit that holds its address, its proof and its text', () => {
    const input = withResult(LONG);
    const asked: unknown[] = [];
    const made = planPart(plan(2, '', { text: (...words) => `short ${asked.push(words)}` }), input);
    expect(made?.exact).toBe(LONG);
    expect(made?.edit).toEqual({
      kind: 'part',
      layer: 'micro',
      at: 2,
      part: 0,
      until: 3,
      proof: input.history.digest(2, 3),
      text: 'short 1',
      becomesText: false,
      addresses: [made?.address],
      reason: 'test',
    });
    expect(asked).toEqual([[LONG, made?.address, input.history.at(2).parts[0]]]);
  });

  it('for a part that is not there is nothing', () => {
    expect(planPart(plan(2, 'short', { part: 1 }), withResult(LONG))).toBeUndefined();
  });

  it('that frees nothing is nothing: no tokens, or no bytes', () => {
    const input = withResult(LONG);
    expect(planPart(plan(2, `${LONG}${LONG}`), input)).toBeUndefined();
    expect(planPart(plan(2, LONG), input)).toBeUndefined();
    // Fewer tokens, as these are counted, and more bytes: each of these characters is six in JSON.
    expect(planPart(plan(2, '\u0001'.repeat(300)), input)).toBeUndefined();
    // Fewer bytes than the escapes of what goes, and as many tokens.
    const escaped = withResult('\u0001'.repeat(40));
    expect(planPart(plan(2, 'x'.repeat(200)), escaped)).toBeUndefined();
  });

  it('is measured against the escapes of a text, and a list of blocks as the JSON it is', () => {
    const quotes = '"'.repeat(400);
    // 402 characters, 802 with their escapes: longer than what it replaces by characters, shorter as JSON.
    const free = (text: string): number => (text[0] === 'x' ? 1 : 500);
    expect(planPart(plan(2, 'x'.repeat(410)), { ...withResult(quotes), count: free })).toBeDefined();
    const asText = inputOf([build.user(quotes), build.assistant({ text: 'yes' }), build.user('newer')]);
    expect(planPart(plan(0, 'x'.repeat(410)), { ...asText, count: free })).toBeDefined();
    const blocks = [{ type: 'text', text: 'y'.repeat(400) }];
    const exact = JSON.stringify(blocks);
    const input = { ...withResult(blocks), count: free };
    expect(planPart(plan(2, 'x'.repeat(exact.length - 3)), input)?.exact).toBe(exact);
    expect(planPart(plan(2, 'x'.repeat(exact.length - 2)), input)).toBeUndefined();
  });

  it('over an earlier edit has to be shorter than that, in tokens and in bytes', () => {
    const input = after(withResult(LONG), 'an earlier text of some length');
    expect(planPart(plan(2, 'shorter'), input)).toBeDefined();
    expect(planPart(plan(2, 'an earlier text of some length'), input)).toBeUndefined();
    expect(planPart(plan(2, 'a text that is even longer than the one before it'), input)).toBeUndefined();
    expect(planPart(plan(2, '\u0001'.repeat(8)), input)).toBeUndefined();
    const free = { ...input, count: (text: string): number => (text === 'shorter' ? 9 : 9) };
    expect(planPart(plan(2, 'shorter'), free)).toBeUndefined();
  });

  it('asks nothing of an earlier edit elsewhere', () => {
    const long = build.results([{ callId: 'b', text: LONG }])[0] ?? {};
    const input = inputOf([build.user('go'), call('a'), resultOf(LONG), call('b'), long]);
    const edited = after(input, 'x');
    expect(planPart(plan(4, 'short'), edited)).toBeDefined();
    expect(planPart(plan(2, 'short'), edited)).toBeUndefined();
  });
});

describe('the evidence of an edit', () => {
  const talk = inputOf([
    build.user(LONG),
    build.assistant({ text: LONG }),
    build.user('newer'),
    build.assistant({ text: LONG }),
    build.user(LONG),
    build.assistant({ text: LONG }),
  ]);
  const untilOf = (at: number): number | undefined => planPart(plan(at, 'short'), talk)?.edit.until;

  it('of an older message of the user ends behind the newer one that allows it', () => {
    expect(untilOf(0)).toBe(5);
    expect(planPart(plan(0, 'short'), talk)?.edit.proof).toBe(talk.history.digest(0, 5));
  });

  it('of anything else ends behind the entry', () => {
    expect([1, 3, 4, 5].map(untilOf)).toEqual([2, 4, 5, 6]);
  });

  it('of a result in front of a newer question ends behind its entry', () => {
    const input = inputOf([
      build.user('go'),
      call('a'),
      resultOf(LONG),
      build.assistant({ text: 'done' }),
      build.user('and?'),
    ]);
    expect(planPart(plan(2, 'short'), input)?.edit.until).toBe(3);
  });
});

describe('what can be read of a part', () => {
  it('is the text of texts and results, and the exact bytes of the rest', () => {
    const { history } = inputOf([
      build.user('words'),
      build.assistant({ calls: [{ id: 'a', name: 'bash', input: { command: 'ls' } }] }),
      resultOf([{ type: 'text', text: 'inside' }]),
    ]);
    expect([0, 1, 2].map((at) => readableText(history.at(at).parts[0]!))).toEqual([
      'words',
      '{"command":"ls"}',
      'inside',
    ]);
  });

  it('counts pictures in results only', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const { history } = inputOf([
      build.user('see', 'AAAA'),
      call('a'),
      resultOf([
        { type: 'image', source },
        { type: 'image', source },
      ]),
    ]);
    expect(history.at(0).parts.map(picturesIn)).toEqual([0, 0]);
    expect(history.at(2).parts.map(picturesIn)).toEqual([2]);
  });
});

describe('the results in view', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  const input = inputOf([
    build.user('go'),
    call('a', 'b'),
    build.results([
      { callId: 'a', text: LONG },
      {
        callId: 'b',
        text: '',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image', source },
        ],
      },
    ])[0] ?? {},
    call('c'),
    result('c'),
  ]);

  it('are told with their length, a picture as 6,400 characters', () => {
    const found = resultsFrom(input.view, input, 0);
    expect(found).toEqual([
      { at: 2, part: 0, chars: 1080, isReplaced: false },
      { at: 2, part: 1, chars: expect.any(Number), isReplaced: false },
      { at: 4, part: 0, chars: 11, isReplaced: false },
    ]);
    expect(found[1]?.chars).toBeGreaterThanOrEqual(6404);
    expect(found[1]?.chars).toBeLessThan(6500);
  });

  it('begin where they are asked for', () => {
    expect(resultsFrom(input.view, input, 3).map(({ at }) => at)).toEqual([4]);
    expect(resultsFrom(input.view, input, 5)).toEqual([]);
  });

  it('say where an edit stands already, and leave out what became text or went with a range', () => {
    const { edit } = planPart(plan(2, 'short'), input)!;
    const edited = applyEdits(input.view, [edit], input);
    expect(resultsFrom(edited, input, 0).map(({ isReplaced }) => isReplaced)).toEqual([true, false, false]);
    const repaired = applyEdits(input.view, [{ ...edit, becomesText: true }], input);
    expect(resultsFrom(repaired, input, 0).map(({ at, part }) => [at, part])).toEqual([
      [2, 1],
      [4, 0],
    ]);
    const range = { ...edit, kind: 'range' as const, from: 1, to: 3, pieces: ['short'] };
    const covered = applyEdits(input.view, [range], input);
    expect(resultsFrom(covered, input, 0).map(({ at }) => at)).toEqual([4]);
  });
});
