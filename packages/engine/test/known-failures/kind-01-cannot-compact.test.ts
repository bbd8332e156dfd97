/** Compaction cannot run exactly when it is needed. */
import { describe, expect, it } from 'vitest';
import { classifyError } from '../../src/index.ts';
import { longTexts } from '../../src/core/snapshot.ts';
import { isEpoch } from '../../src/core/edit.ts';
import type { Writer } from '../../src/core/summary/writer.ts';
import { messagesOf } from '../golden/session.ts';
import {
  filler,
  partsIn,
  refusedBytes,
  resultIds,
  SCENES,
  Story,
  sum,
  tooLong,
  TOOLS,
  still,
} from './support/story.ts';

const CHARS_PER_TOKEN = 4;

describe.each(SCENES)('kind 1, $name', (scene) => {
  const { builder } = scene;

  it('B01: a history of two and a half windows is compacted by requests that fit', async () => {
    const windowTokens = 10_000;
    const writer = sum(({ prompt }) => {
      if (prompt.length / CHARS_PER_TOKEN > 9_000) throw tooLong(prompt.length / CHARS_PER_TOKEN, 9_000);
      return 'Goal: to go on.';
    });
    const story = new Story(scene, { writer, windowTokens, maxOutputTokens: 1_000 }).talk(50, 2_000).user('And now?');
    story.context.compact();
    const { receipt } = await story.ask();
    expect(receipt.tokens.appendOnly).toBeGreaterThan(25_000);
    expect(receipt.summary).toMatchObject({ writer: 'stub', trigger: 'manual', attempts: 1 });
    expect(receipt.tokens.view).toBeLessThan(receipt.window.actTokens);
    expect(writer.prompts).toHaveLength(1);
  });

  it('B01: a summary request the provider finds too long goes again with half of the transcript', async () => {
    const writer = sum((_, call) => {
      if (call === 1) throw tooLong();
      return 'Goal: to go on.';
    });
    const story = new Story(scene, { writer }).talk(80, 2_000).user('And now?');
    story.context.compact();
    await story.say();
    const [first = '', second = ''] = writer.prompts;
    expect(writer.prompts).toHaveLength(2);
    expect(second.length).toBeLessThan(first.length * 0.6);
  });

  it('B02: what the writer reads is bounded for every kind of content', async () => {
    const writer = sum();
    const story = new Story(still(scene), { writer, windowTokens: 100_000 });
    for (let i = 0; i < 50; i += 1) {
      story.user(`U${i} ${'u'.repeat(40_000)}`);
      story.calls({ ids: [`c${i}`], text: `A${i} ${'a'.repeat(40_000)}`, thought: `T${'t'.repeat(40_000)}` });
      story.results([`c${i}`, `R${i} ${'r'.repeat(40_000)}`]);
    }
    story.user('And now?');
    story.context.compact();
    await (await story.prepare()).accept(builder.reply({ text: 'Done.' }));
    const [prompt = ''] = writer.prompts;
    // The policy's characters of transcript at 200,000 tokens, half of it here, and the words around it.
    expect(prompt.length).toBeLessThan(scene.policy.summary.maxInputChars / 2 + 2_000);
    expect(prompt.length).toBeLessThan(6_000_000 / 20);
    expect(prompt).toMatch(/user text "U0 u+" \(\d+ characters left out\) "u+"/);
    expect(prompt).toMatch(/assistant text "A0 a+" \(\d+ characters left out\) "a+"/);
    expect(prompt).toMatch(/user result "R\d+ r+" \(\d+ characters left out\) "r+"/);
    expect(prompt).not.toContain('tttt');
  });

  it('B03: what is not sent is not summarised either: thinking of replies that came to nothing else', async () => {
    const writer = sum();
    const story = new Story(scene, { writer }).talk(10, 900);
    for (const tag of ['one', 'two', 'three', 'four']) {
      story.context.append([builder.assistant({ thought: `${tag} ${'thinking '.repeat(1_700)}` })]);
      story.user(`Go on after ${tag}.`);
    }
    story.context.compact();
    await story.say();
    expect(writer.prompts).toHaveLength(1);
    expect(writer.prompts[0]).not.toContain('thinking thinking');
    expect(writer.prompts[0]).toContain('Go on after one.');
  });

  it('B05: a provider that refuses is answered whatever the estimate says', async () => {
    // Counts a fifth of what the provider counts.
    const count = (text: string): number => Math.ceil(text.length / 20);
    const policy = { ...still(scene).policy, count };
    const story = new Story(still(scene), { policy, count, windowTokens: 20_000, maxOutputTokens: 1_000 });
    story.talk(40, 2_000).user('And now?');
    const turn = await story.ask();
    expect(turn.receipt.tokens.view).toBeLessThan(turn.receipt.window.actTokens * 0.6);
    const next = await story.afterRefusal(turn, tooLong(20_200, 20_000));
    expect(next.receipt.cause).toBe('overflow');
    expect(JSON.stringify(next.request).length).toBeLessThan(20_000 * CHARS_PER_TOKEN * 0.9);
    await story.settle(next);
  });

  it('B06: the room for the reply counts, and a refusal leaves no trace in what is sent', async () => {
    const windowTokens = 10_000;
    const build = (maxOutputTokens: number): Story =>
      new Story(still(scene), { windowTokens, maxOutputTokens }).talk(21, 1_680).user('And now?');
    const roomy = await build(500).ask();
    const tight = await build(2_500).ask();
    expect(roomy.receipt.summary).toBeUndefined();
    expect(tight.receipt.summary).toMatchObject({ trigger: 'threshold' });
    const story = build(500);
    const sizes: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const turn = await story.ask();
      sizes.push(JSON.stringify(turn.request).length);
      expect(await turn.fail(Object.assign(new Error('500 Internal server error'), { status: 500 }))).toBeUndefined();
    }
    expect(new Set(sizes).size).toBe(1);
    expect(story.context.history()).toHaveLength(22);
  });

  it('B06: compacted before is no reason to stay over the limit', async () => {
    const story = new Story(still(scene), { writer: sum(), windowTokens: 20_000, maxOutputTokens: 1_000 }).talk(
      20,
      2_000,
    );
    story.context.compact();
    await story.say();
    story.talk(6, 9_000).user('And now?');
    const turn = await story.ask();
    expect(turn.receipt.summary).toBeUndefined();
    const next = await story.afterRefusal(turn, tooLong(21_000, 20_000));
    expect(next.receipt.tokens.calibrated).toBeLessThan(20_000);
    await story.settle(next);
  });

  it('B08: one huge newest result is shortened, with its id, and the turns before it stay', async () => {
    const windowTokens = 20_000;
    const story = new Story(scene, { windowTokens, maxOutputTokens: 1_000 }).talk(6, 200).user('Read it.');
    story.call('big').results(['big', filler('BIG', 76_000)]);
    const turn = await story.ask();
    expect(turn.receipt.tokens.calibrated).toBeLessThan(windowTokens);
    expect(resultIds(builder, turn)).toEqual(['big']);
    expect(messagesOf(turn, builder).slice(0, 7)).toEqual(story.context.history().slice(0, 7));
    const result = partsIn(builder, turn).find((part) => part.kind === 'result');
    expect(result?.kind === 'result' && result.text).toContain('Full output: 76000 characters');
    expect(result?.kind === 'result' && result.text).toContain('BIG lor ips');
  });

  it('B09: a second summary reads the first and what is new, not the beginning again', async () => {
    const writer = sum((_, call) => `SUMMARY-${call} of everything so far.`);
    const story = new Story(scene, { writer }).talk(20, 1_500);
    story.context.compact();
    await story.say({ text: 'First done.' });
    story.user('NEW one').assistant(filler('NEW two', 6_000)).user('NEW three');
    story.context.compact();
    await story.say();
    const [, second = ''] = writer.prompts;
    expect(writer.prompts).toHaveLength(2);
    expect(second).toContain('SUMMARY-1 of everything so far.');
    expect(second).toContain('NEW one');
    expect(second).not.toContain('assistant text "1 the');
  });

  it('B10: nothing is summarised twice but through the summary', async () => {
    const writer = sum((_, call) => `SUMMARY-${call}.`);
    const story = new Story(scene, { writer });
    const tokens = Array.from({ length: 12 }, (_, index) => `TOKEN-${index}-${'abcdefghijkl'[index]}`);
    for (const token of tokens) story.user(`Say ${token}.`).assistant(filler(`spoken ${token}`, 1_800));
    story.context.compact();
    await story.say();
    story.user('More.').assistant(filler('more', 6_000)).user('And more.');
    story.context.compact();
    await story.say();
    const [, second = ''] = writer.prompts;
    // What code adds to the first summary are the user's own words; the assistant's are only in its text.
    expect(tokens.filter((token) => second.includes(`spoken ${token}`))).toEqual([]);
    expect(second).toContain('SUMMARY-1.');
  });

  it('B11: a writer that never answers is given up with the signal; the session is as it was and goes on', async () => {
    let isSilent = true;
    const signals: (AbortSignal | undefined)[] = [];
    const writer: Writer = {
      name: 'silent at first',
      write: (_, signal) => {
        signals.push(signal);
        return isSilent ? new Promise(() => undefined) : Promise.resolve({ text: 'Goal: to go on.', stop: 'end' });
      },
    };
    const story = new Story(scene, { writer }).talk(20, 1_500).user('And now?');
    const state = (): string =>
      JSON.stringify([story.context.history(), story.context.groups(), story.context.snapshot()]);
    const before = state();
    story.context.compact();
    const controller = new AbortController();
    const request = builder.request([], { toolNames: TOOLS });
    const given = story.context.prepare(request, { signal: controller.signal });
    controller.abort(new Error('out of time'));
    await expect(given).rejects.toThrow('out of time');
    expect(state()).toBe(before);
    expect(signals[0]?.aborted ?? true).toBe(true);
    isSilent = false;
    // What was asked for is still asked for.
    expect((await story.say()).summary).toMatchObject({ trigger: 'manual', writer: 'silent at first' });
  });

  it('B13: what a compaction adds to the session’s record does not grow with the history', async () => {
    const story = new Story(scene, { writer: sum() });
    const sizes: number[] = [];
    let seq = 0;
    for (let n = 0; n < 60; n += 1) {
      story.talk(6, 900).user(`Turn ${n}.`);
      story.context.compact();
      await (await story.prepare()).accept(builder.reply({ text: 'Done.' }));
      const { groups } = story.context.snapshot(seq);
      seq = groups.at(-1)?.seq ?? seq;
      const texts = story.context.groups().filter((group) => group.seq > seq - groups.length && isEpoch(group));
      const long = texts.flatMap((group) => (isEpoch(group) ? [...longTexts(group.edits, () => '0'.repeat(64))] : []));
      sizes.push(JSON.stringify(groups).length + long.reduce((total, [, text]) => total + text.length, 0));
    }
    // Policies that carry the user's words name each of them, until there is no more room for them.
    expect(Math.max(...sizes.slice(30))).toBeLessThan(Math.max(...sizes.slice(0, 30)) * 2);
    expect(Math.max(...sizes)).toBeLessThan(12_000);
  });

  it('B16: a window that is suddenly smaller is planned for anew, the summary of it included', async () => {
    const writer = sum(({ prompt }) => {
      if (prompt.length / CHARS_PER_TOKEN > 200_000) throw tooLong(prompt.length / CHARS_PER_TOKEN, 200_000);
      return 'Goal: to go on.';
    });
    const story = new Story(still(scene), { writer, windowTokens: 1_000_000 }).talk(40, 24_000).user('And now?');
    const turn = await story.ask();
    expect(turn.receipt.tokens.view).toBeGreaterThan(200_000);
    const next = await story.afterRefusal(turn, tooLong(240_500, 200_000));
    expect(next.receipt.window.windowTokens).toBe(200_000);
    expect(next.receipt.tokens.view).toBeLessThan(200_000);
    await story.settle(next);
    expect((await story.user('More.').ask()).receipt.window.windowTokens).toBe(200_000);
  });

  it('B17: the first retry is made by the numbers in the refusal, and is the only one', async () => {
    const story = new Story(still(scene), { windowTokens: 1_000_000 }).talk(500, 7_600).user('And now?');
    const turn = await story.prepare();
    const error = tooLong(1_029_893, 1_000_000);
    expect(classifyError(error)).toEqual({
      kind: 'overflow',
      what: 'input',
      limitTokens: 1_000_000,
      requestedTokens: 1_029_893,
    });
    const next = await story.afterRefusal(turn, error);
    // What the provider counted, less than its limit with a margin.
    expect(next.receipt.tokens.calibrated).toBeLessThan(990_000);
    await story.settle(next);
    expect(
      story.context
        .groups()
        .filter(isEpoch)
        .filter(({ cause }) => cause === 'overflow'),
    ).toHaveLength(1);
  });

  it('a refusal for bytes keeps the property too', async () => {
    const story = new Story(still(scene))
      .talk(4, 400)
      .user('Look.')
      .round(filler('big', 90_000), filler('too', 80_000));
    const turn = await story.ask();
    await story.settle(await story.afterRefusal(turn, refusedBytes()));
  });
});
