/** Tool output cut badly. What tools themselves cut is tested with the agent. */
import { describe, expect, it } from 'vitest';
import { cappedText, headOf, persistedMarker, tailOf } from '../../src/core/layers/marker.ts';
import { isWellFormed } from '../../src/core/archive.ts';
import { anthropicBuilder } from '../../src/testing/wire-builder.ts';
import { messagesOf } from '../golden/session.ts';
import { filler, partsIn, POLICIES, pruning, SCENES, Story, sum, tooLong, still } from './support/story.ts';

const SAMPLES = ['a😀b', '👨‍👩‍👧‍👦 family', '🇩🇪🇫🇷 flags', 'e\u0301 combining', '𠮷野家', 'plain'];

describe('kind 14, cuts', () => {
  it('M01: cut at any place, a text stays well formed', () => {
    for (const text of SAMPLES)
      for (let chars = 0; chars <= text.length; chars += 1)
        for (const piece of [headOf(text, chars), tailOf(text, chars), cappedText(text, 'c_0', chars)]) {
          expect(isWellFormed(piece), JSON.stringify([text, chars, piece])).toBe(true);
          expect(piece.length === 0 || !piece.includes('\ufffd')).toBe(true);
        }
  });

  it('M02: what a marker says is missing is what is missing', () => {
    for (const text of [...SAMPLES, filler('long', 5_000), '😀'.repeat(900)])
      for (const chars of [0, 1, 7, 80, 81, 1_000, 10_000]) {
        const [, missing = ''] =
          /Preview, (\d+) characters left out:/.exec(persistedMarker({ text, pictures: 0 }, 'c_0', chars)) ?? [];
        expect(Number(missing)).toBe(text.length - headOf(text, chars).length);
        const [, between = ''] = /\[(-?\d+) characters left out here/.exec(cappedText(text, 'c_0', chars)) ?? [];
        const kept = headOf(text, Math.ceil(chars / 2)).length + tailOf(text, Math.floor(chars / 2)).length;
        if (chars < text.length) {
          expect(Number(between)).toBe(text.length - kept);
          expect(Number(between)).toBeGreaterThanOrEqual(0);
        }
      }
  });
});

describe.each(SCENES)('kind 14, $name', (scene) => {
  const { builder } = scene;

  it('M01: no layer cuts a character in half, wherever it falls', async () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const story = new Story(still(scene), { windowTokens: 40_000, maxOutputTokens: 1_000, writer: sum() }).user(
        `${'x'.repeat(shift)}${'😀'.repeat(200)}`,
      );
      story
        .call('t1', 't2')
        .results(['t1', `${'y'.repeat(shift)}${'👨‍👩‍👧‍👦'.repeat(900)}`], ['t2', '🇩🇪'.repeat(3_000)]);
      const turn = await story.ask();
      const smaller = await story.afterRefusal(turn, tooLong(25_000, 20_000));
      for (const { request } of [turn, smaller])
        expect(isWellFormed(JSON.parse(JSON.stringify(JSON.stringify(request))) as string)).toBe(true);
      expect(JSON.stringify(smaller.request)).not.toMatch(/\\ud[89ab][0-9a-f]{2}(?!\\ud)/i);
    }
  });

  it('M07: what was put away is found again, through every later layer and a restart', async () => {
    const story = new Story(scene, { writer: sum(), windowTokens: 60_000 }).user('Go.');
    const big = filler('BIG', 90_000);
    story.call('big').results(['big', big]);
    const turn = await story.ask();
    const [, address = ''] = /Full output: 90000 characters, recall: (c_[0-9a-f]{16})/.exec(story.shown(turn)) ?? [];
    await story.settle(turn, { text: 'Seen.' });
    story.user('On.');
    for (let n = 0; n < 5; n += 1) story.round(filler(`later ${n}`, 900));
    await story.settle(await story.ask(), { text: 'And on.' });
    story.user('And now?');
    story.context.compact();
    const compacted = await story.ask();
    await story.settle(compacted);
    expect(await story.context.recall(address)).toEqual({ kind: 'content', address, text: big });
    const after = new Story(scene, { archive: story.archive });
    await after.context.restore(JSON.parse(JSON.stringify(story.context.snapshot())), story.context.history());
    expect(await after.context.recall(address)).toEqual({ kind: 'content', address, text: big });
    const [, range = ''] = /recall: (h_[0-9a-f_-]+)/.exec(story.shown(compacted)) ?? [];
    expect((await after.context.recall(range)).kind).toBe('content');
  });

  it('M08: only the content of a result changes: its id and its place stay', async () => {
    const story = new Story(scene, { windowTokens: 60_000 }).user('Go.');
    story.calls({ ids: ['bad'] });
    story.context.append(builder.results([{ callId: 'bad', text: filler('ERROR', 90_000), isError: true }]));
    const turn = await story.ask();
    const [result] = partsIn(builder, turn).filter((part) => part.kind === 'result');
    const isError = builder === anthropicBuilder;
    expect(result).toMatchObject({ kind: 'result', callId: 'bad', isError });
    expect(result?.kind === 'result' && result.text.startsWith('<persisted-output>')).toBe(true);
    expect(messagesOf(turn, builder)).toHaveLength(3);
  });

  it('M08: a store that cannot take a text costs the turn a clear error, and nothing else', async () => {
    const failing = {
      name: 'full',
      put: async () => Promise.reject(new Error('no space left')),
      get: async () => undefined,
    };
    const story = new Story(scene, { archive: failing, windowTokens: 60_000 })
      .user('Go.')
      .call('big')
      .results(['big', filler('BIG', 90_000)]);
    const before = JSON.stringify(story.context.snapshot());
    await expect(story.prepare()).rejects.toThrow(/no space left/);
    expect(JSON.stringify(story.context.snapshot())).toBe(before);
  });

  it('M10: a huge paste of the user is cut to both ends and an address, and kept to the byte', async () => {
    const paste = `BEGIN 😀 ${'line of a log\n'.repeat(150_000)} END of it`;
    const story = new Story(scene, { windowTokens: 200_000 }).user(paste);
    const turn = await story.ask();
    expect(turn.receipt.tokens.calibrated).toBeLessThan(turn.receipt.window.blockTokens);
    const [, address = ''] = /characters left out here, recall: (c_[0-9a-f]{16})\]/.exec(story.shown(turn)) ?? [];
    expect(story.shown(turn)).toContain('BEGIN 😀 line of a log');
    expect(story.shown(turn)).toContain(' END of it');
    await story.settle(turn);
    expect(await story.context.recall(address)).toEqual({ kind: 'content', address, text: paste });
  });
});

const SHAPING = SCENES.filter(({ policy }) => policy.layers.some(({ name }) => name === 'arrival'));

describe.each(SHAPING)('kind 14, on arrival, $name', (scene) => {
  it('M04: a megabyte of colours and progress leaves what a terminal would show, and the bytes are kept', async () => {
    const steps = Array.from(
      { length: 20_000 },
      (_, n) => `\r\u001b[32mdownloading\u001b[0m ${n} of 20000 \u001b[K`,
    ).join('');
    const output = `starting\n${steps}\n\u001b[1mdone: 20000 files\u001b[0m\n`;
    expect(output.length).toBeGreaterThan(750_000);
    const story = new Story(scene).user('Fetch it.').call('fetch').results(['fetch', output]);
    const turn = await story.ask();
    const [result] = partsIn(scene.builder, turn).filter((part) => part.kind === 'result');
    const text = result?.kind === 'result' ? result.text : '';
    expect(text.length).toBeLessThan(output.length * 0.02);
    expect(text).toContain('downloading 19999 of 20000');
    expect(text).toContain('done: 20000 files');
    expect(text).not.toContain('\u001b');
    const [, address = ''] = /recall: (c_[0-9a-f]{16})/.exec(text) ?? [];
    await story.settle(turn);
    expect(await story.context.recall(address)).toEqual({ kind: 'content', address, text: output });
  });
});

describe.each(POLICIES)('kind 14, $name', (policy) => {
  it('M08: what else a result carries, such as an error mark, stays', async () => {
    const scene = pruning({ name: '', builder: anthropicBuilder, policy });
    const story = new Story(scene).user('Go.').call('t1');
    story.context.append(anthropicBuilder.results([{ callId: 't1', text: filler('ERROR', 900), isError: true }]));
    for (let n = 0; n < 3; n += 1) story.round(filler(`more ${n}`, 900));
    const turn = await story.user('And now?').ask();
    const blocks = (messagesOf(turn)[2] as { content: readonly object[] }).content;
    expect(blocks[0]).toMatchObject({ type: 'tool_result', tool_use_id: 't1', is_error: true });
    expect(JSON.stringify(blocks[0])).toContain('Earlier tool result compacted');
  });
});
