import { describe, expect, it } from 'vitest';
import { contentAddress } from '../../src/core/archive.ts';
import type { PartEdit } from '../../src/core/edit.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import { arrival, type ArrivalOptions } from '../../src/core/layers/arrival.ts';
import type { LayerInput, Proposal } from '../../src/core/layers/layer.ts';
import { applyEdits, EMPTY_VIEW, extend } from '../../src/core/view.ts';
import { CLASSIC_WINDOW, windowOf } from '../../src/core/window.ts';
import { type ResultSpec, type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { hash, historyOf } from '../core/support.ts';
import { serverLog, sourceFile } from '../previews/made.ts';

const FILE = Array.from({ length: 200 }, (_, i) => `const value${i} = compute(${i}); // line ${i + 1}`).join('\n');

interface Step {
  readonly name?: string;
  readonly input?: object;
  readonly text: string;
  readonly isError?: boolean;
}

/** A user's words, then a round for each of `steps`. */
function told(builder: WireBuilder, steps: readonly (Step | readonly Step[])[]): object[] {
  let calls = 0;
  const rounds = steps.map((step) => (Array.isArray(step) ? step : [step]) as readonly Step[]);
  return [
    builder.user('Go.'),
    ...rounds.flatMap((round) => {
      const made = round.map((step) => ({ ...step, id: `call_${(calls += 1)}` }));
      return [
        builder.assistant({ calls: made.map(({ id, name = 'bash', input = {} }) => ({ id, name, input })) }),
        ...builder.results(
          made.map(
            ({ id, text, isError }): ResultSpec => ({
              callId: id,
              text,
              ...(isError === undefined ? {} : { isError }),
            }),
          ),
        ),
      ];
    }),
  ];
}

function inputFor(
  builder: WireBuilder,
  messages: readonly object[],
  sentLength = 0,
  windowTokens = 200_000,
): LayerInput {
  const history = historyOf(messages, builder);
  const window = windowOf({ windowTokens, maxOutputTokens: 1_000 }, CLASSIC_WINDOW);
  return { history, view: extend(EMPTY_VIEW, history), window, count: codePointTokens, hash, sentLength };
}

function propose(input: LayerInput, options: ArrivalOptions = {}): Proposal {
  return arrival(options).propose(input);
}

const partEdits = ({ edits }: Proposal): readonly PartEdit[] => edits.filter((edit) => edit.kind === 'part');
const textsOf = (proposal: Proposal): readonly string[] => partEdits(proposal).map(({ text }) => text);

describe.each(wireBuilders)('arrival, $name', (builder) => {
  const inputOf = (steps: readonly (Step | readonly Step[])[], windowTokens?: number): LayerInput =>
    inputFor(builder, told(builder, steps), 0, windowTokens);
  const read = (text: string, path = 'src/a.ts'): Step => ({ name: 'read_file', input: { path }, text });

  it('points at an older result with the same text', () => {
    const input = inputOf([read(FILE), read(FILE)]);
    const proposal = propose(input);
    const address = contentAddress(FILE, hash);
    expect(textsOf(proposal)).toEqual([
      `<persisted-output>\nUnchanged: the same 8271 characters as the result of read_file src/a.ts above, recall: ${address}\n</persisted-output>`,
    ]);
    expect(partEdits(proposal)[0]).toMatchObject({
      layer: 'arrival',
      at: 4,
      pointsAt: { entry: 2, part: 0 },
      addresses: [address],
    });
    expect(proposal.kept).toEqual(new Map([[address, FILE]]));
  });

  it('points at the lines of an older result that hold the new one', () => {
    const lines = FILE.split('\n').slice(99, 150).join('\n');
    const [text] = textsOf(propose(inputOf([read(FILE), read(lines)])));
    expect(text).toContain(
      'Unchanged: the same 2190 characters as lines 100–150 of the result of read_file src/a.ts above',
    );
  });

  it('keeps the new lines and points for the rest', () => {
    const changed = FILE.split('\n').with(100, 'const changed = true;').join('\n');
    const [text] = textsOf(propose(inputOf([read(FILE), read(changed)])));
    expect(text?.split('\n').slice(2, -1)).toEqual([
      'What stands unchanged in the result of read_file src/a.ts above is pointed at, 8227 characters left out:',
      '[… lines 1–100 of that result, unchanged …]',
      'const changed = true;',
      '[… lines 102–200 of that result, unchanged …]',
    ]);
  });

  it('never points at a result that is not verbatim in view', () => {
    const input = inputOf([read(FILE), read('x'), read(FILE)]);
    const target = { at: 2, part: 0 };
    const edit: PartEdit = {
      ...target,
      kind: 'part',
      layer: 'micro',
      until: 3,
      proof: input.history.digest(2, 3),
      text: 'gone',
      becomesText: false,
      addresses: ['c_0000000000000000'],
      reason: 'test',
    };
    expect(propose({ ...input, view: applyEdits(input.view, [edit], input) }).edits).toEqual([]);
    expect(propose(input).edits).toHaveLength(1);
  });

  it('looks past a copy that is not verbatim for one that is', () => {
    const first = inputOf([read(FILE), read(FILE)]);
    const all = inputOf([read(FILE), read(FILE), read(FILE)]);
    const view = applyEdits(all.view, propose(first).edits, all);
    expect(partEdits(propose({ ...all, view }))[0]?.pointsAt).toEqual({ entry: 2, part: 0 });
  });

  it('touches no entry that was sent or answered', () => {
    const messages = told(builder, [read(FILE), read(FILE)]);
    expect(propose(inputFor(builder, messages, messages.length)).edits).toEqual([]);
    expect(propose(inputFor(builder, [...messages, builder.assistant({ text: 'Done.' })])).edits).toEqual([]);
    expect(propose(inputFor(builder, messages, messages.length - 1)).edits).toHaveLength(1);
  });

  it('does not point within the results of one message', () => {
    expect(propose(inputOf([[read(FILE), read(FILE)]])).edits).toEqual([]);
  });

  it('leaves a preview of what is over the limit', () => {
    const text = serverLog(1_000);
    const proposal = propose(inputOf([{ text }]));
    const [shown = ''] = textsOf(proposal);
    expect(shown.length).toBeLessThan(6_200);
    expect(shown.split('\n').slice(0, 2)).toEqual([
      '<persisted-output>',
      `Full output: ${text.length} characters, recall: ${contentAddress(text, hash)}`,
    ]);
    expect(shown.split('\n')[2]).toMatch(/^Preview \(log\), \d+ lines, \d+ characters left out:$/);
    for (const line of text.split('\n').filter((one) => one.includes('ERROR'))) expect(shown).toContain(line);
    expect([...proposal.kept.values()]).toEqual([text]);
  });

  it('exempts source code up to its own limit', () => {
    const code = sourceFile(180);
    expect(code.length).toBeGreaterThan(30_000);
    expect(propose(inputOf([read(code)])).edits).toEqual([]);
    expect(propose(inputOf([{ text: code, input: { command: 'cat src/a.ts' } }])).edits).toEqual([]);
    expect(textsOf(propose(inputOf([read(code.repeat(2))])))[0]).toContain('Preview (code)');
  });

  it('folds repeated lines where that saves a fifth', () => {
    const text = ['start', ...Array.from({ length: 60 }, () => 'waiting for the server to answer'), 'done'].join('\n');
    const [shown] = textsOf(propose(inputOf([{ text }])));
    expect(shown?.split('\n').slice(2)).toEqual([
      'Repeated lines and terminal noise folded, 0 characters left out:',
      'start',
      'waiting for the server to answer … repeated 60 times',
      'done',
      '</persisted-output>',
    ]);
  });

  it('folds nothing in a file that was read', () => {
    const text = Array.from({ length: 60 }, () => 'waiting for the server to answer').join('\n');
    expect(propose(inputOf([read(text, 'log.txt')])).edits).toEqual([]);
  });

  it('puts the largest results of a message away, until it is within its limit', () => {
    const results = [400, 200, 300].map((count) => ({
      text: sourceFile(count).slice(0, count * 40),
      name: 'read_file',
      input: {},
    }));
    const proposal = propose(inputOf([results]), { messageChars: 30_000 });
    const { history } = inputOf([results]);
    const texts = partEdits(proposal).map(
      (edit) => (history.at(edit.at).parts[edit.part] as { text: string }).text.length,
    );
    expect(texts).toEqual([16_000]);
  });

  it.each([
    ['an error up to its limit', { text: serverLog(40), isError: true }, { limitChars: 1_000, errorChars: 10_000 }],
    ['what was recalled', { text: serverLog(1_000), name: 'recall' }, {}],
    ['what the caller marked', { text: serverLog(1_000) }, { keepsWhole: () => true }],
    ['a short result', { text: 'ok' }, {}],
    ['an empty result', { text: '' }, {}],
  ] satisfies readonly (readonly [string, Step, ArrivalOptions])[])('leaves %s alone', (_, step, options) => {
    if ('isError' in step && builder.name !== 'anthropic') return;
    expect(propose(inputOf([step]), options).edits).toEqual([]);
  });

  it('leaves pictures alone', () => {
    const picture = Object.values(builder.kinds.result).map((make) => make('x'.repeat(30_000)));
    const messages = picture.flatMap((content) => [
      builder.assistant({ calls: [{ id: 'call_1', name: 'look', input: {} }] }),
      ...builder.results([{ callId: 'call_1', text: '', content }]),
    ]);
    const input = inputFor(builder, [builder.user('Go.'), ...messages], 0);
    for (const edit of partEdits(propose(input))) {
      const part = input.history.at(edit.at).parts[edit.part];
      expect(part?.kind === 'result' && part.mediaCount).toBe(0);
    }
  });

  it('is idempotent and the same every time', () => {
    const input = inputOf([
      read(FILE),
      [read(FILE), { text: serverLog(900) }, { text: 'same line of text here\n'.repeat(80) }],
    ]);
    const proposal = propose(input);
    expect(proposal.edits).toHaveLength(3);
    expect(
      propose(
        inputOf([read(FILE), [read(FILE), { text: serverLog(900) }, { text: 'same line of text here\n'.repeat(80) }]]),
      ),
    ).toEqual(proposal);
    expect(propose({ ...input, view: applyEdits(input.view, proposal.edits, input) }).edits).toEqual([]);
  });

  it('frees tokens and bytes with every edit', () => {
    const input = inputOf([read(FILE), [read(FILE), { text: serverLog(900) }]]);
    let { view } = input;
    for (const edit of propose(input).edits) {
      const next = applyEdits(view, [edit], input);
      expect(next.tokens).toBeLessThan(view.tokens);
      expect(next.bytes).toBeLessThan(view.bytes);
      view = next;
    }
  });

  it('scales its sizes with small windows', () => {
    const window = windowOf({ windowTokens: 20_000, maxOutputTokens: 1_000 }, CLASSIC_WINDOW);
    expect(arrival().constants(window)).toEqual({
      minChars: 40,
      minSavedChars: 50,
      limitChars: 1_600,
      readLimitChars: 6_000,
      previewChars: 600,
      messageChars: 20_000,
      errorChars: 400,
    });
    const [shown = ''] = textsOf(propose(inputOf([{ text: serverLog(40) }], 20_000)));
    expect(shown.length).toBeLessThan(800);
  });
});
