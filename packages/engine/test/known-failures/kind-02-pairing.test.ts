/** Calls parted from their results, and other rules of the protocol broken by a cut. */
import { describe, expect, it } from 'vitest';
import { snip } from '../../src/core/layers/snip.ts';
import { anthropicBuilder, openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { messagesOf, textsOf } from '../golden/session.ts';
import { callIds, filler, partsIn, resultIds, SCENES, Story, sum, tooLong, still } from './support/story.ts';
import { strictFaults } from './support/strict.ts';

describe.each(SCENES)('kind 2, $name', (scene) => {
  const { builder } = scene;

  it('A01: a cut at every place around a call and its result keeps both or none', async () => {
    const build = (): Story =>
      new Story(scene, { writer: sum() })
        .talk(4, 900)
        .user('Run it.')
        .call('t1')
        .results(['t1', 'it ran'])
        .talk(4, 900);
    const { length } = build().context.history();
    const seen = new Set<string>();
    for (let upTo = 0; upTo <= length; upTo += 1) {
      const story = build().user('And now?');
      story.context.compact({ span: { upTo } });
      const turn = await story.ask();
      const [calls, results] = [callIds(builder, turn), resultIds(builder, turn)];
      expect(calls, `a cut before ${upTo}`).toEqual(results);
      seen.add(calls.join());
      await story.settle(turn);
    }
    expect(seen).toEqual(new Set(['t1', '']));
  });

  it('A02: after a compaction no second one comes by itself', async () => {
    const writer = sum();
    const story = new Story(still(scene), { writer, windowTokens: 20_000, maxOutputTokens: 1_000 })
      .talk(40, 2_000)
      .user('Go on.');
    const first = await story.say({ calls: [{ id: 'next', name: 'bash', input: { command: 'ls' } }] });
    expect(first.summary).toMatchObject({ trigger: 'threshold' });
    story.results(['next', 'a.ts']);
    const second = await story.say();
    expect(second.summary).toBeUndefined();
    expect(writer.prompts).toHaveLength(1);
  });

  it('A03: a batch of calls side by side has one result each after a compaction in its middle', async () => {
    const story = new Story(scene, { writer: sum() }).talk(6, 900).user('All three.').call('t1', 't2', 't3');
    story.results(['t1', filler('one', 900)]);
    story.context.compact();
    await story.say();
    story.results(['t2', 'two'], ['t3', 'three']);
    const turn = await story.ask();
    const [calls, results] = [callIds(builder, turn), resultIds(builder, turn)];
    expect(results.toSorted()).toEqual(calls.toSorted());
    expect(new Set(results).size).toBe(results.length);
    await story.settle(turn);
  });

  it('A05: what is left out is whole batches, with the thinking before them', async () => {
    const policy = { ...scene.policy, layers: [snip({ maxMessages: 8, headMessages: 2 })] };
    const ids = ['t1', 't2', 't3', 't4', 't5'];
    for (let more = 0; more <= 6; more += 1) {
      const story = new Story(scene, { policy }).talk(2, 200).user('All five.');
      story.calls({ ids, thought: 'Five at once.' });
      story.results(...ids.map((id) => [id, filler(id, 300)] as const));
      story.talk(2 + more, 200).user('And now?');
      const turn = await story.ask();
      expect([[], ids]).toContainEqual(callIds(builder, turn));
      expect(resultIds(builder, turn)).toEqual(callIds(builder, turn));
      await story.settle(turn);
    }
  });

  it('A06: a compaction while a call runs leaves it whole, and its result finds it', async () => {
    const story = new Story(scene, { writer: sum() }).talk(12, 900).user('Run it.');
    const turn = await story.ask();
    await story.settle(turn, { calls: [{ id: 'running', name: 'bash', input: { command: 'make' } }] });
    story.context.compact();
    story.results(['running', 'made']);
    const next = await story.ask();
    expect(next.receipt.summary).toMatchObject({ trigger: 'manual' });
    expect(callIds(builder, next)).toEqual(resultIds(builder, next));
    await story.settle(next);
  });

  it('A07: a call that never had a result blocks no compaction, and is put right', async () => {
    const writer = sum();
    const story = new Story(scene, { writer })
      .user('Run it.')
      .call('stale')
      .user('Never mind.')
      .talk(11, 900)
      .user('Now?');
    const before = await story.ask();
    expect(callIds(builder, before)).toEqual(resultIds(builder, before));
    story.context.compact();
    const turn = await story.ask();
    expect(turn.receipt.summary).toMatchObject({ trigger: 'manual', writer: 'stub' });
    await story.settle(turn);
  });

  it('A08: results the model has not read do not vanish from a turn that outgrows the window', async () => {
    const windowTokens = 40_000;
    const story = new Story(scene, { windowTokens, maxOutputTokens: 1_000 }).user('Read all of them.');
    const ids = Array.from({ length: 15 }, (_, index) => `t${index + 1}`);
    story.call(...ids).results(...ids.map((id) => [id, filler(`BEGIN-${id}`, 9_600)] as const));
    const turn = await story.ask();
    expect(turn.receipt.tokens.calibrated).toBeLessThan(windowTokens);
    const results = partsIn(builder, turn).flatMap((part) => (part.kind === 'result' ? [part] : []));
    expect(results.map(({ callId }) => callId)).toEqual(ids);
    for (const { callId, text } of results) expect(text).toContain(`BEGIN-${callId} lor`);
    await story.settle(turn);
  });

  it('A10: nothing is made up for calls that are gone', async () => {
    const story = new Story(scene, { writer: sum() })
      .user('Run it.')
      .call('t1')
      .results(['t1', filler('ran', 900)])
      .talk(10, 900);
    story.user('Go on.');
    story.context.compact();
    await story.say({ calls: [{ id: 't9', name: 'bash', input: { command: 'ls' } }] });
    story.results(['t9', 'a.ts']);
    const turn = await story.ask();
    expect(callIds(builder, turn)).toEqual(['t9']);
    expect(resultIds(builder, turn)).toEqual(['t9']);
  });

  it('A11: words of the user that come with a result outlive the call it answers', async () => {
    const story = new Story(scene);
    story.context.append([
      builder.user('Begin.'),
      builder.assistant({ text: 'I will.' }),
      ...builder.results([{ callId: 'gone', text: 'of a call that is not there' }], 'Please stop.'),
    ]);
    const turn = await story.ask();
    expect(resultIds(builder, turn)).toEqual([]);
    expect(story.shown(turn)).toContain('Please stop.');
    const [, address = ''] = /answers no call\. recall: (c_[0-9a-f]{16})\]/.exec(story.shown(turn)) ?? [];
    await story.settle(turn);
    expect(await story.context.recall(address)).toMatchObject({ text: 'of a call that is not there' });
  });

  it('A13: a span that ends inside a batch is widened or narrowed to whole batches, never refused', async () => {
    const story = new Story(scene, { writer: sum() }).talk(8, 900).user('Both.').call('t1', 't2');
    const inside = story.context.history().length;
    story.results(['t1', filler('one', 600)], ['t2', filler('two', 600)]).user('And now?');
    story.context.compact({ span: { upTo: inside } });
    const turn = await story.ask();
    expect(turn.receipt.summary).toMatchObject({ trigger: 'manual' });
    expect(callIds(builder, turn)).toEqual(['t1', 't2']);
    expect(resultIds(builder, turn)).toEqual(['t1', 't2']);
  });

  it('A15: what another branch held is not in this one', async () => {
    const story = new Story(scene).talk(4, 200).user('Try it.').call('abandoned');
    story.rewind(4).user('Rather not.');
    const turn = await story.ask();
    expect(story.shown(turn)).not.toContain('abandoned');
    expect(callIds(builder, turn)).toEqual([]);
  });

  it('A17: a compaction the model asked for by a tool has its own result', async () => {
    const story = new Story(scene, { writer: sum() }).talk(12, 900).user('Compact, then go on.');
    await story.settle(await story.ask(), { calls: [{ id: 'compact', name: 'bash', input: {} }] });
    story.results(['compact', 'It will be compacted.']);
    story.context.compact();
    const turn = await story.ask();
    expect(turn.receipt.summary).toMatchObject({ trigger: 'manual' });
    expect(callIds(builder, turn)).toEqual(resultIds(builder, turn));
    await story.settle(turn);
  });

  it('A19: the request of the summary is valid by itself, after any number of refusals', async () => {
    const writer = sum(tooLong());
    const story = new Story(scene, { writer }).talk(6, 900).user('Both.').call('t1', 't2');
    story
      .results(['t1', filler('one', 900)], ['t2', filler('two', 900)])
      .talk(30, 900)
      .user('And now?');
    story.context.compact();
    const turn = await story.ask();
    expect(writer.requests).toHaveLength(2);
    for (const { prompt, maxOutputTokens } of writer.requests) {
      const request = builder.request([builder.codec.compose([prompt])], { toolNames: ['bash'], maxOutputTokens });
      expect(strictFaults(builder, request, [])).toEqual([]);
    }
    expect(turn.receipt.summary).toMatchObject({ writer: 'code' });
    await story.settle(turn);
  });
});

describe('kind 2, reasoning and its items', () => {
  const thinking = (text: string): object => ({ type: 'thinking', thinking: text, signature: `sig ${text}` });

  it('A18: thinking goes with its message, and a message of nothing but thinking is not sent', async () => {
    for (const policy of [SCENES[0]?.policy].filter((one) => one !== undefined)) {
      const story = new Story({ name: '', builder: anthropicBuilder, policy }, { writer: sum() }).talk(8, 900);
      story.context.append([
        anthropicBuilder.user('Think.'),
        { role: 'assistant', content: [thinking('alone')] },
        anthropicBuilder.user('Then run it.'),
        { role: 'assistant', content: [thinking('kept'), { type: 'tool_use', id: 't1', name: 'bash', input: {} }] },
        ...anthropicBuilder.results([{ callId: 't1', text: filler('ran', 900) }]),
      ]);
      const turn = await story.ask();
      expect(story.shown(turn)).not.toContain('alone');
      expect(story.shown(turn)).toContain('kept');
      await story.settle(turn);
      story.user('And now?');
      story.context.compact();
      const compacted = await story.ask();
      expect(story.shown(compacted)).not.toContain('kept');
    }
  });

  it('A18: reasoning beside calls of the other format stays with them or goes with them', async () => {
    for (const { builder, policy } of SCENES.filter((scene) => scene.builder === openaiChatBuilder)) {
      const story = new Story({ name: '', builder, policy }, { writer: sum() }).talk(8, 900).user('Run it.');
      story.calls({ ids: ['t1'], thought: 'I think so.' }).results(['t1', filler('ran', 900)]);
      const turn = await story.ask();
      const called = messagesOf(turn, builder).find((message) => 'tool_calls' in message);
      expect(called).toMatchObject({ reasoning_content: 'I think so.' });
      await story.settle(turn);
      story.user('And now?');
      story.context.compact();
      const compacted = await story.ask();
      expect(callIds(builder, compacted)).toEqual([]);
      expect(messagesOf(compacted, builder).flatMap(textsOf).join('\n')).not.toContain('I think so.');
    }
  });
});
