/** How range edits are made: spans, what of the user is carried over, notes and pins, evidence, and what is freed. */
import { describe, expect, it } from 'vitest';
import { contentAddress } from '../../src/core/archive.ts';
import type { RangeEdit } from '../../src/core/edit.ts';
import type { LayerInput } from '../../src/core/layers/layer.ts';
import {
  carryNewestUser,
  carryNotes,
  carryUsers,
  freedByRange,
  rangeEdit,
  replaceableSpans,
} from '../../src/core/layers/range-edits.ts';
import { applyEdits, type View } from '../../src/core/view.ts';
import { build, call, inputOf, result } from '../core/support.ts';

const said = (text: string): object => build.assistant({ text });

function planned(input: LayerInput, from: number, to: number, more: Partial<RangeEdit> = {}): RangeEdit {
  const plan = { from, to, layer: 'summary' as const, reason: 'test', pieces: ['short'], addresses: ['h_1'] };
  return { ...rangeEdit(plan, input.history), ...more };
}

const withRange = (input: LayerInput, edit: RangeEdit): LayerInput => ({
  ...input,
  view: applyEdits(input.view, [edit], input),
});

describe('what of a span may be replaced', () => {
  const talk = inputOf(Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? build.user(`u${at}`) : said(`m${at}`))));

  it('is all of it, and nothing of an empty one', () => {
    expect(replaceableSpans({ from: 2, to: 6 }, talk)).toEqual([{ from: 2, to: 6 }]);
    expect(replaceableSpans({ from: 2, to: 2 }, talk)).toEqual([]);
  });

  it('takes an earlier range whole or not at all', () => {
    const compacted = withRange(talk, planned(talk, 2, 6));
    expect(replaceableSpans({ from: 3, to: 9 }, compacted)).toEqual([{ from: 6, to: 9 }]);
    expect(replaceableSpans({ from: 2, to: 9 }, compacted)).toEqual([{ from: 2, to: 9 }]);
    expect(replaceableSpans({ from: 0, to: 5 }, compacted)).toEqual([{ from: 0, to: 2 }]);
    expect(replaceableSpans({ from: 0, to: 6 }, compacted)).toEqual([{ from: 0, to: 6 }]);
    expect(replaceableSpans({ from: 3, to: 5 }, compacted)).toEqual([]);
  });

  it('is what lies between what has to stay, with its neighbours', () => {
    const input = inputOf([
      build.user('a'),
      said('b'),
      build.host('rule'),
      said('c'),
      build.user('d'),
      build.host('rule'),
      build.host('rule'),
      said('e'),
      build.user('f'),
      said('g'),
    ]);
    expect(replaceableSpans({ from: 0, to: 10 }, input)).toEqual([
      { from: 0, to: 2 },
      { from: 4, to: 5 },
      { from: 8, to: 10 },
    ]);
    expect(replaceableSpans({ from: 3, to: 5 }, input)).toEqual([{ from: 4, to: 5 }]);
    expect(replaceableSpans({ from: 4, to: 5 }, input)).toEqual([{ from: 4, to: 5 }]);
  });
});

describe('the newest message of the user', () => {
  it('is carried whole, wherever in the span it is', () => {
    const input = inputOf([build.user('first'), said('x'), build.user('newest', 'AAAA'), said('y')]);
    const carried = {
      pieces: [
        { entry: 2, part: 0 },
        { entry: 2, part: 1 },
      ],
      kept: new Map(),
    };
    expect(carryNewestUser({ from: 0, to: 3 }, input)).toEqual(carried);
    expect(carryNewestUser({ from: 2, to: 3 }, input)).toEqual(carried);
  });

  it('is not carried by a span beside it', () => {
    const input = inputOf([build.user('first'), said('x'), build.user('newest'), said('y')]);
    const nothing = { pieces: [], kept: new Map() };
    expect(carryNewestUser({ from: 0, to: 2 }, input)).toEqual(nothing);
    expect(carryNewestUser({ from: 3, to: 4 }, input)).toEqual(nothing);
  });

  const long = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(' ');

  it('over its half of the window becomes head, tail and address, and is kept', () => {
    const input = inputOf([build.user(long), said('x')], 8_000);
    const { pieces, capped, kept } = carryNewestUser({ from: 0, to: 2 }, input);
    const address = contentAddress(long, input.hash);
    expect(capped).toBe(0);
    expect([...kept]).toEqual([[address, long]]);
    expect(pieces).toHaveLength(1);
    const text = String(pieces[0]);
    expect(text.startsWith('word0 word1 ')).toBe(true);
    expect(text.endsWith(' word2998 word2999')).toBe(true);
    expect(text).toContain(`recall: ${address}]`);
    // About half of the characters its 4,000 tokens stand for.
    const share = 4_000 / input.history.at(0).tokens;
    expect(text.length).toBeGreaterThan((long.length * share) / 2);
    expect(text.length).toBeLessThan((long.length * share) / 2 + 200);
  });

  it('is cut to what is allowed, and never to more than its share', () => {
    const input = inputOf([build.user(long), said('x')], 8_000);
    const lengthAt = (allowed: number): number =>
      String(carryNewestUser({ from: 0, to: 2 }, input, allowed).pieces[0]).length;
    expect(lengthAt(1_000)).toBeLessThan(lengthAt(2_000));
    expect(lengthAt(100_000)).toBe(lengthAt(4_000));
    // 400 characters stay of it in any case.
    expect(lengthAt(1)).toBeGreaterThan(400);
    expect(lengthAt(1)).toBeLessThan(520);
    expect(lengthAt(2)).toBe(lengthAt(1));
  });

  it('stays whole where it takes just what is allowed', () => {
    const input = inputOf([build.user('a few words'), said('x')]);
    const tokens = input.history.at(0).tokens - 4;
    expect(carryNewestUser({ from: 0, to: 2 }, input, tokens)).toEqual({
      pieces: [{ entry: 0, part: 0 }],
      kept: new Map(),
    });
    expect(carryNewestUser({ from: 0, to: 2 }, input, tokens - 1).capped).toBe(0);
  });

  it('keeps its pictures where they take at most three quarters of what is allowed', () => {
    const input = inputOf([build.user(long, 'AAAA'), said('x')], 8_000);
    const picture = { entry: 0, part: 1 };
    expect(carryNewestUser({ from: 0, to: 2 }, input, 2_134).pieces).toEqual([expect.any(String), picture]);
    const { pieces, kept } = carryNewestUser({ from: 0, to: 2 }, input, 2_133);
    const value = input.history.at(0).parts[1]!;
    const exact = JSON.stringify(value.kind === 'media' ? value.value : '');
    const address = contentAddress(exact, input.hash);
    expect(pieces).toEqual([expect.any(String), `[image/png left out, recall: ${address}]`]);
    expect([...kept]).toEqual([
      [contentAddress(long, input.hash), long],
      [address, exact],
    ]);
    // Beside the picture there is room for less of the text.
    const beside = String(carryNewestUser({ from: 0, to: 2 }, input, 2_200).pieces[0]).length;
    expect(beside).toBeLessThan(String(pieces[0]).length);
  });

  it('that is pictures only loses them for their addresses, and keeps no empty text', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const input = inputOf([
      {
        role: 'user',
        content: [
          { type: 'image', source },
          { type: 'image', source },
        ],
      },
      said('x'),
    ]);
    const { pieces, capped, kept } = carryNewestUser({ from: 0, to: 2 }, input, 3_000);
    expect(capped).toBe(0);
    expect(pieces).toEqual([
      expect.stringMatching(/^\[image\/png left out/),
      expect.stringMatching(/^\[image\/png left out/),
    ]);
    expect(kept.size).toBe(1);
  });

  it('of several texts is one text, an empty line between', () => {
    const content = [long, 'and then'].map((text) => ({ type: 'text', text }));
    const input = inputOf([{ role: 'user', content }, said('x')], 8_000);
    expect([...carryNewestUser({ from: 0, to: 2 }, input).kept.values()]).toEqual([`${long}\n\nand then`]);
  });

  it('short in characters, and long in tokens, is not cut', () => {
    const input = inputOf([build.user('a few words'), said('x')]);
    const { pieces, capped } = carryNewestUser({ from: 0, to: 2 }, input, 1);
    expect([pieces, capped]).toEqual([['a few words'], 0]);
  });
});

describe('the older messages of the user', () => {
  const words = 'w '.repeat(150).trim();
  const input = inputOf([
    build.user('one'),
    said('x'),
    build.user(words),
    said('y'),
    build.user('three'),
    said('z'),
    build.user('newest'),
  ]);
  const [one, two, three] = [0, 2, 4].map((at) => input.history.at(at).tokens - 4) as [number, number, number];
  const span = { from: 0, to: 7 };
  const carry = (maxTokens?: number) =>
    carryUsers(span, input, { address: 'h_all', ...(maxTokens === undefined ? {} : { maxTokens }) });
  const whole = (...entries: number[]) => entries.map((entry) => ({ entry, part: 0 }));

  it('are carried in order, without the newest of all', () => {
    expect(carry()).toEqual({ pieces: whole(0, 2, 4), kept: new Map(), whole: 3 });
    expect(carryUsers({ from: 1, to: 4 }, input, { address: 'h_all' }).pieces).toEqual(whole(2));
    expect(carryUsers({ from: 0, to: 2 }, input, { address: 'h_all' }).pieces).toEqual(whole(0));
    expect(carryUsers({ from: 2, to: 3 }, input, { address: 'h_all' }).pieces).toEqual(whole(2));
  });

  it('are carried from the newest back as far as there is room, the rest by address', () => {
    expect(carry(one + two + three).whole).toBe(3);
    expect(carry(two + three)).toEqual({
      pieces: ['[1 older message of the user left out too] recall: h_all', ...whole(2, 4)],
      kept: new Map(),
      whole: 2,
    });
    expect(carry(three)).toEqual({
      pieces: ['[2 older messages of the user left out too] recall: h_all', ...whole(4)],
      kept: new Map(),
      whole: 1,
    });
    expect(carry(three - 1).pieces).toEqual(['[3 older messages of the user left out too] recall: h_all']);
  });

  it('that do not fit whole are cut where there is room for 100 tokens', () => {
    const text = 'one more word '.repeat(300);
    const long = inputOf([build.user('older'), said('x'), build.user(text), said('y'), build.user('newest')]);
    const at = (maxTokens: number) => carryUsers({ from: 0, to: 5 }, long, { address: 'h_all', maxTokens });
    expect(at(99)).toEqual({
      pieces: ['[2 older messages of the user left out too] recall: h_all'],
      kept: new Map(),
      whole: 0,
    });
    const { pieces, kept, whole: count } = at(100);
    expect(pieces).toEqual([
      '[1 older message of the user left out too] recall: h_all',
      expect.stringContaining('characters left out here'),
    ]);
    expect([...kept.values()]).toEqual([text]);
    expect(count).toBe(0);
  });
});

describe('notes and pins of a span', () => {
  const input = inputOf([build.user('a'), said('b'), build.user('c'), said('d'), build.user('e')]);
  const note = (at: number, text: string, pin?: number) => ({
    kind: 'note' as const,
    layer: 'attach' as const,
    at,
    until: at + 1,
    proof: input.history.digest(at, at + 1),
    addresses: [],
    reason: 'test',
    text,
    ...(pin === undefined ? {} : { pin }),
  });
  const noted = applyEdits(
    input.view,
    [note(0, 'old'), note(0, 'kept', 1), note(2, 'fresh'), note(2, 'off', 2), note(4, 'behind', 1)],
    input,
  );
  const carried = (view: View, sentLength: number, to = 4, from = 0) =>
    carryNotes({ from, to }, { view, staying: { pins: new Set([1]), sentLength } as never });

  it('are those never sent, and the pins that live', () => {
    expect(carried(noted, 2)).toEqual([
      expect.objectContaining({ text: 'kept', pin: 1 }),
      expect.objectContaining({ text: 'fresh' }),
    ]);
    expect(carried(noted, 5).map(({ text }) => text)).toEqual(['kept']);
    expect(carried(noted, 0).map(({ text }) => text)).toEqual(['old', 'kept', 'fresh']);
    expect(carried(noted, 0, 5).map(({ text }) => text)).toEqual(['old', 'kept', 'fresh', 'behind']);
    expect(carried(noted, 0, 4, 1).map(({ text }) => text)).toEqual(['fresh']);
    expect(carryNotes({ from: 0, to: 4 }, { view: noted })).toEqual([]);
  });

  it('come out of an earlier range too, by their place among its pieces', () => {
    const edit = planned(input, 0, 4, {
      pieces: ['summary', 'kept', 'off', 'unread', { entry: 2, part: 0 }],
      pins: [
        [1, 1],
        [2, 2],
      ],
      notes: [3],
    });
    const { view } = withRange(input, edit);
    expect(carried(view, 2)).toEqual([
      { text: 'kept', pin: 1 },
      { text: 'unread', pin: undefined },
    ]);
    expect(carried(view, 4)).toEqual([{ text: 'kept', pin: 1 }]);
  });

  it('stand behind the first piece, and are told apart', () => {
    const edit = rangeEdit(
      {
        from: 0,
        to: 2,
        layer: 'summary',
        reason: 'test',
        pieces: ['summary', 'tail'],
        addresses: ['h_1'],
        carried: [{ text: 'kept', pin: 1 }, { text: 'fresh' }],
        narrative: { piece: 1, from: 0, chars: 4, generation: 2 },
        capped: 0,
      },
      input.history,
    );
    expect(edit).toMatchObject({
      pieces: ['summary', 'kept', 'fresh', 'tail'],
      pins: [[1, 1]],
      notes: [2],
      capped: 0,
      narrative: { piece: 3, from: 0, chars: 4, generation: 2 },
    });
  });

  it('leave the first piece where it is, and say nothing where there are none', () => {
    const plan = { from: 0, to: 2, layer: 'summary' as const, reason: 'test', pieces: ['summary'], addresses: ['h_1'] };
    const narrative = { piece: 0, from: 3, chars: 4, generation: 1 };
    const edit = rangeEdit({ ...plan, narrative, carried: [{ text: 'fresh' }] }, input.history);
    expect(edit.narrative).toEqual(narrative);
    expect(Object.keys(rangeEdit(plan, input.history)).sort()).toEqual([
      'addresses',
      'from',
      'kind',
      'layer',
      'pieces',
      'proof',
      'reason',
      'to',
      'until',
    ]);
  });
});

describe('the evidence of a range', () => {
  it('goes to its end, or behind the newest message of the user where it hides an older one', () => {
    const input = inputOf([build.user('a'), said('b'), call('x'), result('x'), build.user('e'), said('f')]);
    expect(planned(input, 0, 2).until).toBe(5);
    expect(planned(input, 2, 4).until).toBe(4);
    expect(planned(input, 1, 2).until).toBe(2);
    expect(planned(input, 4, 6).until).toBe(6);
    expect(planned(input, 0, 2).proof).toBe(input.history.digest(0, 5));
  });

  it('goes over what ended a round with calls open', () => {
    const input = inputOf([build.user('a'), call('x'), said('never mind'), build.user('e')]);
    expect(planned(input, 1, 2).until).toBe(3);
    expect(planned(input, 1, 3).until).toBe(3);
  });
});

describe('what a range frees', () => {
  const input = inputOf([build.user('a'.repeat(400)), said('b'.repeat(400)), build.user('c'.repeat(400)), said('d')]);
  const [a, b, c] = [input.history.at(0), input.history.at(1), input.history.at(2)] as const;

  it('is its entries less its message, with 32 bytes of doubt for each', () => {
    const edit = planned(input, 0, 2);
    const count = input.count('short') + 4;
    // The message: 32, and 'short' as a block of 31.
    expect(freedByRange(edit, input.view, input)).toEqual({
      tokens: a.tokens + b.tokens - count,
      bytes: a.bytes + b.bytes - 64 - 63,
    });
    expect(freedByRange(planned(input, 1, 3), input.view, input).tokens).toBe(b.tokens + c.tokens - count);
  });

  it('is of an earlier range what stands for it, with 8 bytes of doubt', () => {
    const compacted = withRange(input, planned(input, 0, 2, { pieces: ['a longer text'] }));
    const { tokens, bytes } = compacted.view.entries[0]!;
    expect(freedByRange(planned(input, 0, 3), compacted.view, input)).toEqual({
      tokens: tokens + c.tokens - input.count('short') - 4,
      bytes: bytes + c.bytes - 8 - 32 - 63,
    });
  });
});
