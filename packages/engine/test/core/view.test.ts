import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/core/edit.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import { budget } from '../../src/core/layers/budget.ts';
import { fit } from '../../src/core/layers/fit.ts';
import type { LayerInput } from '../../src/core/layers/layer.ts';
import { micro } from '../../src/core/layers/micro.ts';
import { replaceableSpans } from '../../src/core/layers/range-edits.ts';
import { proposeRepairs } from '../../src/core/layers/repair.ts';
import { snip } from '../../src/core/layers/snip.ts';
import { verifyView } from '../../src/core/verify.ts';
import { applyEdits, EMPTY_VIEW, extend, locate, project, replacementSize } from '../../src/core/view.ts';
import { build, call, historyOf, inputOf, result } from './support.ts';

const long = (count: number): object[] => [
  build.user('go'),
  ...Array.from({ length: count }, (_, index) => [
    call(`c${index}`),
    build.results([{ callId: `c${index}`, text: `${index} `.repeat(300) }])[0] ?? {},
  ]).flat(),
  build.assistant({ text: 'done' }),
];

const after = (input: LayerInput, edits: readonly Edit[]): LayerInput => ({
  ...input,
  view: applyEdits(input.view, edits, input),
});

describe('view', () => {
  it('partitions the history and counts it', () => {
    const { history, view } = inputOf(long(5));
    expect(view.entries.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 12 }, (_, index) => [index, index + 1]),
    );
    expect(view.tokens).toBe(history.tokens);
    expect([0, 5, 11].map((index) => locate(view.entries, index))).toEqual([0, 5, 11]);
  });

  it('extended entry by entry is the view of the whole', () => {
    const whole = historyOf(long(5));
    const growing = historyOf([]);
    let view = EMPTY_VIEW;
    for (let index = 0; index < whole.length; index += 1) {
      growing.append(whole.at(index));
      view = extend(view, growing);
    }
    expect(view).toEqual(project(whole, [], codePointTokens));
  });

  it('counted words that a range brings back without their escapes', () => {
    const words = '\u0000'.repeat(100);
    const history = historyOf([build.user(words)]);
    // Six bytes for each, and what a block has around its text.
    expect(replacementSize([{ entry: 0, part: 0 }], history, codePointTokens).bytes).toBe(658);
    expect(replacementSize([words], history, codePointTokens).bytes).toBe(658);
  });

  it('counted the frame of a result that a repair turned into text', () => {
    const [orphan = {}] = build.results([{ callId: 'nobody', text: 'lost', isError: true }], 'and go on');
    const input = inputOf([orphan]);
    const { edits } = proposeRepairs(input, false);
    const [edit] = edits;
    const text = edit?.kind === 'part' ? edit.text : '';
    const sent = build.codec.patch(orphan, new Map([[0, { text, becomesText: true }]]));
    const { bytes } = applyEdits(input.view, edits, input);
    expect(Math.abs(bytes - JSON.stringify(sent).length)).toBeLessThan(8);
  });

  it('counted a result of pictures that left as its neighbour of one word', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(9_000) } };
    const results = [
      { callId: 'a', text: '', content: [picture] },
      { callId: 'b', text: 'ok' },
    ];
    const [message = {}] = build.results(results);
    const input = inputOf([build.user('go'), call('a', 'b'), message]);
    const edit = {
      ...({ kind: 'part', layer: 'fit', at: 2, part: 0, until: 3, becomesText: false, reason: 'test' } as const),
      ...{ proof: input.history.digest(2, 3), text: 'gone', addresses: ['c_0123456789abcdef'] },
    };
    const sent = build.codec.patch(message, new Map([[0, { text: 'gone', becomesText: false }]]));
    const { bytes } = applyEdits(input.view, [edit], input).entries[2] ?? { bytes: 0 };
    expect(Math.abs(bytes - JSON.stringify(sent).length)).toBeLessThan(8);
  });

  it('shows the wider edit and leaves what it was made from alone', () => {
    const input = inputOf(long(30));
    const { edits } = snip({ maxMessages: 10, headMessages: 2 }).propose(input);
    const before = JSON.stringify(input.view);
    const { view } = after(input, edits);
    expect(view.entries.filter((entry) => entry.range !== undefined)).toHaveLength(1);
    expect(view.tokens).toBeLessThan(input.view.tokens);
    expect(JSON.stringify(input.view)).toBe(before);
    expect(verifyView(view, input.history)).toEqual([]);
  });
});

describe('free layers and the last rung applied twice equal once', () => {
  const input = inputOf([
    ...long(40),
    call('x', 'y'),
    build.results([
      { callId: 'x', text: 'x'.repeat(150_000) },
      { callId: 'y', text: 'y'.repeat(150_000) },
    ])[0] ?? {},
  ]);

  it.each([budget(), snip(), micro()])('$name', (layer) => {
    const { edits } = layer.propose(input);
    expect(edits.length).toBeGreaterThan(0);
    expect(layer.propose(after(input, edits)).edits).toEqual([]);
  });

  it('fit', () => {
    const target = { maxTokens: 500, maxBytes: Number.POSITIVE_INFINITY, isHard: true };
    const { edits } = fit(input, target);
    expect(edits.length).toBeGreaterThan(0);
    expect(fit(after(input, edits), target).edits).toEqual([]);
  });

  it('repair', () => {
    const broken = inputOf([build.user('go'), call('a', 'a', 'b'), result('a', 'z'), build.user('  '), call('a')]);
    const { edits } = proposeRepairs(broken, false);
    expect(edits.length).toBeGreaterThan(0);
    const repaired = after(broken, edits);
    expect(verifyView(repaired.view, repaired.history)).toEqual([]);
    expect(proposeRepairs(repaired, true).edits).toEqual([]);
  });
});

describe('spans', () => {
  it('leave a barrier and the answer behind it', () => {
    const input = inputOf([
      build.user('a'),
      build.assistant({ text: 'b' }),
      build.user('c'),
      build.host('rule'),
      build.assistant({ text: 'd' }),
      build.user('e'),
      build.assistant({ text: 'f' }),
    ]);
    expect(replaceableSpans({ from: 0, to: 7 }, input)).toEqual([
      { from: 0, to: 3 },
      { from: 5, to: 7 },
    ]);
    expect(replaceableSpans({ from: 4, to: 7 }, input)).toEqual([{ from: 5, to: 7 }]);
  });

  it('stop at the border of an earlier range', () => {
    const input = inputOf(long(30));
    const snipped = after(input, snip({ maxMessages: 10, headMessages: 2 }).propose(input).edits);
    const range = snipped.view.entries.find((entry) => entry.range !== undefined);
    expect(replaceableSpans({ from: 0, to: (range?.to ?? 0) - 4 }, snipped)).toEqual([{ from: 0, to: range?.from }]);
  });
});

describe('verify', () => {
  const input = inputOf(long(30));
  const { edits } = snip({ maxMessages: 10, headMessages: 2 }).propose(input);
  const edit = edits[0] as Edit & { kind: 'range' };
  const failuresOf = (changed: Edit): string => verifyView(after(input, [changed]).view, input.history).join('; ');

  it.each([
    ['a proof of other bytes', { ...edit, proof: '0'.repeat(16) }, 'its proof does not match'],
    ['no address', { ...edit, addresses: [] }, 'names no address'],
    ['half a round', { ...edit, to: edit.to - 1 }, 'parts a round'],
    ['the newest user message', { ...edit, from: 0 }, 'hides the newest user message'],
    ['an empty text', { ...edit, pieces: [' '] }, 'empty-text'],
  ])('refuses %s', (_, changed, expected) => {
    expect(failuresOf(edit)).toBe('');
    expect(failuresOf(changed)).toContain(expected);
  });

  it('refuses a view with a gap', () => {
    const entries = input.view.entries.filter((entry) => entry.from !== 3);
    expect(verifyView({ ...input.view, entries }, input.history)[0]).toContain('stands where 3 is due');
  });
});
